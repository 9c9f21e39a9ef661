// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/scrape.h"

namespace pippin {

/// The lines that look most like one that tells of a step: they have numbers, and words such as
/// step, time and loss.
class NearestLines {
 public:
  struct Line {
    std::size_t number = 0;  ///< 1-based
    std::string text;        ///< printable, cut where it is long
    int nearness = 0;
  };

  void see(std::size_t number, std::string_view line);
  /// At most three, the nearest first.
  const std::vector<Line>& lines() const { return lines_; }

 private:
  std::vector<Line> lines_;
};

/// "; nearest: line 12 'step 3 took 5 s', line 14 …" of a log that gave nothing, and where one
/// reads how it can; only the latter where no line is near.
std::string what_is_near(const ReadParts& read);

}  // namespace pippin
