#include "sweeps/accelerators.h"

#include "harness/base/text.h"
#include "sweeps/embedded.h"

namespace pippin {

namespace {

std::vector<Accelerator> read_accelerators() {
  const YamlNode root = parse_yaml(embedded_text("accelerators.yaml"), "sweeps/accelerators.yaml");
  std::vector<Accelerator> all;
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    all.push_back(read_accelerator(root.keys[i].text, root.items[i]));
  }
  return all;
}

const std::vector<Accelerator>& accelerators() {
  static const std::vector<Accelerator> all = read_accelerators();
  return all;
}

}  // namespace

Accelerator read_accelerator(const std::string& name, const YamlNode& node) {
  expect_map(node, "an accelerator",
             {"name", "source", "memory_gib", "bandwidth_gb_per_s", "peak_tflops"});
  Accelerator accelerator;
  accelerator.name = name;
  if (const auto* memory = node.find("memory_gib")) {
    accelerator.memory_gib = positive_number_at(*memory, "memory_gib");
  }
  if (const auto* bandwidth = node.find("bandwidth_gb_per_s")) {
    accelerator.bandwidth_gb_per_s = positive_number_at(*bandwidth, "bandwidth_gb_per_s");
  }
  if (const auto* peaks = node.find("peak_tflops")) {
    expect_map(*peaks, "peak_tflops");
    for (std::size_t i = 0; i < peaks->keys.size(); ++i) {
      const std::string& type = peaks->keys[i].text;
      accelerator.peak_tflops.emplace_back(
          type, positive_number_at(peaks->items[i], "the peak of " + type));
    }
  }
  return accelerator;
}

std::optional<Accelerator> find_accelerator(std::string_view name) {
  for (const auto& accelerator : accelerators()) {
    if (accelerator.name == lower(name)) return accelerator;
  }
  return std::nullopt;
}

std::vector<std::string> accelerator_names() {
  std::vector<std::string> names;
  for (const auto& accelerator : accelerators()) names.push_back(accelerator.name);
  return names;
}

}  // namespace pippin
