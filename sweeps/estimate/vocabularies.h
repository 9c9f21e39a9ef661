// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace pippin {

/// The tokens of a launch that does not say how many there are.
struct Vocabulary {
  std::int64_t tokens = 0;
  std::string_view whose;  ///< "GPT-2"; empty: not known, and GPT-2's stand for them
};

/// By --tokenizer-type and --tokenizer-model, a name or path such as "Qwen/Qwen3-30B-A3B". Without
/// both GPT-2's. Source: Megatron-LM, core/tokenizers; len() of the published tokenizers.
Vocabulary vocabulary_of(std::string_view type, std::string_view model);

}  // namespace pippin
