// SPDX-License-Identifier: Apache-2.0
// TFLOPS of models whose shape does not say their work.
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::argument;
using test::Workplace;

namespace {

/// A mixture of which a token meets two of eight experts, on 4 GPUs, a second an iteration.
std::string mixture_log(const std::string& more = "") {
  std::string log =
      test::dump(argument("ffn_hidden_size", "256") + argument("num_experts", "8") +
                 argument("moe_router_topk", "2") + argument("moe_layer_freq", "1") +
                 argument("swiglu", "True") + argument("add_bias_linear", "False") + more);
  for (int i = 1; i <= 5; ++i) log += test::row(i, 1000, 0, 5);
  return log;
}

std::string tflops(const Workplace& here, const std::string& formula) {
  const auto call = here.pippin("report --flops " + formula + " --columns tflops --format csv");
  const auto row = call.out.find('\n') + 1;
  return call.out.substr(row, call.out.find('\n', row) - row);
}

}  // namespace

TEST_CASE("a mixture's TFLOPS are of the experts that a token meets") {
  const Workplace here;
  here.write("a.log", mixture_log());
  REQUIRE(here.pippin("collect a.log").exit_code == 0);
  // Two layers: attention 4 h^2, experts 3 h f each, a router, RMSNorm's or LayerNorm's 4 h; the
  // embedding, positions and the last norm.
  const double ends = 50432 * 64 + 32 * 64 + 2 * 64;
  const double layer = 4 * 64 * 64 + 8 * 64 + 4 * 64, expert = 3 * 64 * 256;
  const double all = 2 * (layer + 8 * expert) + ends, met = 2 * (layer + 2 * expert) + ends;
  CHECK(here.sql("SELECT params || ' ' || active_params FROM points") ==
        fmt::format("{:.0f} {:.0f}", all, met));
  const double weights = 2 * (4 * 64 * 64 + 2 * expert) + 50432 * 64;
  const double tokens = 8 * 32, tera = 1e12, gpus = 4;
  const auto is_near = [](const std::string& text, double expected) {
    return std::abs(std::stod(text) - expected) < 1e-3 * expected;
  };
  CHECK(is_near(tflops(here, "params"), 6 * met * tokens / tera / gpus));
  CHECK(is_near(tflops(here, "megatron"), 6 * tokens * (weights + 16 * 2 * 2 * 64) / tera / gpus));
  CHECK(tflops(here, "model").empty());
}

TEST_CASE("a mixture of Megatron-Bridge's configuration has the same, unless it lists its layers") {
  const auto active = [](const std::string& layers) {
    const Workplace here;
    std::string log =
        "Job name: pretrain_moe_bf16_gpus4_tp2_pp2_cp1_vpNone_ep1_mbs2_gbs8\nmodel:\n"
        "  add_bias_linear: false\n  ffn_hidden_size: 256\n  gated_linear_unit: true\n"
        "  hidden_size: 64\n  kv_channels: 32\n  moe_ffn_hidden_size: 96\n" +
        layers +
        "  moe_router_topk: 2\n  mtp_num_layers: null\n  multi_latent_attention: false\n"
        "  normalization: RMSNorm\n  num_attention_heads: 4\n  num_layers: 2\n"
        "  num_moe_experts: 8\n  num_query_groups: 2\n  position_embedding_type: rope\n"
        "  qk_layernorm: true\n  seq_length: 32\n"
        "  share_embeddings_and_output_weights: false\n  vocab_size: 512\n";
    for (int i = 1; i <= 5; ++i) log += test::row(i, 1000, 0, 5);
    here.write("a.log", log);
    CHECK(here.pippin("collect a.log").exit_code == 0);
    return here.sql("SELECT active_params FROM points");
  };
  const double attention = 64 * (128 + 2 * 64) + 128 * 64 + 2 * 32, expert = 3 * 64 * 96;
  const double met = 2 * (attention + 2 * 64 + 8 * 64 + 2 * expert) + 2 * 512 * 64 + 64;
  CHECK(active("  moe_layer_freq: 1\n") == fmt::format("{:.0f}", met));
  CHECK(active("  moe_layer_freq:\n  - 0\n  - 1\n").empty());
}

TEST_CASE("a mixture whose log does not say how many experts a token meets has no TFLOPS") {
  const Workplace here;
  here.write("a.log",
             test::dump(argument("num_experts", "[8]")) + test::row(1, 1000) + test::row(2, 1000));
  REQUIRE(here.pippin("collect a.log").exit_code == 0);
  CHECK_THAT(here.pippin("report").out,
             Contains("no TFLOPS: what a token meets of its experts is not known"));
}

TEST_CASE("a sweep whose trainer says that it has experts has their TFLOPS") {
  const Workplace here;
  here.write("mixture.log", mixture_log());
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [2]}\nfixed: {tp: 2, pp: 2, dp: 1, gas: 4}\n"
             "model: {layers: 2, hidden: 64, heads: 4, seq: 32, vocab: 50257}\n"
             "gpus: 4\ncommand: cat {sweep_dir}/../../mixture.log; true {mbs}\n");
  const auto call = here.pippin("run s.yaml");
  CAPTURE(call.out, call.err);
  REQUIRE(call.exit_code == 0);
  CHECK(here.sql("SELECT style || ' ' || (active_params < params) FROM points") == "moe 1");
  CHECK(here.sql("SELECT params > 1000000 FROM points") == "1");
  CHECK_FALSE(tflops(here, "params").empty());
}
