// SPDX-License-Identifier: Apache-2.0
#include "core/records/summary.h"

#include <algorithm>

namespace pippin {

void add_notes(Summary& row, const std::vector<std::string>& of_run) {
  if (of_run.empty()) return;
  const std::string& newest = of_run.back();
  const bool is_new = std::find(row.notes.begin(), row.notes.end(), newest) == row.notes.end();
  if (!newest.empty() && is_new) row.notes.push_back(newest);
  row.past_notes.insert(row.past_notes.end(), of_run.begin(), of_run.end());
}

}  // namespace pippin
