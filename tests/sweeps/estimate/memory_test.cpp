// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/memory.h"

#include <fstream>
#include <map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/judge_points.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

constexpr double kMib = 1024 * 1024;

/// GPT-2 of the BigScience notes, sequence 1024, fp16, on V100s.
Setup bigscience(std::int64_t layers, std::int64_t hidden, std::int64_t pp, std::int64_t mbs,
                 std::int64_t gas, Framework framework) {
  Setup setup;
  Shape& m = setup.shape;
  m.layers = layers;
  m.hidden = hidden;
  m.heads = m.kv_heads = 32;
  m.head_width = hidden / 32;
  m.ffn = 4 * hidden;
  m.seq = m.positions = 1024;
  m.vocab = 50688;
  setup.tp = 4;
  setup.pp = pp;
  setup.mbs = mbs;
  setup.gas = gas;
  setup.gpus_per_node = 4;
  setup.type = NumberType::kFp16;
  setup.recompute = Recompute::kFull;
  setup.attention = Attention::kScores;
  setup.framework = framework;
  setup.generation = Generation::kVolta;
  setup.transformer_engine = false;
  return setup;
}

/// What a rank of a stage printed.
struct Printed {
  std::int64_t stage, parameters;
  double allocated_mib, max_allocated_mib;
};

void check_stages(const Setup& setup, const std::vector<Printed>& stages) {
  for (const Printed& printed : stages) {
    CAPTURE(printed.stage);
    const StageMemory memory = stage_memory(setup, printed.stage);
    CHECK(stage_parameters(setup, printed.stage).all() == printed.parameters);
    CHECK(memory.allocated() / kMib == Approx(printed.allocated_mib).epsilon(0.005));
    CHECK(memory.peak / kMib == Approx(printed.max_allocated_mib).epsilon(0.01));
  }
}

std::map<std::string, PointRow> rows() {
  std::map<std::string, PointRow> all;
  for (const PointRow& row : read_point_rows(
           read_input(test::source_directory() / "tests/data/estimate/points.tsv"), "points.tsv"))
    all.emplace(row.text("id"), row);
  return all;
}

/// "… (allocated 0.5142 GiB)"
std::optional<double> allocated_said(const PointRow& row) {
  const std::string text = row.text("mem_kind"), word = "(allocated ";
  const auto at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  return parse_number(
      text.substr(at + word.size(), text.find(' ', at + word.size()) - at - word.size()));
}

}  // namespace

// Source: github.com/bigscience-workshop/bigscience, experiments/gpt2-meg and gpt2-meg-ds-3d, the
// lines "number of parameters on (tensor, pipeline)" and "memory (MB)" of the logs.
TEST_CASE("parameters are exact and memory is near what Megatron 2.4 printed of each stage") {
  check_stages(bigscience(40, 6144, 4, 1, 4, Framework::kMegatron2),
               {{0, 1217086464, 23215.086, 26204.560},
                {1, 1132938240, 21633.086, 24432.010},
                {2, 1132938240, 21633.086, 24299.010},
                {3, 1210807296, 23121.321, 25791.771}});
  check_stages(bigscience(64, 9216, 16, 1, 4, Framework::kMegatron2),
               {{0, 1145723904, 21864.953, 24762.313},
                {1, 1019501568, 19494.953, 22106.014},
                {7, 1019501568, 19494.953, 22106.014},
                {14, 1019501568, 19495.453, 22015.514},
                {15, 1136305152, 21722.306, 24357.155}});
}

TEST_CASE(
    "parameters are exact and memory is near what DeepSpeed's pipeline printed of each stage") {
  check_stages(bigscience(64, 8192, 16, 4, 256, Framework::kDeepSpeedPipeline),
               {{0, 917757952, 12337.457, 19961.072},
                {1, 805560320, 10837.395, 17461.948},
                {5, 805560320, 10837.395, 16373.946},
                {9, 805560320, 10837.395, 15446.847},
                {14, 805560320, 10837.395, 15446.847},
                {15, 917774336, 12923.833, 18175.378}});
}

