// SPDX-License-Identifier: Apache-2.0
// The vocabulary of a launch that does not say how large it is.
#include "sweeps/estimate/vocabularies.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

constexpr const char* kLaunch =
    "--num-layers 2 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --bf16 "
    "--max-position-embeddings 512 --micro-batch-size 1 --global-batch-size 8 ";

std::int64_t tokens_of(std::string_view model) {
  const Vocabulary found = vocabulary_of("HuggingFaceTokenizer", model);
  return found.whose.empty() ? 0 : found.tokens;
}

}  // namespace

TEST_CASE("the tokenizers of well-known models say their vocabularies") {
  CHECK(tokens_of("deepseek-ai/DeepSeek-V3") == 128815);
  CHECK(tokens_of("unsloth/DeepSeek-V3") == 128815);
  CHECK(tokens_of("deepseek-ai/DeepSeek-V2-Lite") == 100002);
  CHECK(tokens_of("deepseek-ai/DeepSeek-R1-Distill-Llama-70B") == 128256);
  CHECK(tokens_of("deepseek-ai/DeepSeek-R1") == 128815);
  CHECK(tokens_of("Qwen/Qwen3-235B-A22B") == 151669);
  CHECK(tokens_of("/models/Qwen2.5-7B-Instruct/") == 151665);
  CHECK(tokens_of("Qwen/Qwen2-57B-A14B") == 151646);
  CHECK(tokens_of("meta-llama/Meta-Llama-3-8B") == 128256);
  CHECK(tokens_of("meta-llama/Llama-3.1-70B-Instruct") == 128256);
  CHECK(tokens_of("moonshotai/Kimi-K2-Instruct") == 163840);
  CHECK(tokens_of("mistralai/Mixtral-8x7B-v0.1") == 32000);
  // Others of such names have other ones.
  CHECK(tokens_of("Qwen/Qwen3.5-27B") == 0);
  CHECK(tokens_of("meta-llama/Llama-30") == 0);
  CHECK(tokens_of("/data/tokenizer") == 0);
  CHECK(tokens_of("") == 0);
  CHECK(tokens_of("LLama3Tokenizer") == 128256);  // Pai-Megatron-Patch's kinds
}

TEST_CASE("kinds of tokenizers say theirs without a model") {
  CHECK(vocabulary_of("", "").tokens == 50257);
  CHECK(vocabulary_of("GPT2BPETokenizer", "").whose == "GPT-2");
  CHECK(vocabulary_of("Llama2Tokenizer", "/data/tokenizer.model").tokens == 32000);
  CHECK(vocabulary_of("Llama2Tokenizer", "").tokens == 32000);
  CHECK(vocabulary_of("Llama2Tokenizer", "llm-jp-tokenizer-100k.ver3.0b1.model").whose.empty());
  CHECK(vocabulary_of("TikTokenizer", "/data/vocab.json").tokens == 131072);
  CHECK(vocabulary_of("GPTSentencePieceTokenizer", "/data/some.model").whose.empty());
  CHECK(vocabulary_of("", "Qwen/Qwen3-8B").tokens == 151669);
}

TEST_CASE("a launch says whose vocabulary it is taken to have, or that none is known") {
  const auto read = [](const std::string& more) { return test::read_launch(kLaunch + more, 8); };
  const MegatronSetup qwen = read(
      "--tokenizer-type HuggingFaceTokenizer --tokenizer-model Qwen/Qwen3-8B "
      "--make-vocab-size-divisible-by 1187");
  CHECK(qwen.setup.shape.vocab == 151936);
  CHECK(qwen.unknown.empty());
  CHECK_THAT(qwen.assumed.front(), Contains("vocabulary 151669, that of Qwen 3"));

  const MegatronSetup other = read("--tokenizer-type HuggingFaceTokenizer --tokenizer-model ./own");
  CHECK(other.unknown == std::vector<std::string>{"--tokenizer-model"});
  CHECK(other.untimed == other.unknown);
  CHECK_THAT(other.assumed.front(),
             Contains("that of --tokenizer-model ./own is not known: add --vocab-size"));
  CHECK(read("--tokenizer-type GPTSentencePieceTokenizer").unknown ==
        std::vector<std::string>{"--tokenizer-type"});

  for (const char* said : {"--vocab-size 8192", "--padded-vocab-size 8192"}) {
    CAPTURE(said);
    const MegatronSetup known =
        read("--tokenizer-type HuggingFaceTokenizer --tokenizer-model ./own " + std::string(said));
    CHECK(known.unknown.empty());
    CHECK(known.setup.shape.vocab == 8192);
  }
  CHECK_THAT(read("").assumed.front(), Contains("vocabulary 50257, that of GPT-2"));
  // As forks name it.
  CHECK(read("--patch-tokenizer-type LLama3Tokenizer").setup.shape.vocab == 128256);
  CHECK(read("--tokenizer-name-or-path ./own").unknown.size() == 1);
}
