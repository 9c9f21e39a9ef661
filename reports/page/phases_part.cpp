// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "reports/page/page_json.h"
#include "reports/page/parts.h"

namespace pippin {

namespace {

/// The path of a step: what is computed, what is waited for, what closes it.
std::size_t rank_of(const std::string& name) {
  const std::array kOrder{"compute", "tensor", "pipeline", "data", "optimizer", "rest"};
  const auto found = std::find_if(kOrder.begin(), kOrder.end(),
                                  [&](const char* first) { return name.starts_with(first); });
  return static_cast<std::size_t>(found - kOrder.begin());
}

/// The names of all, in that order.
std::vector<std::string> names_of(const std::vector<RowPhases>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    for (const auto& phase : row.phases)
      if (std::find(names.begin(), names.end(), phase.name) == names.end())
        names.push_back(phase.name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return rank_of(a) < rank_of(b); });
  return names;
}

void write_seconds(const RowPhases& row, const std::vector<std::string>& names, JsonWriter& json) {
  json.begin_array();
  for (const auto& name : names) {
    const auto phase = std::find_if(row.phases.begin(), row.phases.end(),
                                    [&](const Phase& one) { return one.name == name; });
    write_exact(phase == row.phases.end() ? std::nullopt : std::optional(phase->measured), json);
  }
  json.end_array();
}

}  // namespace

void write_phases(const std::vector<RowPhases>& rows, JsonWriter& json) {
  const auto names = names_of(rows);
  json.key("phases").begin_object();
  write_texts("names", names, json);
  json.key("rows").begin_array();
  for (const auto& row : rows) json.natural(row.row);
  json.end_array();
  json.key("seconds").begin_array();
  for (const auto& row : rows) write_seconds(row, names, json);
  json.end_array();
  json.end_object();
}

}  // namespace pippin