TEST_CASE("memory of a row is near what was measured, by kind") {
  int judged = 0;
  for (const auto& [id, row] : rows()) {
    CAPTURE(id);
    const PointJudgement said = PointJudge().judge(row);
    if (!said.peak_gib || row.says("mem_kind", "nvidia-smi")) continue;
    ++judged;
    CHECK(*said.peak_gib == Approx(row.number("mem_gib").value()).epsilon(0.03));
    if (const auto allocated = allocated_said(row))
      CHECK(*said.allocated_gib == Approx(*allocated).epsilon(0.005));
  }
  CHECK(judged == 13);
}

TEST_CASE("the parts of a stage sum up to its parameters, and those of layers to what they keep") {
  Setup setup = bigscience(64, 8192, 16, 4, 256, Framework::kDeepSpeedPipeline);
  const auto check = [&] {
    for (const std::int64_t stage : {std::int64_t{0}, std::int64_t{1}, setup.pp - 1}) {
      std::int64_t parameters = 0;
      double kept = 0;
      for (const ModelPart& part : parts_of_stage(setup, stage)) {
        parameters += part.times * part.parameters;
        if (part.name.starts_with("layer.")) kept += number(part.times) * part.activations;
      }
      const std::int64_t mixtures = setup.mixtures_of_stage(stage);
      const std::int64_t dense = setup.layers_of_stage(stage) - mixtures;
      CAPTURE(stage);
      CHECK(parameters == stage_parameters(setup, stage).all());
      CHECK(kept == Approx(number(dense) * layer_activations(setup, false).all() +
                           number(mixtures) * layer_activations(setup, true).all()));
    }
  };
  check();
  setup.framework = Framework::kMegatronCore;
  setup.shape.experts = 8;
  setup.shape.experts_per_token = 2;
  setup.shape.expert_ffn = 1024;
  setup.ep = setup.expert_tp = 2;
  setup.shape.qk_norms = true;
  setup.shape.tied = setup.shape.biases = false;
  check();
  setup.shape.biases = true;
  setup.expert_tp = 1;
  check();
  setup.shape.biases = false;
  setup.expert_tp = 2;
  setup.shape.first_mixture = 3;
  setup.shape.shared_ffn = 2048;
  setup.shape.shared_gate = true;
  check();
  setup.shape.experts = 0;
  setup.shape.activation = Activation::kSwiglu;
  setup.shape.kv_heads = 8;
  setup.attention = Attention::kFlash;
  setup.pp = 2;
  check();
}

TEST_CASE("the flash-attn library's order is another one where there are several sequences") {
  Setup setup = bigscience(64, 8192, 16, 4, 256, Framework::kMegatronCore);
  setup.attention = Attention::kFlash;
  setup.mbs = 2;
  const LayerActivations two = layer_activations(setup, false);
  CHECK(two.copy == two.context);
  setup.mbs = 1;
  CHECK(layer_activations(setup, false).copy == 0);
  setup.attention = Attention::kFused;
  setup.mbs = 2;
  CHECK(layer_activations(setup, false).copy == 0);
}

TEST_CASE("the paper's formula gives the paper's figure") {
  const PointJudgement said = PointJudge().judge(rows().at("Korthikanti-F1-0001"));
  CHECK(said.peak_gib.value() == Approx(104.8125).epsilon(1e-9));
}

TEST_CASE("a row that cannot be judged says why") {
  const auto why = [](const char* id) { return PointJudge().judge(rows().at(id)).why; };
  CHECK(why("megatron-bridge-0001") == "recomputation is not given");
  CHECK(why("seed2-0001") == "recomputation is not given");
  const PointRow row = rows().at("seed1-0001");
  const auto with = [&](const char* column, const char* text) {
    return PointJudge().judge(row.with(column, text)).why;
  };
  CHECK(with("layers", "") == "layers is not given");
  CHECK(with("act_fn", "geglu") == "the activation 'geglu' is not known");
  CHECK(with("attn", "") == "attn is not given");
  CHECK(with("pp", "64") == "TP x PP x CP does not divide n_gpus");
  CHECK(why("tr8-104B-0001") == "its notes call it unusable");
  CHECK_FALSE(PointJudge().judge(rows().at("seed2-0001")).peak_gib);
}

