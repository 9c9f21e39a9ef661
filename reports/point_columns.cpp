#include "reports/point_columns.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/records/fields.h"
#include "reports/values.h"

namespace pippin {

namespace {

std::string cell_of(const Count& count) { return count ? std::to_string(*count) : ""; }

std::string params_b(const Model& model) {
  return model.params ? exact_number(static_cast<double>(*model.params) / kBillion) : "";
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
  std::vector<std::string> cells;
  for (const auto& column : point_columns()) {
    const auto count = find_count(point, column.name);
    cells.push_back(count ? cell_of(*count) : params_b(point.model));
  }
  return cells;
}

std::vector<std::string> readable_point_cells(const Point& point) {
  constexpr std::size_t kSize = 1;  // params_b
  auto cells = point_cells(point);
  if (point.model.params) cells[kSize] = size_text(static_cast<double>(*point.model.params));
  return cells;
}

std::string axis_cell(const Point& point, const std::string& axis) {
  const Value* value = find_value(point.axes, axis);
  return value ? value->text : "";
}

std::string axis_title(const std::string& axis, const std::vector<std::string>& taken) {
  const bool is_taken = std::find(taken.begin(), taken.end(), axis) != taken.end();
  return is_taken ? "axis_" + axis : axis;
}

}  // namespace pippin
