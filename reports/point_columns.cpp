#include "reports/point_columns.h"

#include <algorithm>

#include "core/base/units.h"
#include "reports/values.h"

namespace pippin {

namespace {
std::string cell_of(const Count& count) { return count ? std::to_string(*count) : ""; }
}  // namespace

const std::vector<PointColumn>& point_columns() {
  static const std::vector<PointColumn> kColumns{
      {"gpus", "GPUs"}, {"params_b", "size"}, {"layers", "layers"}, {"hidden", "hidden"},
      {"seq", "seq"},   {"tp", "TP"},         {"pp", "PP"},         {"dp", "DP"},
      {"mbs", "MBS"},   {"gas", "GAS"},       {"gbs", "GBS"}};
  return kColumns;
}

std::vector<std::string> point_cells(const Point& point) {
  const Model& model = point.model;
  const Layout& layout = point.layout;
  const std::string params_b =
      model.params ? exact_number(static_cast<double>(*model.params) / kBillion) : "";
  return {cell_of(layout.gpus),  params_b,           cell_of(model.layers),
          cell_of(model.hidden), cell_of(model.seq), cell_of(layout.tp),
          cell_of(layout.pp),    cell_of(layout.dp), cell_of(layout.mbs),
          cell_of(layout.gas),   cell_of(layout.gbs)};
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
