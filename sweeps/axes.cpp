// SPDX-License-Identifier: Apache-2.0
#include "sweeps/axes.h"

#include <unordered_map>

#include "core/base/text.h"
#include "sweeps/estimate/setup.h"
#include "sweeps/keys.h"
#include "sweeps/models.h"

namespace pippin {

namespace {

constexpr std::size_t kMostAxes = 1000;

Value read_size(const YamlNode& node) {
  const std::string& name = text_at(node, "size");
  if (const auto model = find_model(name)) return {model->size, std::nullopt};
  fail(node, "unknown size {}{}", in_quotes(name), hint(name, model_names()));
}

Value read_style(const YamlNode& node) {
  const std::string& name = text_at(node, "style");
  if (name == "gpt2" || name == "llama") return {name, std::nullopt};
  fail(node, "unknown style {}{}", in_quotes(name), hint(name, {"gpt2", "llama"}));
}

Value read_own_value(const std::string& name, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kNull) {
    fail(node, "{} has no value; write \"\" or \"null\" if that text is meant", in_quotes(name));
  }
  if (node.kind != YamlNode::Kind::kText)
    fail(node, "a value of {} must be a number or a text", in_quotes(name));
  return value_of(node.text);
}

/// Equal for equal values, so that 4 and 4.0 are one.
std::string value_key(const Value& value) {
  return value.number ? "n" + number_text(*value.number) : "s" + value.text;
}

void add_axis(Axes& axes, const std::string& section, const YamlNode& key) {
  const auto known = axes.places.find(key.text);
  if (known != axes.places.end()) {
    fail(key, "{} in {} is given already, {}", in_quotes(key.text), section,
         place_text(known->second));
  }
  if (axes.names.size() == kMostAxes) fail(key, "a sweep has at most {} axes", kMostAxes);
  axes.places.emplace(key.text, key);
  axes.names.push_back(key.text);
}

std::vector<Value> read_list(const YamlNode& key, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kNull) {
    fail(key, "axis {} has no values; a list stands in [ ]", in_quotes(key.text));
  }
  const auto items = list_at(node, in_quotes(key.text));
  if (items.empty()) fail(key, "axis {} has no values", in_quotes(key.text));
  std::vector<Value> values;
  values.reserve(items.size());
  for (const YamlNode* item : items) values.push_back(read_axis_value(key.text, *item));
  return values;
}

void refuse_repeats(const YamlNode& key, const std::vector<Value>& values) {
  std::unordered_map<std::string, std::string> seen;
  for (const auto& value : values) {
    const auto [known, is_new] = seen.try_emplace(value_key(value), value.text);
    if (is_new) continue;
    if (known->second == value.text)
      fail(key, "axis {} has the value {} twice", in_quotes(key.text), in_quotes(value.text));
    fail(key, "axis {} has {} and {}, which are one number; a version can be written v{}",
         in_quotes(key.text), in_quotes(known->second), in_quotes(value.text), value.text);
  }
}

void read_grid(const YamlNode& section, Axes& axes) {
  for (std::size_t i = 0; i < section.keys.size(); ++i) {
    const YamlNode& key = section.keys[i];
    add_axis(axes, "grid", key);
    const auto values = read_list(key, section.items[i]);
    refuse_repeats(key, values);
    GridDimension dimension;
    dimension.names = {key.text};
    for (const auto& value : values) dimension.rows.push_back({value});
    axes.dimensions.push_back(std::move(dimension));
  }
}

void read_zip(const YamlNode& section, Axes& axes) {
  GridDimension dimension;
  for (std::size_t i = 0; i < section.keys.size(); ++i) {
    const YamlNode& key = section.keys[i];
    add_axis(axes, "zip", key);
    const auto values = read_list(key, section.items[i]);
    if (i > 0 && values.size() != dimension.rows.size()) {
      fail(key, "zip pairs lists of one length: {} has {} values, {} has {}",
           in_quotes(section.keys[0].text), dimension.rows.size(), in_quotes(key.text),
           values.size());
    }
    dimension.names.push_back(key.text);
    dimension.rows.resize(values.size());
    for (std::size_t row = 0; row < values.size(); ++row)
      dimension.rows[row].push_back(values[row]);
  }
  axes.dimensions.push_back(std::move(dimension));
}

void read_points(const YamlNode& section, Axes& axes) {
  GridDimension dimension;
  std::map<std::string, std::size_t> column;
  for (const auto& point : section.items) {
    expect_map(point, "a point");
    for (const auto& key : point.keys) {
      if (!column.emplace(key.text, column.size()).second) continue;
      add_axis(axes, "points", key);
      dimension.names.push_back(key.text);
    }
  }
  if (section.items.size() * column.size() > kMostAxisValues)
    fail(section, "{} points of {} axes: more than {} values", section.items.size(), column.size(),
         kMostAxisValues);
  for (const auto& point : section.items) {
    std::vector<std::optional<Value>> row(column.size());
    for (std::size_t i = 0; i < point.keys.size(); ++i) {
      row[column[point.keys[i].text]] = read_axis_value(point.keys[i].text, point.items[i]);
    }
    dimension.rows.push_back(std::move(row));
  }
  axes.dimensions.push_back(std::move(dimension));
}

void read_fixed(const YamlNode& section, Axes& axes) {
  for (std::size_t i = 0; i < section.keys.size(); ++i) {
    const YamlNode& key = section.keys[i];
    if (section.items[i].kind == YamlNode::Kind::kList) {
      fail(key, "fixed gives {} one value; a list belongs in grid", in_quotes(key.text));
    }
    add_axis(axes, "fixed", key);
    GridDimension dimension;
    dimension.names = {key.text};
    dimension.rows.push_back({read_axis_value(key.text, section.items[i])});
    axes.dimensions.push_back(std::move(dimension));
  }
}

void read_section(const YamlNode& key, const YamlNode& section, Axes& axes) {
  const std::string& name = key.text;
  if (name != "grid" && name != "zip" && name != "points" && name != "fixed") return;
  const auto wanted = name == "points" ? YamlNode::Kind::kList : YamlNode::Kind::kMap;
  const bool is_null = section.kind == YamlNode::Kind::kNull;
  if (is_null || (section.kind == wanted && section.items.empty())) fail(key, "{} is empty", name);
  if (section.kind != wanted) {
    fail(section, "{} must be {}", name,
         name == "points" ? "a list of points, each a map of values" : "a map of axes");
  }
  if (name == "grid") read_grid(section, axes);
  if (name == "zip") read_zip(section, axes);
  if (name == "points") read_points(section, axes);
  if (name == "fixed") read_fixed(section, axes);
}

}  // namespace

Value read_axis_value(const std::string& name, const YamlNode& node) {
  if (name == "size") return read_size(node);
  if (name == "style") return read_style(node);
  if (!is_count_key(name)) return read_own_value(name, node);
  return value_of(static_cast<double>(whole_number_at(node, in_quotes(name), 1, kLargestCount)));
}

Axes read_axes(const YamlNode& root) {
  if (!root.find("grid") && !root.find("zip") && !root.find("points")) {
    fail(root, "there is nothing to sweep: grid, zip or points is missing");
  }
  Axes axes;
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    read_section(root.keys[i], root.items[i], axes);
  }
  return axes;
}

}  // namespace pippin
