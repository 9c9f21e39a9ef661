#include "sweeps/machines.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "sweeps/accelerators.h"
#include "sweeps/embedded.h"
#include "sweeps/yaml.h"

namespace pippin {

namespace {

/// What connects nodes, and where.
struct Network {
  double node_gb_per_s = 0;
  std::vector<std::string> groups, gpus;
};

std::vector<std::string> texts_at(const YamlNode& node, const char* key) {
  std::vector<std::string> texts;
  if (const auto* list = node.find(key))
    for (const auto& item : list->items) texts.push_back(item.text);
  return texts;
}

std::vector<Network> read_networks() {
  const YamlNode root = parse_yaml(embedded_text("machines.yaml"), "sweeps/machines.yaml");
  std::vector<Network> all;
  for (const YamlNode& one : root.items) {
    expect_map(one, "a machine", {"source", "node_gb_per_s", "groups", "gpus"});
    all.push_back({positive_number_at(*one.find("node_gb_per_s"), "node_gb_per_s"),
                   texts_at(one, "groups"), texts_at(one, "gpus")});
  }
  return all;
}

/// By the row's group before its GPU; 0 where neither is known.
double network_of(const PointRow& row) {
  static const std::vector<Network> all = read_networks();
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Network& one : all)
    if (has(one.groups, row.text("group"))) return one.node_gb_per_s;
  for (const Network& one : all)
    if (has(one.gpus, row.text("gpu"))) return one.node_gb_per_s;
  return 0;
}

double peak_of(const Accelerator& accelerator, const std::string& type) {
  for (const auto& [name, tflops] : accelerator.peak_tflops)
    if (name == type) return tflops;
  return 0;
}

}  // namespace

std::optional<Machine> machine_of_row(const PointRow& row) {
  const auto accelerator =
      accelerator_in_table(row.text("gpu"), row.number("gpu_mem_gb").value_or(0));
  if (!accelerator || !accelerator->bandwidth_gb_per_s || !accelerator->link_gb_per_s)
    return std::nullopt;
  Machine machine;
  machine.peak_tflops_16 = std::max(peak_of(*accelerator, "fp16"), peak_of(*accelerator, "bf16"));
  const bool narrow = lower(row.text("precision")).find("fp8") != std::string::npos;
  machine.peak_tflops = narrow ? peak_of(*accelerator, "fp8") : machine.peak_tflops_16;
  machine.memory_gb_per_s = *accelerator->bandwidth_gb_per_s;
  machine.link_gb_per_s = *accelerator->link_gb_per_s;
  machine.units = accelerator->units.value_or(machine.units);
  machine.node_gb_per_s = row.number("node_gb_per_s").value_or(network_of(row));
  if (machine.peak_tflops <= 0 || machine.node_gb_per_s <= 0) return std::nullopt;
  return machine;
}

}  // namespace pippin