TEST_CASE("a cell that nobody can read is not taken for an empty one") {
  const PointRow row = rows().at("seed1-0001");
  const auto with = [&](const char* column, const char* text) {
    return PointJudge().judge(row.with(column, text)).why;
  };
  CHECK(with("tp", "two") == "tp is no count: 'two'");
  CHECK(with("mbs", "0.5") == "mbs is no count: '0.5'");
  CHECK(with("gas", "-1") == "gas is no count: '-1'");
  CHECK(with("zero", "7") == "zero '7' is not known");
  CHECK(with("seq_par", "yes") == "seq_par 'yes' is not known");
  CHECK(with("attn", "sdpa") == "attn 'sdpa' is not known");
  CHECK(PointJudge().judge(row.with("heads", "33").with("tp", "2").with("dp", "4")).why ==
        "TP does not divide the heads (33 by 2)");
}

TEST_CASE("a table may name a framework as a person types it") {
  const PointRow row = rows().at("seed1-0001").with("framework", "fsdp");
  CHECK(setup_of_row(row).setup->framework == Framework::kFsdp);
}

TEST_CASE("a row has no time where nobody knows how often it adds up gradients, or how fast") {
  const PointRow row = rows().at("seed1-0001");
  const auto judged = [](const PointRow& one) { return PointJudge().judge(one); };
  REQUIRE(judged(row).step_s);
  const PointJudgement open = judged(row.with("gas", "").with("gbs", ""));
  CHECK_FALSE(open.step_s);
  CHECK_THAT(open.why, Catch::EndsWith("; no time: neither gbs nor gas is given"));
  CHECK_FALSE(judged(row.with("precision", "fp32")).step_s);
}

TEST_CASE("a layout that fits with no micro-batch at all is told apart from one that may fit") {
  const PointRow row = rows().at("seed1-0001").with("mbs", "").with("gas", "").with("gbs", "");
  CHECK(PointJudge().judge(row).why == "mbs is not given");
  const PointJudgement small = PointJudge().judge(row.with("gpu_mem_gb", "40"));
  CHECK(small.fits == false);
  CHECK_THAT(small.why, Catch::Contains("with MBS 1 stage 0 needs"));
}

TEST_CASE("an argument in a row's notes that no count can be, or is misspelt, is refused") {
  const PointRow row = rows().begin()->second;
  const auto why = [&](const std::string& notes) {
    return PointJudge().judge(row.with("notes", notes)).why;
  };
  CHECK(why("{\"kv-channels\": 1e300}") ==
        "its notes: --kv-channels takes a whole number from 1 to 100000000, not '1e+300'");
  CHECK(why("{\"moe-fn-hidden-size\": 64}") ==
        "its notes: unknown argument '--moe-fn-hidden-size', did you mean "
        "'--moe-ffn-hidden-size'?");
}

TEST_CASE("a GPU's memory is the row's, or that of all GPUs of its name") {
  const PointRow row = rows().at("seed1-0001").with("gpu_mem_gb", "");
  const auto judged = [&](const char* gpu) { return PointJudge().judge(row.with("gpu", gpu)); };
  CHECK_FALSE(judged("A100-SXM4").fits);  // of which there are two
  CHECK(judged("A100-SXM4").why == "gpu_mem_gb is not given");
  CHECK(judged("Q9000").why == "gpu_mem_gb is not given; no time: the GPU is not known");
  CHECK_THAT(judged("H100").why, Catch::EndsWith(" of 79.2"));
  CHECK(judged("H100").fits == true);
  CHECK(judged("a100-sxm4-80g").fits == true);
  CHECK(judged("A100-SXM4-40G").why ==
        PointJudge().judge(row.with("gpu", "A100-SXM4").with("gpu_mem_gb", "40")).why);
}

