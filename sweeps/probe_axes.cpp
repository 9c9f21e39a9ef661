// SPDX-License-Identifier: Apache-2.0
#include "sweeps/probe_axes.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "core/records/fields.h"
#include "sweeps/keys.h"
#include "sweeps/probe_answers.h"

namespace pippin {

namespace {

constexpr std::int64_t kUnit = 1024;
constexpr std::int64_t kMostNodes = 1'000'000;

/// A number of nodes as the ranks on them.
void as_ranks(YamlNode& node, std::int64_t per_node) {
  if (node.kind == YamlNode::Kind::kList) {
    for (auto& item : node.items) as_ranks(item, per_node);
  } else {
    node.text = std::to_string(whole_number_at(node, "'nodes'", 1, kMostNodes) * per_node);
  }
}

void read_ranks_of(YamlNode& section, const Cluster& cluster) {
  for (std::size_t i = 0; i < section.keys.size(); ++i) {
    YamlNode& key = section.keys[i];
    if (key.text != "ranks" && key.text != "nodes") continue;
    if (key.text == "nodes") {
      if (cluster.gpus_per_node == 0)
        fail(key, "nodes: cluster {} does not say how many ranks a node takes; sweep ranks",
             cluster.name);
      as_ranks(section.items[i], cluster.gpus_per_node);
    }
    key.text = "gpus";
  }
}

YamlNode* section_of(YamlNode& root, std::string_view name) {
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i].text == name) return &root.items[i];
  }
  return nullptr;
}

/// ranks, nodes and gpus are one number.
void refuse_two_words(const YamlNode& root) {
  std::string known = root.find("gpus") ? "gpus" : "";
  const auto note_word = [&](const YamlNode& map) {
    for (const auto& key : map.keys) {
      if (key.text != "ranks" && key.text != "nodes" && key.text != "gpus") continue;
      if (!known.empty() && known != key.text)
        fail(key, "{} and {} both say how many ranks there are; give one", known, key.text);
      known = key.text;
    }
  };
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    const std::string& name = root.keys[i].text;
    if (name == "grid" || name == "zip" || name == "fixed") note_word(root.items[i]);
    for (const auto& point : root.items[i].items) {
      if (name == "points") note_word(point);
    }
  }
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Calls `use` for every value of some axes.
template <typename Use>
void for_each_column(Draft& draft, const std::vector<std::string>& names, Use use) {
  for (auto& dimension : draft.axes.dimensions) {
    for (std::size_t column = 0; column < dimension.names.size(); ++column) {
      if (!contains(names, dimension.names[column])) continue;
      for (auto& row : dimension.rows) use(row[column]);
    }
  }
}

/// Of the points that do not give it, too.
void add_axis(Draft& draft, const std::string& name, const std::string& value) {
  if (draft.axes.has(name)) {
    for_each_column(draft, {name}, [&](std::optional<Value>& cell) {
      if (!cell) cell = value_of(value);
    });
    return;
  }
  draft.axes.dimensions.push_back({{name}, {{value_of(value)}}});
  draft.axes.names.push_back(name);
  draft.axes.places.emplace(name, draft.root);
}

/// Sizes that are none stay as they are, for the probe to refuse.
void write_sizes(Draft& draft) {
  for_each_column(draft, draft.probe->sizes, [](std::optional<Value>& cell) {
    const auto bytes = cell ? bytes_in(cell->text) : std::nullopt;
    if (bytes) cell = value_of(*bytes);
  });
}

/// What of a record's counts the probe takes.
template <typename Record, typename Fields>
Record told_of(const Record& record, const Fields& fields, const Probe& probe) {
  Record told;
  for (const auto& field : fields) {
    if (probe.takes(field.name)) told.*field.count = record.*field.count;
  }
  return told;
}

}  // namespace

void read_ranks(YamlNode& root, const Probe& probe, const Cluster& cluster) {
  if (probe.has_layout()) return;
  refuse_two_words(root);
  for (const char* name : {"grid", "zip", "fixed"}) {
    if (YamlNode* section = section_of(root, name)) read_ranks_of(*section, cluster);
  }
  YamlNode* points = section_of(root, "points");
  for (std::size_t i = 0; points && i < points->items.size(); ++i)
    read_ranks_of(points->items[i], cluster);
}

void complete_axes(Draft& draft) {
  if (!draft.probe) return;
  for (const auto& name : draft.probe->needs) {
    if (!draft.gives(name) && !draft.derives(name))
      fail(draft.root, "probe {} needs {}: an axis of grid, or fixed: {{{}: 4M}}",
           draft.probe->name, name, name);
  }
  for (const auto& [name, value] : draft.probe->defaults) {
    if (!draft.derives(name)) add_axis(draft, name, value);
  }
  write_sizes(draft);
}

void leave_out_what_is_not_told(Point& point, const Probe& probe) {
  if (probe.has_layout()) return;
  const bool by_itself = !probe.takes("hidden") || find_value(point.axes, "m");
  const Count ranks = point.layout.gpus;
  point.layout = by_itself ? Layout() : told_of(point.layout, kLayoutFields, probe);
  point.layout.gpus = ranks;
  Model told = by_itself ? Model() : told_of(point.model, kModelFields, probe);
  if (!by_itself) {
    told.size = point.model.size;
    told.style = point.model.style;
  }
  point.model = std::move(told);
}

std::string name_of_measured(const Point& point, const Probe& probe,
                             const std::vector<std::string>& varying) {
  std::string name = probe.name;
  if (point.model.hidden) {
    Point shape = point;
    shape.axes.clear();
    name += "-" + point_name(shape);
  }
  for (const auto& [axis, value] : point.axes) {
    if (!contains(probe.named, axis) && !contains(varying, axis)) continue;
    const Count bytes =
        contains(probe.sizes, axis) && value.number ? whole_number(*value.number) : std::nullopt;
    if (bytes) {
      name += "-" + bytes_text(*bytes);
    } else {
      name += "-" + (value.number ? axis : "") + value.text;
    }
  }
  const std::int64_t ranks = point.layout.gpus.value_or(1);
  return name + fmt::format("-{}rank{}", ranks, ranks == 1 ? "" : "s");
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::string_view kLetters = "KMG";
  std::size_t units = 0;
  for (; units < kLetters.size() && bytes > 0 && bytes % kUnit == 0; ++units) bytes /= kUnit;
  return std::to_string(bytes) + std::string(kLetters.substr(units > 0 ? units - 1 : 0, units > 0));
}

}  // namespace pippin
