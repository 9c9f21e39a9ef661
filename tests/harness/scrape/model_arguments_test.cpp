// SPDX-License-Identifier: Apache-2.0
// What a dump says of its model beyond the counts.
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::argument;
using test::dump;
using test::only_run;
using test::row;

namespace {

std::string style(const std::string& name, const std::string& value) {
  return only_run(dump(argument(name, value)) + row(1, 1)).point.model.style;
}

}  // namespace

TEST_CASE("parameters are those that a rank prints which holds all, and else counted by the dump") {
  const std::string printed =
      " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 1107625984\n";
  const auto split = only_run(dump() + printed + row(1, 100));
  CHECK_FALSE(split.point.model.params);
  std::string alone = dump();
  for (const std::string parts : {"pipeline_model_parallel_size .................... 2",
                                  "tensor_model_parallel_size ...................... 2"}) {
    alone.replace(alone.find(parts) + parts.size() - 1, 1, "1");
  }
  CHECK(only_run(alone + printed + row(1, 100)).point.model.params == 1107625984);
  CHECK_FALSE(only_run(dump() + row(1, 100)).point.model.tied);
  const auto tied = argument("untie_embeddings_and_output_weights", "False");
  CHECK(only_run(dump(tied) + row(1, 100)).point.model.tied == true);
}

TEST_CASE("Megatron-DeepSpeed's dump says its key and value heads by their name") {
  CHECK(only_run(dump(argument("num_key_value_heads", "2")) + row(1, 1)).point.model.kv_heads == 2);
}

TEST_CASE("layers that are neither attention nor MLP make a hybrid") {
  CHECK(style("hybrid_override_pattern", "M-M*-") == "hybrid");
  CHECK(style("hybrid_layer_pattern", "M-M*-") == "hybrid");
  CHECK(style("is_hybrid_model", "True") == "hybrid");
  CHECK(style("experimental_attention_variant", "gated_delta_net") == "hybrid");
  CHECK(style("hybrid_attention_ratio", "0.08") == "hybrid");
  CHECK(style("spec", "['megatron.core.models.mamba.mamba_layer_specs', 'mamba_stack_spec']") ==
        "hybrid");
  CHECK(style("hybrid_attention_ratio", "0.0") == "gpt2");
  CHECK(style("experimental_attention_variant", "dsa") == "gpt2");
  CHECK(style("hybrid_override_pattern", "None") == "gpt2");
  CHECK(style("is_hybrid_model", "False") == "gpt2");
}

TEST_CASE("more than one expert makes a mixture") {
  CHECK(style("num_experts", "8") == "moe");
  CHECK(style("num_experts", "[64]") == "moe");
  CHECK(style("moe_num_experts", "8") == "moe");
  CHECK(style("num_experts", "None") == "gpt2");
  CHECK(style("num_experts", "[1]") == "gpt2");
  CHECK(style("moe_num_experts", "1") == "gpt2");
}