TEST_CASE("a row that contradicts itself is refused, and of a batch what was done is believed") {
  const PointRow row = rows().at("seed1-0001").with("tp", "2").with("pp", "2");
  const auto why = [](const PointRow& one) { return PointJudge().judge(one).why; };
  const PointRow typed = row.with("n_gpus", "16").with("mbs", "1").with("gbs", "32");
  CHECK(why(typed.with("dp", "8").with("gas", "")) == "TP x PP x CP x DP is 32, and n_gpus 16");
  CHECK(why(typed.with("dp", "4").with("gas", "").with("gbs", "30")) ==
        "MBS x DP does not divide gbs");
  CHECK_THAT(why(typed.with("dp", "4").with("gas", "4")),
             Catch::EndsWith("; DP x MBS x GAS is 16; its gbs of 32 is not used"));
  CHECK(why(typed.with("dp", "4").with("gas", "7").with("gbs", "").with("vpp", "2")) ==
        "interleaved stages need a GAS that is a multiple of 2, not 7");
}

TEST_CASE("Megatron's arguments in a row's notes count as they do in a launch") {
  const PointRow row = rows().at("seed1-0001").with("framework", "Megatron-Core").with("dp", "8");
  const auto judged = [&](const std::string& notes) {
    return PointJudge().judge(row.with("notes", notes));
  };
  const double mixture = judged("{\"num-experts\": 8}").allocated_gib.value();
  CHECK(mixture > judged("{}").allocated_gib.value());
  CHECK(judged("{\"num_experts\": 8}").allocated_gib == mixture);
  CHECK(judged("{\"num-experts\": \"8\"}").allocated_gib == mixture);
  CHECK(judged("{\"num-experts\": 8").why ==
        "its notes begin like arguments in JSON, and are none");
  for (const char* zero : {"make-vocab-size-divisible-by", "kv-channels", "moe-router-topk"})
    CHECK(judged(std::string("{\"") + zero + "\": 0}").allocated_gib == judged("{}").allocated_gib);
  const auto allocated = [&](const std::string& notes) {
    return judged(notes).allocated_gib.value();
  };
  const std::string experts = "{\"num-experts\": 8, \"moe-ffn-hidden-size\": 1024";
  const PointRow split = row.with("tp", "2").with("dp", "4").with("seq_par", "1");
  const auto of_split = [&](const std::string& notes) {
    return PointJudge().judge(split.with("notes", notes)).allocated_gib.value();
  };
  CHECK(of_split(experts + ", \"disable-bias-linear\": true, \"expert-tensor-parallel-size\": 1}") >
        of_split(experts + ", \"disable-bias-linear\": true}"));
  CHECK(allocated("{\"padded-vocab-size\": 500000}") > allocated("{}"));
  CHECK(allocated("{\"--padded_vocab_size\": 500000}") ==
        allocated("{\"padded-vocab-size\": 500000}"));
  for (const char* positions :
       {"{\"position-embedding-type\": \"none\"}", "{\"use-rotary-position-embeddings\": true}"})
    CHECK(allocated(positions) == allocated("{\"position-embedding-type\": \"rope\"}"));
  const PointRow open = row.with("act_fn", "").with("ffn", "");
  CHECK(PointJudge().judge(open.with("notes", "{\"quick-geglu\": true}")).allocated_gib ==
        PointJudge()
            .judge(row.with("act_fn", "swiglu").with("notes", "{}").with("ffn", "16384"))
            .allocated_gib);
  CHECK(allocated("{\"kv-channels\": 128.0, \"recompute-modules\": [\"core_attn\"]}") ==
        allocated("{}"));
  const PointJudgement narrow = judged("{\"--fp8-format\": \"hybrid\"}");
  CHECK_FALSE(narrow.allocated_gib);
  CHECK_FALSE(narrow.step_s);
  const PointRow small = row.with("precision", "fp16");
  const auto gib = [&](const char* notes) {
    return PointJudge().judge(small.with("notes", notes)).allocated_gib.value();
  };
  CHECK(gib("{\"accumulate-allreduce-grads-in-fp32\": true}") > gib("{}"));
  CHECK(gib("{\"num-distributed-optimizer-instances\": 2}") > gib("{}"));
  const auto sharded = [&](const char* stage, const char* notes) {
    return PointJudge().judge(row.with("zero", stage).with("notes", notes)).allocated_gib;
  };
  CHECK(sharded("3", "{\"use-megatron-fsdp\": true}").value() <
        sharded("2", "{\"use-megatron-fsdp\": true}").value());
  CHECK_FALSE(sharded("2", "{}"));
  const PointJudgement offloads = judged(
      "{\"optimizer-cpu-offload\": true, \"use-precision-aware-optimizer\": true, "
      "\"use-distributed-optimizer\": true}");
  CHECK_FALSE(offloads.allocated_gib);
  CHECK_THAT(offloads.why, Catch::Contains("what --optimizer-cpu-offload takes is not known"));
  CHECK(judged("{\"optimizer-cpu-offload\": false}").allocated_gib);
}

