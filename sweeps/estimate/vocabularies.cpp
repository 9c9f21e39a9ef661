// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/vocabularies.h"

#include <string>

#include "core/base/text.h"

namespace pippin {

namespace {

constexpr Vocabulary kGpt2{50257, "GPT-2"}, kNeox{50277, "GPT-NeoX"}, kLlama2{32000, "Llama 2"},
    kLlama3{128256, "Llama 3"}, kMixtral{32000, "Mixtral"}, kQwen2{151646, "Qwen 2"},
    kQwen25{151665, "Qwen 2.5"}, kQwen3{151669, "Qwen 3"}, kDeepSeek2{100002, "DeepSeek-V2"},
    kDeepSeek3{128815, "DeepSeek-V3"}, kKimi{163840, "Kimi K2"}, kTik{131072, "TikTokenizer"};

/// What names have in them; the first one counts.
constexpr struct {
  std::string_view part;
  Vocabulary vocabulary;
} kModels[] = {{"distill-qwen", kQwen25},   {"distill-llama", kLlama3},
               {"deepseek-v3", kDeepSeek3}, {"deepseek-v3.1", kDeepSeek3},
               {"deepseek-r1", kDeepSeek3}, {"deepseek-v2", kDeepSeek2},
               {"kimi-k2", kKimi},          {"qwen3", kQwen3},
               {"qwen2.5", kQwen25},        {"qwen2", kQwen2},
               {"qwen1.5", kQwen2},         {"llama3", kLlama3},
               {"llama2", kLlama2},         {"deepseekv2", kDeepSeek2},
               {"llama-3", kLlama3},        {"llama-3.1", kLlama3},
               {"llama-3.2", kLlama3},      {"llama-3.3", kLlama3},
               {"llama-2", kLlama2},        {"mixtral-8x7b", kMixtral},
               {"gpt-neox-20b", kNeox},     {"gpt2", kGpt2}};

/// "qwen3" is in "Qwen3-8B", and not in "Qwen3.5-27B".
bool has(std::string_view name, std::string_view part) {
  for (auto at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) {
    const std::string_view behind = name.substr(at + part.size());
    if (behind.empty() || std::string_view(".0123456789").find(behind[0]) == std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace

Vocabulary vocabulary_of(std::string_view type, std::string_view model) {
  const bool is_none = type.empty() && model.empty();
  if (is_none || type == "GPT2BPETokenizer" || type == "NullTokenizer") return kGpt2;
  if (type == "Llama3Tokenizer") return kLlama3;
  if (type == "TikTokenizer") return kTik;
  const std::string name = lower(model);
  for (const auto& [part, vocabulary] : kModels)
    if (has(name, part)) return vocabulary;
  // It reads whichever SentencePiece file it is given; Llama's own is called so.
  const bool is_own =
      name.empty() || name == "tokenizer.model" || name.ends_with("/tokenizer.model");
  if (type == "Llama2Tokenizer" && is_own) return kLlama2;
  return {kGpt2.tokens, {}};
}

}  // namespace pippin
