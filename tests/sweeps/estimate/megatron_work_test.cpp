// SPDX-License-Identifier: Apache-2.0
// The work is held against what Megatron-LM's num_floating_point_operations() of 2026 returns for
// the same arguments, parameters against what the models' authors say.
#include "sweeps/estimate/megatron_work.h"

#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/parameters.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

using Arguments = std::vector<std::pair<std::string, std::string>>;

/// With what all models of today have.
Arguments modern(Arguments more) {
  for (const auto& one : Arguments{{"swiglu", "True"},
                                   {"add_bias_linear", "False"},
                                   {"normalization", "RMSNorm"},
                                   {"position_embedding_type", "rope"}})
    more.push_back(one);
  return more;
}

struct Sizes {
  std::int64_t layers, hidden, heads, groups, ffn, seq, vocab;
  bool tied = false;
};

Model model_with(const std::string& style, const Sizes& sizes, const Arguments& arguments) {
  Model model;
  model.style = style;
  model.layers = sizes.layers;
  model.hidden = sizes.hidden;
  model.heads = sizes.heads;
  model.kv_heads = sizes.groups;
  model.ffn = sizes.ffn;
  model.seq = sizes.seq;
  model.padded_vocab = sizes.vocab;
  model.tied = sizes.tied;
  NamedValues values;
  for (const auto& [name, text] : arguments) values.emplace_back(name, value_of(text));
  fill_in_work(values, model);
  fill_in_params(model);
  return model;
}

std::optional<double> work(const Model& model, std::int64_t gbs,
                           FlopsFormula formula = FlopsFormula::kMegatron) {
  return iteration_flops(formula, model, gbs, false);
}

Arguments deepseek() {
  std::string layers = "[0, 0, 0";
  for (int i = 3; i < 61; ++i) layers += ", 1";
  return modern({{"num_experts", "256"},
                 {"moe_router_topk", "8"},
                 {"moe_ffn_hidden_size", "2048"},
                 {"moe_shared_expert_intermediate_size", "2048"},
                 {"moe_layer_freq", layers + "]"},
                 {"multi_latent_attention", "True"},
                 {"qk_layernorm", "True"},
                 {"q_lora_rank", "1536"},
                 {"kv_lora_rank", "512"},
                 {"qk_head_dim", "128"},
                 {"qk_pos_emb_head_dim", "64"},
                 {"v_head_dim", "128"},
                 {"kv_channels", "56"}});
}

constexpr Sizes kDeepseek{61, 7168, 128, 128, 18432, 4096, 129280};

}  // namespace

TEST_CASE("heads that do not make up the hidden size count by their own width") {
  const Sizes sizes{28, 1024, 16, 8, 3072, 4096, 151936, true};
  const Model qwen =
      model_with("llama", sizes, modern({{"kv_channels", "128"}, {"qk_layernorm", "True"}}));
  CHECK(work(qwen, 8) == Approx(163354786136064.0));
  CHECK(qwen.params == 596'049'920);
  CHECK_FALSE(qwen.active_params);
  CHECK(work(qwen, 8, FlopsFormula::kParams) == Approx(6.0 * 596'049'920 * 4096 * 8));
  const double attention = 6.0 * 2 * 28 * 2048 * 4096;
  CHECK(work(qwen, 8, FlopsFormula::kPalm) == Approx((6.0 * 596'049'920 + attention) * 4096 * 8));
  for (const auto formula : {FlopsFormula::kModel, FlopsFormula::kHardware})
    CHECK_FALSE(work(qwen, 8, formula));
}