TEST_CASE("ends that count as layers are refused in a row as in a launch") {
  const PointRow row = rows()
                           .at("seed1-0001")
                           .with("framework", "Megatron-Core")
                           .with("dp", "")
                           .with("tp", "1")
                           .with("pp", "4");
  const auto why = [&](const char* layers, const char* chunks, const char* notes) {
    return PointJudge()
        .judge(row.with("layers", layers).with("vpp", chunks).with("notes", notes))
        .why;
  };
  constexpr const char* kEmbedding = "{\"account-for-embedding-in-pipeline-split\": true}";
  constexpr const char* kBoth =
      "{\"account-for-embedding-in-pipeline-split\": true, "
      "\"account-for-loss-in-pipeline-split\": true}";
  CHECK(why("30", "", kEmbedding) ==
        "PP does not divide the layers, with what counts as one (31 by 4)");
  CHECK(why("30", "3", kBoth) == "virtual stages do not divide the layers of a stage (8 by 3)");
  CHECK(why("30", "", kBoth).starts_with("stage "));
}

TEST_CASE("a row that no trainer would start is refused") {
  const PointRow row = rows().at("seed1-0001").with("framework", "Megatron-Core").with("dp", "");
  const auto why = [](const PointRow& one) { return PointJudge().judge(one).why; };
  CHECK(why(row.with("ep", "4")) == "EP is of experts, and there are none");
  CHECK_THAT(why(row.with("notes", "{\"num-experts\": 64}").with("ep", "64")),
             Catch::Contains("EP x expert TP does not divide TP x CP x DP"));
  CHECK(why(row.with("heads", "36").with("kv_heads", "36")) ==
        "heads do not divide the hidden size (4096 by 36)");
  CHECK(
      why(row.with("vpp", "5").with("pp", "2").with("tp", "1").with("gas", "4").with("gbs", "")) ==
      "vpp does not divide the layers of a stage (16 by 5)");
  CHECK(why(row.with("layers", "31").with("pp", "4").with("tp", "1")) ==
        "PP does not divide the number of layers (31 by 4)");
  CHECK_THAT(why(row.with("layers", "30").with("pp", "4").with("tp", "1")),
             Catch::Contains("; 30 layers over 4: embedding and loss are assumed to count as one"));
  const PointRow mixture = row.with("notes", "{\"num-experts\": 8}").with("seq_par", "1");
  CHECK_THAT(why(mixture.with("tp", "2").with("ep", "8").with("n_gpus", "8")),
             Catch::Contains("expert TP 1 is assumed"));
  CHECK(why(row.with("recompute", "none").with("notes", "{\"recompute-granularity\": \"full\"}")) ==
        "recompute is none, and its notes say full");
  CHECK(why(row.with("mbs", "").with("gas", "4").with("gbs", "30")) ==
        "DP x GAS does not divide gbs");
  CHECK(why(row.with("vpp", "2")
                .with("pp", "2")
                .with("gas", "7")
                .with("gbs", "")
                .with("gpus_per_node", "")) ==
        "interleaved stages need a GAS that is a multiple of 2, not 7");
  CHECK_THAT(why(row.with("vocab", "").with("act_fn", "")),
             Catch::EndsWith("; act_fn gelu is assumed; vocabulary 50257 is assumed"));
  CHECK(why(row.with("vpp", "4").with("pp", "1")) ==
        "virtual stages are of a pipeline, and PP is 1");
  CHECK(why(row.with("tp", "4").with("ffn", "11010")) ==
        "TP does not divide the width of the MLP (11010 by 4)");
  CHECK(why(row.with("tp", "4").with("kv_heads", "2")) ==
        "what TP ranks that share a query group need is not known (2 by 4)");
  CHECK(why(row.with("framework", "Megatron-LM").with("tp", "4").with("kv_heads", "2")) ==
        "TP does not divide the query groups (2 by 4)");
  CHECK(why(row.with("tp", "4").with("seq_par", "1").with("seq", "2050")) ==
        "with sequence parallelism TP does not divide the sequence (2050 by 4)");
  CHECK(why(row.with("framework", "deepspeed-zero").with("pp", "2")) ==
        "DeepSpeed's ZeRO-1 has no pipeline, and PP is 2");
  for (const char* memory : {"80GB", "nan", "-80"}) {
    CAPTURE(memory);
    CHECK(why(row.with("gpu_mem_gb", memory)) ==
          std::string("gpu_mem_gb is no number above 0: '") + memory + "'");
  }
  CHECK_THAT(why(row.with("gpus_per_node", "")), Catch::Contains("gpus_per_node is not given"));
  CHECK(PointJudge().judge(row.with("gpu", "a100-sxm4-80g").with("gpu_mem_gb", "80")).step_s);
}

