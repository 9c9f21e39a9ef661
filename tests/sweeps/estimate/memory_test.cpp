// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/memory.h"

#include "core/base/text.h"
#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/judge_points.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/measured_rows.h"

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
  for (const auto& [id, row] : test::measured_rows()) {
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
  const PointJudgement said = PointJudge().judge(test::measured_rows().at("Korthikanti-F1-0001"));
  CHECK(said.peak_gib.value() == Approx(104.8125).epsilon(1e-9));
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