TEST_CASE("a mixture has the work and the parameters of the experts that a token meets") {
  const Model mixtral =
      model_with("moe", {32, 4096, 32, 8, 14336, 4096, 32000},
                 modern({{"num_experts", "8"}, {"moe_router_topk", "2"}, {"moe_layer_freq", "1"}}));
  CHECK(work(mixtral, 256) == Approx(8.357827687376486e+16));
  CHECK(mixtral.params == 46'702'792'704);
  CHECK(mixtral.active_params == 12'879'925'248);
  CHECK(work(mixtral, 256, FlopsFormula::kParams) == Approx(6.0 * 12'879'925'248 * 4096 * 256));

  const Model qwen = model_with("moe", {48, 2048, 32, 4, 6144, 4096, 151936},
                                modern({{"num_experts", "128"},
                                        {"moe_router_topk", "8"},
                                        {"moe_ffn_hidden_size", "768"},
                                        {"kv_channels", "128"},
                                        {"qk_layernorm", "True"}}));
  CHECK(work(qwen, 256) == Approx(2.412383486921933e+16));
  CHECK(qwen.params == 30'532'122'624);
  CHECK(static_cast<double>(*qwen.active_params) == Approx(3.3e9).epsilon(0.02));
}

TEST_CASE("latent attention, shared experts and first dense layers count") {
  const Model deepseek_v3 = model_with("moe", kDeepseek, deepseek());
  CHECK(work(deepseek_v3, 512) == Approx(5.238938487037624e+17));
  CHECK(deepseek_v3.params == 671'026'404'352);
  CHECK(static_cast<double>(*deepseek_v3.active_params) == Approx(37e9).epsilon(0.02));

  Arguments further = deepseek();
  further.emplace_back("mtp_num_layers", "1");
  const Model with_further = model_with("moe", kDeepseek, further);
  CHECK(work(with_further, 512) == Approx(5.452447367225672e+17));
  CHECK(*with_further.params > *deepseek_v3.params / 100 * 101);
}

TEST_CASE("biases, gates, latent experts and every second layer count") {
  const Model gated = model_with(
      "gpt2", {3, 64, 4, 4, 256, 128, 512, true},
      {{"kv_channels", "32"}, {"attention_output_gate", "True"}, {"mtp_num_layers", "2"}});
  CHECK(work(gated, 4) == Approx(1737621504.0));
  const Model latent = model_with("moe", {4, 64, 4, 4, 256, 128, 512, true},
                                  {{"swiglu", "True"},
                                   {"num_experts", "8"},
                                   {"moe_router_topk", "3"},
                                   {"moe_ffn_hidden_size", "96"},
                                   {"moe_layer_freq", "2"},
                                   {"moe_latent_size", "32"},
                                   {"mtp_num_layers", "1"}});
  CHECK(work(latent, 4) == Approx(1252589568.0));
}

TEST_CASE("a model whose shape says its work keeps it") {
  const Sizes sizes{12, 768, 12, 12, 3072, 1024, 50304, true};
  const Model usual = model_with("gpt2", sizes, {{"kv_channels", "64"}, {"num_experts", "None"}});
  CHECK_FALSE(usual.token_weights);
  CHECK(usual.params == 124'475'904);
  CHECK(work(usual, 8, FlopsFormula::kModel));
}

TEST_CASE("what no model has is no model's") {
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-100}, std::int64_t{100'000'000'000'000}}) {
    for (Count Model::*field :
         {&Model::layers, &Model::hidden, &Model::heads, &Model::kv_heads, &Model::ffn}) {
      Model model = model_with("moe", {4, 64, 4, 4, 256, 128, 512}, {});
      model.*field = count;
      fill_in_work({{"num_experts", value_of(8.0)},
                    {"moe_router_topk", value_of(2.0)},
                    {"kv_channels", value_of(1e9)}},
                   model);
      CHECK_FALSE(model.token_weights);
      CHECK_FALSE(model.params);
    }
  }
}

TEST_CASE("a model whose trainer prints other parameters is not the one of these arguments") {
  const NamedValues arguments{{"num_experts", value_of(8.0)}, {"moe_router_topk", value_of(2.0)}};
  Model usual = model_with("moe", {4, 64, 4, 4, 256, 128, 512},
                           {{"num_experts", "8"}, {"moe_router_topk", "2"}});
  for (const auto& [share, is_told] : {std::pair(1.005, true), std::pair(1.05, false)}) {
    Model model = usual;
    model.params = static_cast<std::int64_t>(share * static_cast<double>(*usual.params));
    model.token_weights.reset();
    fill_in_work(arguments, model);
    CHECK(model.token_weights.has_value() == is_told);
  }
}

TEST_CASE("a model without an MLP's width has the usual one") {
  Sizes sizes{2, 192, 4, 4, 512, 128, 512};
  const Arguments experts = modern({{"num_experts", "8"}, {"moe_router_topk", "2"}});
  const Model said = model_with("moe", sizes, experts);
  Model open;
  open.style = "moe";
  open.layers = 2, open.hidden = 192, open.heads = 4, open.padded_vocab = 512, open.seq = 128;
  open.tied = false;
  NamedValues values;
  for (const auto& [name, text] : experts) values.emplace_back(name, value_of(text));
  fill_in_work(values, open);
  CHECK(open.params == said.params);
}

TEST_CASE("layers that MTP repeats are met each time and are there once") {
  const Sizes sizes{4, 64, 4, 4, 256, 128, 512};
  const auto with = [&](Arguments more) {
    more.emplace_back("mtp_num_layers", "2");
    return model_with("gpt2", sizes, more);
  };
  const Model each = with({}), repeated = with({{"mtp_use_repeated_layer", "True"}}),
              one = model_with("gpt2", sizes, {{"mtp_num_layers", "1"}});
  CHECK(repeated.token_weights == each.token_weights);
  CHECK(repeated.params == one.params);
  CHECK(*each.params > *one.params);
}

TEST_CASE("why a formula gives nothing is said of models of an unusual shape alone") {
  const Model usual = model_with("gpt2", {4, 64, 4, 4, 256, 128, 512}, {});
  for (const auto formula : kFlopsFormulas) CHECK(why_no_flops(formula, usual).empty());
  Model experts = usual;
  experts.style = "moe";
  CHECK(why_no_flops(FlopsFormula::kParams, experts) ==
        "what a token meets of its experts is not known");
  CHECK(why_no_flops(FlopsFormula::kModel, experts) ==
        "formula model is of GPT-2's shape, and its model has another");
  experts.active_params = 5;
  CHECK(work(experts, 8, FlopsFormula::kParams) == 6.0 * 5 * 128 * 8);
  CHECK(why_no_flops(FlopsFormula::kMegatron, experts) ==
        "too little is known of its model for formula megatron");
  experts.token_weights = 7;
  CHECK_FALSE(work(experts, 8));  // without attention's widths
  Model hybrid = usual;
  hybrid.style = "hybrid";
  hybrid.params = 9;
  CHECK(work(hybrid, 8, FlopsFormula::kParams) == 6.0 * 9 * 128 * 8);
  CHECK_FALSE(work(hybrid, 8));
  CHECK(why_no_flops(FlopsFormula::kPalm, hybrid) ==
        "formula palm does not know such layers, params does");
  hybrid.params.reset();
  CHECK_FALSE(work(hybrid, 8, FlopsFormula::kParams));
  CHECK(why_no_flops(FlopsFormula::kParams, hybrid) == "how many parameters it has is not known");
}

TEST_CASE("what the arguments do not tell is not guessed") {
  const Sizes sizes{4, 64, 4, 4, 256, 128, 512};
  const auto is_known = [&](const std::string& style, const Arguments& arguments) {
    return model_with(style, sizes, arguments).token_weights.has_value();
  };
  CHECK(is_known("moe", {{"num_experts", "8"}, {"moe_router_topk", "2"}}));
  CHECK_FALSE(is_known("moe", {{"num_experts", "8"}}));
  CHECK_FALSE(is_known("moe", {{"num_experts", "[8]"}, {"moe_router_topk", "2"}}));
  for (const char* layers : {"0", "[0, 1]", "[0, 1, 1, 2]", "[0, 1, 1, 1"})
    CHECK_FALSE(is_known(
        "moe", {{"num_experts", "8"}, {"moe_router_topk", "2"}, {"moe_layer_freq", layers}}));
  CHECK_FALSE(is_known("hybrid", {{"kv_channels", "128"}}));
  for (const char* name : {"first_k_dense_replace", "n_shared_experts", "use_legacy_models"})
    CHECK_FALSE(is_known("moe", {{"num_experts", "8"}, {"moe_router_topk", "2"}, {name, "True"}}));
  const Model huge = model_with("moe", {100'000, 100'000'000, 1, 1, 100'000'000, 1, 100'000'000},
                                {{"num_experts", "100000000"}, {"moe_router_topk", "2"}});
  CHECK_FALSE(huge.token_weights);
  CHECK_FALSE(huge.params);
}
