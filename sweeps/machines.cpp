// SPDX-License-Identifier: Apache-2.0
#include "sweeps/machines.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/accelerators.h"
#include "sweeps/embedded.h"
#include "sweeps/yaml.h"

namespace pippin {

namespace {

/// What connects nodes, and where.
struct Network {
  double node_gb_per_s = 0;
  std::int64_t joined = 0, node_gpus = 0;  ///< 0: those of a node alone
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
    expect_map(one, "a machine",
               {"source", "node_gb_per_s", "node_gpus", "joined", "groups", "gpus"});
    const auto count = [&](const char* key) {
      const YamlNode* node = one.find(key);
      return node ? whole_number_at(*node, key, 1, kLargestCount) : 0;
    };
    all.push_back({positive_number_at(*one.find("node_gb_per_s"), "node_gb_per_s"), count("joined"),
                   count("node_gpus"), texts_at(one, "groups"), texts_at(one, "gpus")});
  }
  return all;
}

const std::vector<Network>& networks() {
  static const std::vector<Network> all = read_networks();
  return all;
}

/// Null where none of them names it.
const Network* network_naming(std::vector<std::string> Network::*names, const std::string& name) {
  for (const Network& one : networks())
    if (std::find((one.*names).begin(), (one.*names).end(), name) != (one.*names).end())
      return &one;
  return nullptr;
}

/// What usual nodes with such GPUs have; null where it is not known.
const Network* network_of(const Accelerator& accelerator) {
  const Network* best = nullptr;
  for (const std::string& name : accelerator.called) {
    const Network* one = network_naming(&Network::gpus, name);
    if (one && (!best || one->node_gb_per_s > best->node_gb_per_s)) best = one;
  }
  return best;
}

/// By the row's group before its GPU as it is written there, and before what that is.
const Network* network_of(const PointRow& row, const Accelerator& accelerator) {
  if (const Network* of_group = network_naming(&Network::groups, row.text("group")))
    return of_group;
  const Network* of_gpu = network_naming(&Network::gpus, row.text("gpu"));
  return of_gpu ? of_gpu : network_of(accelerator);
}

/// What is told of the adapters goes before what usual nodes have.
void add_network(const Network* network, std::optional<double> node_gb_per_s, Machine& machine) {
  if (network) {
    machine.node_gb_per_s = network->node_gb_per_s;
    machine.joined = network->joined;
    machine.node_gpus = network->node_gpus;
  }
  if (!node_gb_per_s) return;
  machine.node_gb_per_s = *node_gb_per_s;
  machine.node_gpus = 0;
}

/// 0: not known.
double tflops_of(const PeakTflops& all, const std::string& type) {
  for (const auto& [name, tflops] : all)
    if (name == type) return tflops;
  return 0;
}

/// Of fp16 and bf16.
double tflops_16(const PeakTflops& all) {
  return std::max(tflops_of(all, "fp16"), tflops_of(all, "bf16"));
}

}  // namespace

namespace {

/// Without what is between nodes; 0 where a figure is not known.
Machine inside(const Accelerator& accelerator) {
  Machine machine;
  machine.peak_tflops_16 = tflops_16(accelerator.peak_tflops);
  machine.peak_tflops = machine.peak_tflops_16;
  machine.best_tflops = tflops_16(accelerator.best_tflops);
  machine.memory_gb_per_s = accelerator.bandwidth_gb_per_s.value_or(0);
  machine.link_gb_per_s = accelerator.link_gb_per_s.value_or(0);
  machine.units = accelerator.units.value_or(machine.units);
  return machine;
}

bool is_known(const Machine& machine) {
  return machine.peak_tflops > 0 && machine.memory_gb_per_s > 0 && machine.link_gb_per_s > 0;
}

}  // namespace

std::optional<Machine> machine_of_row(const PointRow& row) {
  const auto accelerator =
      accelerator_in_table(row.text("gpu"), row.number("gpu_mem_gb").value_or(0));
  if (!accelerator) return std::nullopt;
  Machine machine = inside(*accelerator);
  if (lower(row.text("precision")).find("fp8") != std::string::npos) {
    machine.peak_tflops = tflops_of(accelerator->peak_tflops, "fp8");
    machine.best_tflops = tflops_of(accelerator->best_tflops, "fp8");
  }
  add_network(network_of(row, *accelerator), row.number("node_gb_per_s"), machine);
  if (!is_known(machine) || machine.node_gb_per_s <= 0) return std::nullopt;
  return machine;
}

Machine machine_of(const Accelerator& accelerator, std::optional<double> node_gb_per_s) {
  Machine machine = inside(accelerator);
  if (!is_known(machine))
    bad_input(
        "accelerator {}: its peak in 16 bits, its memory's bandwidth or its links are not known",
        accelerator.name);
  add_network(network_of(accelerator), node_gb_per_s, machine);
  if (machine.node_gb_per_s <= 0)
    bad_input("accelerator {}: what links nodes with it is not known; say --node-gb-per-s",
              accelerator.name);
  return machine;
}

Rates usual_rates_of(const Accelerator& accelerator) { return usual_rates_of(inside(accelerator)); }

Generation generation_of(const Accelerator& accelerator) {
  constexpr double kVolta = 7, kAmpere = 8, kHopper = 9, kBlackwell = 10;
  const double capability = accelerator.compute_capability.value_or(0);
  if (capability >= kBlackwell) return Generation::kBlackwell;
  if (capability >= kHopper) return Generation::kHopper;
  if (capability >= kAmpere) return Generation::kAmpere;
  return capability >= kVolta ? Generation::kVolta : Generation::kOther;
}

}  // namespace pippin
