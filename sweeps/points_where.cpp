// SPDX-License-Identifier: Apache-2.0
#include "sweeps/points_where.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/records/fields.h"
#include "sweeps/expression.h"

namespace pippin {

namespace {

NamedValues variables_of(const Point& point) {
  NamedValues values = named_values(point);
  if (point.model.params)
    values.emplace_back("params", value_of(static_cast<double>(*point.model.params)));
  return values;
}

/// Errors: where a name of the expression is one of no point.
void check_names(const Expression& expression, const std::vector<Point>& points) {
  std::set<std::string> known;
  for (const auto& point : points) {
    for (const auto& value : variables_of(point)) known.insert(value.first);
  }
  for (const auto& name : expression.names()) {
    if (known.count(name)) continue;
    bad_input("no point has a '{}'{}", printable(name),
              did_you_mean(name, {known.begin(), known.end()}));
  }
}

bool holds(Expression& expression, const Point& point) {
  const NamedValues values = variables_of(point);
  std::vector<const Value*> variables;
  for (const auto& name : expression.names()) variables.push_back(find_value(values, name));
  const bool knows_all = std::find(variables.begin(), variables.end(), nullptr) == variables.end();
  return knows_all && expression.holds(variables);
}

}  // namespace

std::set<std::string, std::less<>> points_where(const std::vector<Point>& points,
                                                const std::string& option,
                                                const std::string& expression) {
  std::set<std::string, std::less<>> ids;
  try {
    Expression compiled(expression);
    check_names(compiled, points);
    for (const auto& point : points)
      if (holds(compiled, point)) ids.insert(point.id);
  } catch (const Error& error) {
    bad_input("{} '{}': {}", option, printable(expression), error.what());
  }
  if (ids.empty())
    bad_input("{} '{}': it holds for none of {} points", option, printable(expression),
              points.size());
  return ids;
}

}  // namespace pippin
