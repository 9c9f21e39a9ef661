// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// A number as it was written.
struct WrittenNumber {
  double value = 0;
  int last_digit = 0;  ///< the power of ten that its last digit stands for: -1 of 12.5, -5 of
                       ///< 1.2345e-01
  bool bare = true;    ///< digits, and nothing else
};

/// What a line is but for its numbers. Most lines of a log are like the one before: to compare a
/// line with a shape takes a fraction of what it takes to make out its fields.
class LineShape {
 public:
  /// Learns from a line the numbers of which stand at `values`, parts of it in their order. Digits
  /// of its first `of_times` characters may change, too. Returns whether the line has such a shape.
  bool learn(std::string_view line, const std::vector<std::string_view>& values,
             std::size_t of_times);
  /// Whether a line has that shape; then its numbers are in `numbers`, in their order.
  bool read(std::string_view line, std::vector<WrittenNumber>& numbers) const {
    return !line.empty() && read_front(line, numbers) == line.size();
  }
  /// The same of the line at the front of a text, up to "\n" or the text's end: its length; 0 where
  /// it has another shape.
  std::size_t read_front(std::string_view text, std::vector<WrittenNumber>& numbers) const;

 private:
  std::vector<std::string> between_;  ///< what stands before, between and behind the numbers,
                                      ///< without the blanks around them; empty: nothing is learnt
  std::size_t of_times_ = 0;
};

/// What 10^power is to std::pow.
double power_of_ten(int power);

}  // namespace pippin
