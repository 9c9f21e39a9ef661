// SPDX-License-Identifier: Apache-2.0
#include "sweeps/accelerators.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
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

/// Runs of letters and digits, in small letters: "v100", "sxm2", "16gb".
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (char c : lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// "80gb" and "80g" → 80.
std::optional<std::int64_t> memory_in(std::string_view word) {
  if (word.ends_with('b')) word.remove_suffix(1);
  if (!word.ends_with('g')) return std::nullopt;
  return parse_integer(word.substr(0, word.size() - 1));
}

/// Whether a word of somebody's can be said of the device "a100-sxm4-80g".
bool may_say(const std::string& word, const std::string& form, const std::string& memory) {
  constexpr std::int64_t kMostOfPart = 7;  // NVIDIA's MIG: 1g to 7g are parts of a GPU
  if (word == "pcie" || word == "nvl" || word == "mig") return false;
  if (word.starts_with("sxm")) return word == "sxm" || form == "sxm" || word == form;
  const auto said = memory_in(word);
  return !said || (*said > kMostOfPart && said == memory_in(memory));
}

bool may_mean(const std::vector<std::string>& said, const std::string& name) {
  const auto parts = split(name, '-');
  constexpr std::size_t kParts = 3;
  if (parts.size() != kParts) return false;
  const bool is_chip = std::find(said.begin(), said.end(), parts[0]) != said.end();
  return is_chip && std::all_of(said.begin(), said.end(), [&](const std::string& word) {
           return may_say(word, std::string(parts[1]), std::string(parts[2]));
         });
}

}  // namespace

namespace {

PeakTflops tflops_at(const YamlNode& node, const char* key, const char* what) {
  PeakTflops tflops;
  const YamlNode* types = node.find(key);
  if (!types) return tflops;
  expect_map(*types, key);
  for (std::size_t i = 0; i < types->keys.size(); ++i) {
    const std::string& type = types->keys[i].text;
    tflops.emplace_back(type,
                        positive_number_at(types->items[i], fmt::format("{} of {}", what, type)));
  }
  return tflops;
}

}  // namespace

Accelerator read_accelerator(const std::string& name, const YamlNode& node) {
  expect_map(node, "an accelerator",
             {"name", "source", "memory_gib", "bandwidth_gb_per_s", "compute_capability",
              "peak_tflops", "best_tflops", "link_gb_per_s", "units", "called"});
  Accelerator accelerator;
  accelerator.name = name;
  if (const auto* memory = node.find("memory_gib")) {
    accelerator.memory_gib = positive_number_at(*memory, "memory_gib");
  }
  if (const auto* bandwidth = node.find("bandwidth_gb_per_s")) {
    accelerator.bandwidth_gb_per_s = positive_number_at(*bandwidth, "bandwidth_gb_per_s");
  }
  if (const auto* capability = node.find("compute_capability")) {
    accelerator.compute_capability = positive_number_at(*capability, "compute_capability");
  }
  if (const auto* link = node.find("link_gb_per_s"))
    accelerator.link_gb_per_s = positive_number_at(*link, "link_gb_per_s");
  constexpr std::int64_t kMostUnits = 1'000'000;
  if (const auto* units = node.find("units"))
    accelerator.units = whole_number_at(*units, "units", 1, kMostUnits);
  if (const auto* called = node.find("called"))
    for (const auto& word : called->items) accelerator.called.push_back(word.text);
  accelerator.peak_tflops = tflops_at(node, "peak_tflops", "the peak");
  accelerator.best_tflops = tflops_at(node, "best_tflops", "the best");
  return accelerator;
}

std::optional<Accelerator> find_accelerator(std::string_view name) {
  for (const auto& accelerator : accelerators()) {
    if (accelerator.name == lower(name)) return accelerator;
  }
  return std::nullopt;
}

namespace {

/// In a published table.
bool is_called(const Accelerator& accelerator, const std::string& name) {
  const auto& called = accelerator.called;
  return accelerator.name == lower(name) ||
         std::find(called.begin(), called.end(), name) != called.end();
}

}  // namespace

std::optional<Accelerator> accelerator_in_table(const std::string& name, double memory_gb) {
  std::optional<Accelerator> found;
  for (const auto& one : accelerators()) {
    if (!is_called(one, name)) continue;
    if (!found || one.memory_gib == memory_gb) found = one;
  }
  return found;
}

std::optional<double> memory_in_table(const std::string& name) {
  std::optional<double> memory;
  for (const auto& one : accelerators()) {
    if (!is_called(one, name)) continue;
    if (memory && one.memory_gib != memory) return std::nullopt;
    memory = one.memory_gib;
  }
  return memory;
}

std::vector<std::string> accelerator_names() {
  std::vector<std::string> names;
  for (const auto& accelerator : accelerators()) names.push_back(accelerator.name);
  return names;
}

std::vector<std::string> accelerators_called(std::string_view words) {
  const auto said = words_of(words);
  std::vector<std::string> names;
  for (const auto& name : accelerator_names()) {
    if (may_mean(said, name)) names.push_back(name);
  }
  return names;
}

Accelerator accelerator_named(const YamlNode& node) {
  const std::string& name = text_at(node, "accelerator");
  if (auto known = find_accelerator(name)) return *std::move(known);
  const auto called = accelerators_called(name);
  fail(node, "unknown accelerator {}{}", in_quotes(name),
       hint(name, called.empty() ? accelerator_names() : called));
}

bool has_memory(const Accelerator& accelerator, double memory_gib) {
  constexpr double kMostKept = 0.05;  // ECC's share on older drivers included
  const double whole = accelerator.memory_gib.value_or(0);
  return std::abs(memory_gib - whole) <= kMostKept * whole;
}

}  // namespace pippin
