// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pippin {

/// The entries of a Python dictionary's text behind its "{", in their order: "'loss': 0.5" and
/// "'loss': '0.5'" are the same. Ends before the first that is cut, or has no such name.
std::vector<std::pair<std::string_view, std::string_view>> entries_in(std::string_view text);

/// What stands before a dictionary, as far as it is not another one.
std::string_view before_dict(std::string_view line, std::size_t brace);

/// A line with a dictionary whose end stands in a line below.
class TornDict {
 public:
  bool is_open() const { return !line_.empty(); }
  /// `before`: as many characters of it stand before the dictionary, and may before its rest.
  void begin(std::string_view line, std::size_t before);
  /// Adds the line below. Returns all, where that ends it; the line alone, where that cannot be its
  /// rest; else nothing.
  std::string add(std::string_view next);
  /// The line alone: no rest came.
  std::string end();

 private:
  std::string line_, all_;
  std::size_t before_ = 0;
};

}  // namespace pippin
