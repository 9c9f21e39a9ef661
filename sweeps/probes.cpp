// SPDX-License-Identifier: Apache-2.0
#include "sweeps/probes.h"

#include <algorithm>

#include "sweeps/embedded.h"
#include "sweeps/yaml.h"

namespace pippin {

namespace {

using Texts = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Texts texts_at(const YamlNode& probe, const char* key) {
  Texts texts;
  if (const YamlNode* list = probe.find(key)) {
    for (const auto& item : list->items) texts.push_back(item.text);
  }
  return texts;
}

Pairs pairs_at(const YamlNode& probe, const char* key) {
  Pairs pairs;
  const YamlNode* map = probe.find(key);
  for (std::size_t i = 0; map && i < map->keys.size(); ++i)
    pairs.emplace_back(map->keys[i].text, map->items[i].text);
  return pairs;
}

Probe read_probe(const std::string& name, const YamlNode& node) {
  expect_map(
      node, "a probe",
      {"launch", "options", "names", "sizes", "defaults", "needs", "given", "without", "named"});
  Probe probe;
  probe.name = name;
  const bool once = node.find("launch")->text == "once";
  probe.launch = once ? Probe::Launch::kOnce : Probe::Launch::kRanks;
  probe.options = texts_at(node, "options");
  probe.given = texts_at(node, "given");
  probe.without = texts_at(node, "without");
  probe.sizes = texts_at(node, "sizes");
  probe.needs = texts_at(node, "needs");
  probe.named = texts_at(node, "named");
  probe.names = pairs_at(node, "names");
  probe.defaults = pairs_at(node, "defaults");
  return probe;
}

std::vector<Probe> read_probes() {
  const YamlNode root = parse_yaml(embedded_text("probes.yaml"), "sweeps/probes.yaml");
  std::vector<Probe> all;
  all.reserve(root.keys.size());
  for (std::size_t i = 0; i < root.keys.size(); ++i)
    all.push_back(read_probe(root.keys[i].text, root.items[i]));
  return all;
}

const std::vector<Probe>& probes() {
  static const std::vector<Probe> all = read_probes();
  return all;
}

}  // namespace

bool Probe::takes(std::string_view axis) const {
  return std::find(options.begin(), options.end(), axis) != options.end();
}

std::string Probe::option_of(const std::string& axis) const {
  for (const auto& [own, option] : names) {
    if (own == axis) return option;
  }
  return axis;
}

std::optional<Probe> find_probe(std::string_view name) {
  for (const auto& probe : probes()) {
    if (probe.name == name) return probe;
  }
  return std::nullopt;
}

std::vector<std::string> probe_names() {
  std::vector<std::string> names;
  for (const auto& probe : probes()) names.push_back(probe.name);
  return names;
}

}  // namespace pippin
