// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/bridge.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

constexpr std::string_view kSettings[] = {
    "context_parallel_size",
    "ffn_hidden_size",
    "global_batch_size",
    "hidden_size",
    "kv_channels",
    "kv_lora_rank",
    "micro_batch_size",
    "moe_ffn_hidden_size",
    "moe_layer_freq",
    "moe_router_topk",
    "moe_shared_expert_intermediate_size",
    "mtp_num_layers",
    "num_attention_heads",
    "num_layers",
    "num_query_groups",
    "pipeline_model_parallel_size",
    "q_lora_rank",
    "qk_head_dim",
    "qk_pos_emb_head_dim",
    "seq_length",
    "tensor_model_parallel_size",
    "v_head_dim",
    "vocab_size",
};

/// Of words.
constexpr std::string_view kWords[] = {"normalization", "position_embedding_type"};
/// Of any text.
constexpr std::string_view kPatterns[] = {"hybrid_layer_pattern", "hybrid_override_pattern"};

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Settings of other names than Megatron's argument, and of yes or no. Source: Megatron-LM,
/// megatron/core/transformer/transformer_config.py.
struct Renamed {
  std::string_view setting, argument, on_true, on_false;
};
constexpr Renamed kRenamed[] = {
    {"gated_linear_unit", "swiglu", "True", "False"},
    {"share_embeddings_and_output_weights", "untie_embeddings_and_output_weights", "False", "True"},
    {"num_moe_experts", "num_experts", "", ""},
    {"multi_latent_attention", "multi_latent_attention", "True", "False"},
    {"add_bias_linear", "add_bias_linear", "True", "False"},
    {"qk_layernorm", "qk_layernorm", "True", "False"},
    {"is_hybrid_model", "is_hybrid_model", "True", "False"},
};

/// Of a job's name, and what Megatron calls it. Source: NVIDIA's dgxc-benchmarking, 2025.
constexpr std::pair<std::string_view, std::string_view> kParts[] = {
    {"_gpus", "world_size"},
    {"_tp", "tensor_model_parallel_size"},
    {"_pp", "pipeline_model_parallel_size"},
    {"_cp", "context_parallel_size"},
    {"_mbs", "micro_batch_size"},
    {"_gbs", "global_batch_size"},
};

std::string_view digits_at(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace

std::optional<std::pair<std::string, Value>> bridge_setting_in(std::string_view line) {
  // A list of layers stands on the lines below.
  const std::string_view end = line.ends_with(':') ? ":" : ": ";
  const auto colon = line.rfind(end);
  if (colon == std::string_view::npos) return std::nullopt;
  auto begin = colon;
  while (begin > 0 && is_word(line[begin - 1])) --begin;
  if (!is_prefix(line.substr(0, begin))) return std::nullopt;
  auto name = line.substr(begin, colon - begin), value = trim(line.substr(colon + end.size()));
  const auto said = [&](std::string_view text) {
    return std::optional(std::pair(std::string(name), value_of(std::string(text))));
  };
  if (name == "moe_layer_freq" && digits_at(value).empty())
    return said(value.empty() ? "listed" : value);
  if (is_among(name, kPatterns))
    return value.empty() || value == "null" ? std::nullopt : said(value);
  if (is_among(name, kWords)) {
    const bool is_one = !value.empty() && std::all_of(value.begin(), value.end(), is_word);
    return is_one ? said(value) : std::nullopt;
  }
  const auto renamed = std::find_if(std::begin(kRenamed), std::end(kRenamed),
                                    [&](const Renamed& one) { return one.setting == name; });
  if (renamed != std::end(kRenamed)) {
    name = renamed->argument;
    if (value == "true" || value == "false")
      value = value == "true" ? renamed->on_true : renamed->on_false;
    if (value == "True" || value == "False") return said(value);
  } else if (!is_among(name, kSettings)) {
    return std::nullopt;
  }
  if (value.empty() || digits_at(value).size() != value.size()) return std::nullopt;
  return said(value);
}

NamedValues bridge_job_in(std::string_view line) {
  NamedValues found;
  for (auto at = line.find(kParts[0].first); at != std::string_view::npos;
       at = line.find(kParts[0].first, at + 1)) {
    found.clear();
    std::string_view rest = line.substr(at);
    for (const auto& [part, name] : kParts) {
      const auto begin = rest.find(part);
      const auto digits =
          begin == std::string_view::npos ? "" : digits_at(rest.substr(begin + part.size()));
      if (digits.empty()) break;
      found.emplace_back(std::string(name), value_of(std::string(digits)));
    }
    if (found.size() == std::size(kParts)) return found;
  }
  return {};
}

}  // namespace pippin
