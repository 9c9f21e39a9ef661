// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/row_range.h"

namespace pippin {

/// What a reader of a table must know, one remark each: what ± is, why a row has none, what its
/// marks mean, and what the rows themselves say. A remark of several rows comes once and names
/// them.
std::vector<std::string> remarks_on(const RowRange& rows);

/// The same of rows that come one by one.
class RemarkCollector {
 public:
  RemarkCollector();
  ~RemarkCollector();
  void add(const Summary& row);
  std::vector<std::string> lines() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

/// What the column of that name says.
inline constexpr const char* kBestLegend =
    "best: the most useful work per second and GPU; tied: cannot be told from it; %: the chance to "
    "be the best";

/// What a remark on a row begins with whose runs ended early; ": 3 of 20 iterations" follows.
inline constexpr const char* kEndedEarly = "ended before the last iteration without a word on why";

/// What holds for one row of them, for formats that have a column for it.
std::vector<std::string> remarks_of(const Summary& row);

/// "a, b" or "a, b, c and 4 more", of at most three names.
std::string listed(const std::vector<std::string>& names);

}  // namespace pippin
