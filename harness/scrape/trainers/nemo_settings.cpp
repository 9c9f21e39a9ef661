#include "harness/scrape/trainers/nemo_settings.h"

#include <algorithm>

#include "core/base/text.h"
#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

struct CountName {
  std::string_view name;
  Count& (*of)(LaunchFacts&);
};

constexpr CountName kSettings[] = {
    {"tensor_model_parallel_size=", [](LaunchFacts& facts) -> Count& { return facts.layout.tp; }},
    {"pipeline_model_parallel_size=", [](LaunchFacts& facts) -> Count& { return facts.layout.pp; }},
    {"context_parallel_size=", [](LaunchFacts& facts) -> Count& { return facts.layout.cp; }},
    {"num_layers=", [](LaunchFacts& facts) -> Count& { return facts.model.layers; }},
    {"hidden_size=", [](LaunchFacts& facts) -> Count& { return facts.model.hidden; }},
    {"ffn_hidden_size=", [](LaunchFacts& facts) -> Count& { return facts.model.ffn; }},
    {"num_attention_heads=", [](LaunchFacts& facts) -> Count& { return facts.model.heads; }},
    {"num_query_groups=", [](LaunchFacts& facts) -> Count& { return facts.model.kv_heads; }},
    {"seq_length=", [](LaunchFacts& facts) -> Count& { return facts.model.seq; }},
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
  for (const auto& [name, of] : kSettings) {
    const auto at = find_key(line, name);
    if (at == std::string_view::npos || at + name.size() != equals + 1) continue;
    auto before = line.substr(0, at);
    if (before.ends_with('(')) before = before.substr(0, before.find_last_of(" \t") + 1);
    if (is_prefix(before) && !of(facts)) of(facts) = count;
  }
}

}  // namespace pippin
