// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/nemo_settings.h"

#include <algorithm>

#include "core/base/text.h"
#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

constexpr CountName kSettings[] = {
    {"tensor_model_parallel_size", [](LaunchFacts& facts) -> Count& { return facts.layout.tp; }},
    {"pipeline_model_parallel_size", [](LaunchFacts& facts) -> Count& { return facts.layout.pp; }},
    {"context_parallel_size", [](LaunchFacts& facts) -> Count& { return facts.layout.cp; }},
    {"num_layers", [](LaunchFacts& facts) -> Count& { return facts.model.layers; }},
    {"hidden_size", [](LaunchFacts& facts) -> Count& { return facts.model.hidden; }},
    {"ffn_hidden_size", [](LaunchFacts& facts) -> Count& { return facts.model.ffn; }},
    {"num_attention_heads", [](LaunchFacts& facts) -> Count& { return facts.model.heads; }},
    {"num_query_groups", [](LaunchFacts& facts) -> Count& { return facts.model.kv_heads; }},
    {"seq_length", [](LaunchFacts& facts) -> Count& { return facts.model.seq; }},
};

}  // namespace

void read_nemo_setting(std::string_view line, LaunchFacts& facts) {
  const auto equals = line.find('=');
  const auto value = line.substr(std::min(equals + 1, line.size()));
  const auto figure = figure_at(value);
  const Count count = count_of(figure);
  if (!count || *count < 1) return;
  const auto rest = trim(value.substr(figure->size));
  if (rest != "," && rest != ")") return;
  const auto begin = line.find_last_of(" \t(", equals) + 1;
  Count* known = count_called(kSettings, line.substr(begin, equals - begin), facts);
  auto before = line.substr(0, begin);
  if (before.ends_with('(')) before = before.substr(0, before.find_last_of(" \t") + 1);
  if (known && !*known && is_prefix(before)) *known = count;
}

}  // namespace pippin