TEST_CASE("a row of such numbers that nobody could count them is refused") {
  const PointRow row = rows().at("seed1-0001").with("dp", "").with("n_gpus", "16");
  const auto why = [](const PointRow& one) { return PointJudge().judge(one).why; };
  CHECK(why(row.with("tp", "4294967296")) == "tp is 4294967296, and at most 100000000");
  const std::string large = std::to_string(1 << 26);
  CHECK(why(row.with("tp", large).with("pp", large).with("cp", large)) ==
        "TP x PP x CP does not divide n_gpus");
  CHECK(why(row.with("mbs", "100000000").with("gas", "100000000").with("gbs", "")) ==
        "so many ranks and tokens cannot be counted");
}

TEST_CASE("columns stand in any order and a table without ids is refused") {
  const auto one = read_point_rows("layers\tid\n4\ta\n\n8\tb\r\n", "x.tsv");
  REQUIRE(one.size() == 2);
  CHECK(one[1].text("id") == "b");
  CHECK(one[1].count("layers") == 8);
  CHECK_THROWS_WITH(read_point_rows("layers\n4\n", "x.tsv"), Catch::Contains("x.tsv:1: no column"));
  CHECK_THROWS_WITH(read_point_rows("id\tlayers\na\n", "x.tsv"), "x.tsv:2: 1 cells, and 2 columns");
  CHECK_THROWS_WITH(read_point_rows("\n", "x.tsv"), Catch::Contains("x.tsv: it is empty"));
  CHECK_THROWS_WITH(read_point_rows("id\ttp\ttp\n", "x.tsv"),
                    "x.tsv:1: two columns are named 'tp'");
  CHECK(read_point_rows("\xef\xbb\xbfid\na\n", "x.tsv").size() == 1);
}

