// SPDX-License-Identifier: Apache-2.0
#include "reports/point_columns.h"

#include <algorithm>
#include <array>

#include "core/base/units.h"
#include "core/records/fields.h"
#include "reports/values.h"

namespace pippin {

namespace {

std::string cell_of(const Count& count) { return count ? std::to_string(*count) : ""; }

std::string params_b(const Model& model) {
  return model.params ? exact_number(static_cast<double>(*model.params) / kBillion) : "";
}

/// Where for_each_count() has what each column shows; beyond its end for params_b, which is none.
std::vector<std::size_t> fields_of_columns() {
  std::vector<std::string_view> names;
  for_each_count(Point(), [&](std::string_view name, const Count&) { names.push_back(name); });
  std::vector<std::size_t> fields;
  for (const auto& column : point_columns()) {
    const auto found = std::find(names.begin(), names.end(), column.name);
    fields.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return fields;
}

}  // namespace

const std::vector<PointColumn>& point_columns() {
  static const std::vector<PointColumn> kColumns{
      {"gpus", "GPUs"}, {"params_b", "size"}, {"layers", "layers"}, {"hidden", "hidden"},
      {"seq", "seq"},   {"tp", "TP"},         {"pp", "PP"},         {"dp", "DP"},
      {"mbs", "MBS"},   {"gas", "GAS"},       {"gbs", "GBS"}};
  return kColumns;
}

std::vector<std::string> point_cells(const Point& point) {
  static const std::vector<std::size_t> kFields = fields_of_columns();
  std::array<const Count*, kModelFields.size() + kLayoutFields.size()> counts{};
  std::size_t field = 0;
  for_each_count(point, [&](std::string_view, const Count& count) { counts[field++] = &count; });
  std::vector<std::string> cells;
  cells.reserve(kFields.size());
  for (const std::size_t i : kFields)
    cells.push_back(i < counts.size() ? cell_of(*counts[i]) : params_b(point.model));
  return cells;
}

std::vector<std::string> readable_point_cells(const Point& point) {
  constexpr std::size_t kSize = 1;  // params_b
  auto cells = point_cells(point);
  if (point.model.params) cells[kSize] = size_text(static_cast<double>(*point.model.params));
  return cells;
}

std::string cp_cell(const Point& point) { return cell_of(point.layout.cp); }

std::string axis_cell(const Point& point, const std::string& axis) {
  const Value* value = find_value(point.axes, axis);
  return value ? value->text : "";
}

std::string axis_title(const std::string& axis, const std::vector<std::string>& taken) {
  const bool is_taken = std::find(taken.begin(), taken.end(), axis) != taken.end();
  return is_taken ? "axis_" + axis : axis;
}

}  // namespace pippin
