// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/records/value.h"
#include "sweeps/yaml.h"

namespace pippin {

/// One factor of the product of points: rows of values that belong together. An axis of `grid` has
/// one name and a row for each value, `zip` a row for each place in its lists, `points` a row for
/// each point, a name of `fixed` one row.
struct GridDimension {
  std::vector<std::string> names;
  std::vector<std::vector<std::optional<Value>>> rows;  ///< as many values as names
};

/// Of all points together, so that a sweep fits into memory.
inline constexpr std::size_t kMostAxisValues = 20'000'000;

/// All axes of a sweep, in the file's order.
struct Axes {
  std::vector<GridDimension> dimensions;
  std::vector<std::string> names;          ///< each once
  std::map<std::string, YamlNode> places;  ///< the key that gave each

  bool has(const std::string& name) const { return places.count(name) > 0; }
};

/// The axes of `grid`, `zip`, `points` and `fixed` of a sweep file's root.
/// Errors: Error (bad input) for an empty section or axis, lists of unlike lengths in zip, an axis
/// given twice, a value given twice, and a value that its axis cannot have.
Axes read_axes(const YamlNode& root);

/// One value of a known key or an own axis. Errors: as read_axes.
Value read_axis_value(const std::string& name, const YamlNode& node);

}  // namespace pippin
