// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/deepspeed_settings.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

void set_axis(LaunchFacts& facts, const std::string& name, const Value& value) {
  if (!find_value(facts.axes, name)) facts.axes.emplace_back(name, value);
}

std::optional<std::string_view> setting_in(std::string_view line, std::string_view name) {
  const auto at = find_key(line, name);
  if (at == std::string_view::npos) return std::nullopt;
  auto before = line.substr(0, at), said = line.substr(at + name.size());
  const bool is_json = before.ends_with('"') && said.starts_with("\": ");
  if (is_json) {
    before.remove_suffix(1);
    said.remove_prefix(3);
  } else if (!before.ends_with(":print]   ")) {
    return std::nullopt;
  }
  if (!is_prefix(before)) return std::nullopt;
  said.remove_prefix(std::min(said.find_first_not_of(". "), said.size()));
  said = trim(said);
  if (said.ends_with(',')) said.remove_suffix(1);
  return said;
}

Count count_set(std::string_view line, std::string_view name) {
  const auto said = setting_in(line, name);
  const auto figure = said ? figure_at(*said) : std::nullopt;
  return figure && figure->size == said->size() && figure->value > 0 ? count_of(figure)
                                                                     : std::nullopt;
}

void read_count(std::string_view line, std::string_view name, Count& count) {
  if (const Count set = count_set(line, name)) count = set;
}

/// The last rank of a topology has the largest coordinates.
void read_topology(std::string_view line, Layout& layout) {
  const auto at = line.rfind("ProcessCoord(");
  if (at == std::string_view::npos || line.find(')', at) == std::string_view::npos) return;
  const auto last = line.substr(at);
  const auto read = [&](std::string_view key, Count& count) {
    if (const Count place = count_after(last, key)) count = *place + 1;
  };
  layout.tp = 1;
  read("pipe=", layout.pp);
  read("data=", layout.dp);
  read("model=", layout.tp);
}

void read_ranks(std::string_view line, Layout& layout) {
  constexpr std::string_view kRanks = "dist_world_size=";
  const auto at = line.find(kRanks);
  if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
  if (const Count ranks = count_after(line, kRanks)) layout.gpus = ranks;
}

void read_precision(std::string_view line, LaunchFacts& facts) {
  const auto read = [&](std::string_view key, const char* name) {
    if (setting_in(line, key) == "True") set_axis(facts, "precision", value_of(std::string(name)));
  };
  read("fp16_enabled", "fp16");
  read("bfloat16_enabled", "bf16");
}

}  // namespace

void read_deepspeed_settings(std::string_view line, LaunchFacts& facts) {
  Layout& layout = facts.layout;
  read_count(line, "train_batch_size", layout.gbs);
  read_count(line, "train_micro_batch_size_per_gpu", layout.mbs);
  read_count(line, "gradient_accumulation_steps", layout.gas);
  read_count(line, "world_size", layout.dp);  // of the ranks with data of their own
  if (const auto stage = setting_in(line, "zero_optimization_stage"))
    set_axis(facts, "zero_stage", value_of(printable(*stage)));
  read_precision(line, facts);
  read_topology(line, layout);
  read_ranks(line, layout);
}

}  // namespace pippin
