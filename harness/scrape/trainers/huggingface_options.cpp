// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/huggingface_options.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "core/base/units.h"
#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/prefix.h"
#include "harness/scrape/trainers/python_dict.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

void read_trainable(std::int64_t count, LaunchFacts& facts) {
  constexpr const char* kName = "trainable_parameters";
  if (count > 0 && !find_value(facts.axes, kName))
    facts.axes.emplace_back(kName, value_of(static_cast<double>(count)));
}

void read_parallel(std::string_view line, std::string_view key, LaunchFacts& facts) {
  auto said = line.substr(line.find(key) + key.size());
  said.remove_prefix(std::min(said.find_first_not_of("'\"=: "), said.size()));
  const Count size = count_of(figure_at(said));
  if (size && *size > 1) facts.say(key, static_cast<double>(*size));
}

void read_vocabulary(std::string_view line, std::string_view key, LaunchFacts& facts) {
  const auto at = line.find(key);
  if (!facts.model.vocab && is_prefix(line.substr(0, at)))
    facts.model.vocab = count_of(figure_at(line.substr(at + key.size())));
}

void read_shape(std::string_view line, std::string_view key, LaunchFacts& facts) {
  const auto at = line.find(key);
  if (!is_prefix(line.substr(0, at))) return;
  const auto said = line.substr(at + key.size());
  const auto read = [&](Count& count, std::string_view old_name, std::string_view name) {
    const Count old = count_after(said, old_name);
    if (const Count value = old ? old : count_after(said, name)) count = value;
  };
  read(facts.model.hidden, "n_embd=", "hidden_size=");
  read(facts.model.layers, "n_layer=", "num_hidden_layers=");
  read(facts.model.heads, "n_head=", "num_attention_heads=");
  read(facts.model.seq, "n_positions=", "max_position_embeddings=");
  if (said.find("gradient_checkpointing=true") != std::string_view::npos)
    facts.recompute = kFullRecompute;
  facts.say("config_overrides", said);
}

void read_memory(std::string_view line, std::string_view key, TrainerLaunch& launch) {
  const auto brace = line.substr(0, line.find(key)).rfind('{');
  if (brace == std::string_view::npos || !is_prefix(line.substr(0, brace))) return;
  RankMemory& memory = memory_of(launch, rank_in(line.substr(0, brace)).value_or(0));
  for (const auto& [name, value] : entries_in(line.substr(brace + 1))) {
    const auto gib = figure_at(value);
    if (!gib) continue;
    if (name == "memory/max_allocated (GiB)" || name == "memory/max_mem_allocated(gib)")
      raise(memory.max_allocated_mib, gib->value * kMibPerGib);
    if (name == "memory/device_reserved (GiB)" || name == "memory/device_mem_reserved(gib)")
      raise(memory.reserved_mib, gib->value * kMibPerGib);
  }
}

bool says_evaluated(std::string_view line) {
  constexpr std::string_view kBegin = "'eval_", kLoss = "_loss", kTime = "_runtime", kColon = "': ";
  for (auto at = line.find(kBegin); at != std::string_view::npos; at = line.find(kBegin, at + 1)) {
    const auto said = line.substr(at + 1);
    const auto end = said.find('\'');
    const auto name = said.substr(0, end);
    const bool is_key = end != std::string_view::npos && said.substr(end).starts_with(kColon);
    if (is_key && (name.ends_with(kLoss) || name.ends_with(kTime))) return true;
  }
  return false;
}

bool are_own_losses(std::string_view losses) {
  constexpr std::string_view kNext = ", '", kBeside[] = {"grad_norm", "learning_rate", "epoch"};
  constexpr std::size_t kFewLetters = 3;
  const auto at = losses.find(kNext);
  if (at == std::string_view::npos) return false;
  const auto rest = losses.substr(at + kNext.size());
  const auto name = rest.substr(0, rest.find('\''));
  return name.size() >= kFewLetters &&
         std::any_of(std::begin(kBeside), std::end(kBeside),
                     [&](std::string_view own) { return own.starts_with(name); });
}

}  // namespace pippin
