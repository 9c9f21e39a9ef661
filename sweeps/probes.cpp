#include "sweeps/probes.h"

#include "sweeps/embedded.h"
#include "sweeps/yaml.h"

namespace pippin {

namespace {

std::vector<Probe> read_probes() {
  const YamlNode root = parse_yaml(embedded_text("probes.yaml"), "sweeps/probes.yaml");
  std::vector<Probe> all;
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    expect_map(root.items[i], "a probe", {"launch", "options"});
    Probe probe;
    probe.name = root.keys[i].text;
    const bool once = root.items[i].find("launch")->text == "once";
    probe.launch = once ? Probe::Launch::kOnce : Probe::Launch::kRanks;
    for (const auto& option : root.items[i].find("options")->items) {
      probe.options.push_back(option.text);
    }
    all.push_back(std::move(probe));
  }
  return all;
}

const std::vector<Probe>& probes() {
  static const std::vector<Probe> all = read_probes();
  return all;
}

}  // namespace

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