TEST_CASE("what spreadsheets quote is read without the quotes") {
  const auto row = read_point_rows("\"id\"\tnotes\n\"a\"\t\"{\"\"bf16\"\": true}\"\n", "x.tsv");
  REQUIRE(row.size() == 1);
  CHECK(row[0].text("id") == "a");
  CHECK(row[0].text("notes") == "{\"bf16\": true}");
}

TEST_CASE("a peak is never below what is there between iterations") {
  Setup setup = bigscience(8, 4096, 2, 1, 8, Framework::kMegatronCore);
  setup.chunks = 4;
  setup.zero = 0;
  for (std::int64_t stage = 0; stage < 2; ++stage) {
    const StageMemory memory = stage_memory(setup, stage);
    CHECK(memory.peak >= memory.allocated());
  }
}

TEST_CASE("more accumulation never needs less, whatever is made again") {
  for (const Recompute recompute : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
    Setup setup = bigscience(24, 2048, 1, 1, 1, Framework::kMegatron2);
    setup.recompute = recompute;
    const double once = needed_bytes(setup);
    setup.gas = 2;
    CHECK(needed_bytes(setup) >= once);
  }
}

TEST_CASE("scores that selective recomputation makes again are there once, in every framework") {
  for (const Framework framework :
       {Framework::kMegatron2, Framework::kMegatronDeepSpeed, Framework::kDeepSpeedPipeline,
        Framework::kFsdp, Framework::kMegatron2023, Framework::kMegatronCore}) {
    Setup setup = bigscience(8, 8192, 1, 8, 8, framework);
    setup.shape.heads = setup.shape.kv_heads = 64;
    setup.shape.head_width = 128;
    setup.shape.seq = setup.shape.positions = 8192;
    setup.tp = 8;
    setup.recompute = Recompute::kSelective;
    const double unfused = stage_memory(setup, 0).peak;
    setup.attention = Attention::kFlash;
    CHECK(unfused - stage_memory(setup, 0).peak > 15 * 1024 * kMib);
  }
}

TEST_CASE("layers and virtual stages divide in every Megatron, and DeepSpeed has no such stages") {
  const PointRow row = rows().at("seed1-0001").with("dp", "").with("layers", "36").with("pp", "4");
  const auto why = [&](const char* framework, const char* vpp) {
    return PointJudge()
        .judge(row.with("tp", "1").with("framework", framework).with("vpp", vpp).with("zero", "0"))
        .why;
  };
  for (const char* framework : {"megatron-2", "megatron-2023", "Megatron-Core"})
    CHECK(why(framework, "7") == "vpp does not divide the layers of a stage (9 by 7)");
  CHECK(why("deepspeed-3d", "3") == "DeepSpeed has no virtual stages (vpp 3)");
}

TEST_CASE("rates are learned of layouts, each once, and of rows that have some cluster's alone") {
  const PointRow row = rows().at("seed1-0001").with("step_s", "10");
  PointJudge once, often;
  std::vector<PointRow> learned{row, row.with("gas", "7").with("gbs", "").with("step_s", "19")};
  REQUIRE(once.calibrate_on(learned) == 2);
  const std::size_t layouts = learned.size();
  for (int i = 0; i < 9; ++i)
    for (std::size_t k = 0; k < layouts; ++k)
      learned.push_back(learned[k].with("id", "again").with("date", std::to_string(i)));
  CHECK(often.calibrate_on(learned) == 20);
  CHECK(often.fits().front().learned.points == 2);
  const PointJudgement a = once.judge(row), b = often.judge(row);
  CHECK(*a.step_s_high / *a.step_s == Approx(*b.step_s_high / *b.step_s).epsilon(1e-6));
  CHECK(once.judge(row.with("gpu_mem_gb", "80.0")).step_s == a.step_s);
  CHECK_THAT(once.judge(row.with("group", "elsewhere")).why,
             Catch::Contains("by usual rates, as none were learned of elsewhere "));
  CHECK(PointJudge().calibrate_on({row.with("step_s", ""), row.with("layers", "")}) == 0);
}
