// SPDX-License-Identifier: Apache-2.0
#include "sweeps/probe_checks.h"

#include <algorithm>

namespace pippin {

namespace {

/// A value of a file, where it stands.
struct Given {
  std::string name;
  Value value;
  const YamlNode* place;
};

void add_values(const YamlNode& key, const YamlNode& node, std::vector<Given>& given) {
  if (node.kind == YamlNode::Kind::kText) {
    given.push_back({key.text, read_axis_value(key.text, node), &node});
    return;
  }
  for (const auto& item : node.items)
    given.push_back({key.text, read_axis_value(key.text, item), &item});
}

void add_map(const YamlNode* map, std::vector<Given>& given) {
  for (std::size_t i = 0; map && i < map->keys.size(); ++i)
    add_values(map->keys[i], map->items[i], given);
}

/// Requires a file whose axes and model have been read.
std::vector<Given> values_of(const YamlNode& root) {
  std::vector<Given> given;
  for (const char* section : {"grid", "zip", "fixed"}) add_map(root.find(section), given);
  if (const YamlNode* points = root.find("points")) {
    for (const auto& point : points->items) add_map(&point, given);
  }
  const YamlNode* model = root.find("model");
  if (model && model->kind == YamlNode::Kind::kMap) add_map(model, given);
  return given;
}

/// Every device that a point may name; those that are none are for the probe to refuse.
std::vector<std::string> devices_of(const std::vector<Given>& given) {
  std::vector<std::string> devices;
  for (const auto& each : given) {
    if (each.name == "device" && (each.value.text == "cpu" || each.value.text == "cuda"))
      devices.push_back(each.value.text);
  }
  if (devices.empty()) devices.emplace_back("cpu");
  return devices;
}

}  // namespace

void check_probe_values(const Draft& draft, const Sweep& sweep, ProbeAnswers& answers) {
  if (!draft.probe) return;
  const auto given = values_of(draft.root);
  std::vector<const ProbeAbilities*> programs;
  for (const auto& device : devices_of(given)) {
    const ProbeAbilities* program = answers.on(device);
    if (!program) return;  // what it takes is not known
    programs.push_back(program);
  }
  for (const auto& each : given) {
    const bool is_taken = std::any_of(programs.begin(), programs.end(), [&](const auto* program) {
      return why_refused(*program, each.name, each.value).empty();
    });
    if (!is_taken) fail(*each.place, "{}", why_refused(*programs.front(), each.name, each.value));
    if (each.name != "device" || each.value.text != "cuda") continue;
    const std::string why = why_too_old(*answers.on("cuda"), sweep.cluster);
    if (!why.empty()) fail(*each.place, "{}", why);
  }
}

}  // namespace pippin
