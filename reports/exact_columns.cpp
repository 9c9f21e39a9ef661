// SPDX-License-Identifier: Apache-2.0
#include "reports/exact_columns.h"

#include <algorithm>

#include "core/base/error.h"
#include "reports/point_columns.h"

namespace pippin {

namespace {

/// A row of one run says so; other tables have no such column.
std::vector<std::string> usual_names(const RowFacts& facts) {
  std::vector<std::string> names{"sweep", "campaign", "point"};
  for (auto& name : naming_columns(facts)) {
    if (name != "point") names.push_back(std::move(name));
  }
  if (facts.run) names.emplace_back("started");
  names.insert(names.end(), {"state",
                             "gpus",
                             "size",
                             "layers",
                             "hidden",
                             "seq",
                             "tp",
                             "pp",
                             "dp",
                             "mbs",
                             "gas",
                             "gbs",
                             "allocations",
                             "runs",
                             "iterations",
                             "step_time",
                             "unit",
                             "df",
                             "spread",
                             "tflops",
                             "flops_formula",
                             "samples_per_s",
                             "memory",
                             "mfu",
                             "hfu",
                             "best",
                             "remarks",
                             "notes"});
  if (facts.bus_bandwidth) names.insert(std::find(names.begin(), names.end(), "tflops"), "busbw");
  if (facts.vs) names.emplace_back("vs");
  if (facts.difference) names.emplace_back("difference");
  return names;
}

}  // namespace

std::vector<ExactColumn> exact_columns(const Report& report) {
  const bool asked = !report.columns.empty();
  const RowFacts facts = asked ? RowFacts() : facts_of(rows_of(report));
  const auto chosen = asked ? report.columns : usual_columns(usual_names(facts));
  std::vector<ExactColumn> columns;
  for (const auto& column : chosen) {
    if (!column.kind) {
      columns.push_back({column.title, nullptr, column.axis});
      continue;
    }
    for (const auto& field : column.kind->fields) columns.push_back({field.name, &field, {}});
  }
  if (asked && columns.empty())
    bad_input("--columns: '{}' is a drawing: csv and json have nothing of it",
              chosen.front().kind->name);
  if (asked) return columns;
  std::vector<std::string> taken;
  taken.reserve(columns.size());
  for (const auto& column : columns) taken.push_back(column.name);
  for (const auto& axis : axis_columns(facts, taken))
    columns.push_back({axis.title, nullptr, axis.axis});
  return columns;
}

}  // namespace pippin
