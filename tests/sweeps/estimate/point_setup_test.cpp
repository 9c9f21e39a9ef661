// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/point_setup.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/models.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/probe_layouts.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// What the probe is told, as a point of a sweep says it.
Point point_of(const std::vector<std::string>& options) {
  Point point;
  NamedValues told;
  for (std::size_t i = 0; i + 1 < options.size(); i += 2) {
    std::string name = options[i].substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    // 0 is the probe's word for "as usual".
    if (options[i + 1] == "0" && (name == "kv_heads" || name == "ffn")) continue;
    if (name != "iterations") told.emplace_back(name, value_of(options[i + 1]));
  }
  tell(point, told);
  return point;
}

Point megatron_point() {
  Point point;
  point.model = *find_model("6.7B");
  tell(point, {{"tp", value_of(std::string("2"))},
               {"pp", value_of(std::string("2"))},
               {"gpus", value_of(std::string("16"))},
               {"mbs", value_of(std::string("4"))},
               {"gas", value_of(std::string("32"))}});
  return point;
}

Setup core_setup(const Point& point) {
  return point_setup(point, usual_setup(Generation::kAmpere, 8));
}

}  // namespace

TEST_CASE("a point of the probe is the setup that the probe builds of its options") {
  for (const test::ProbeLayout& layout : test::probe_layouts()) {
    CAPTURE(join(layout.options, " "));
    const Setup setup = probe_setup(point_of(layout.options), layout.setup.gpus_per_node);
    REQUIRE(setup.gpus() == layout.setup.gpus());
    CHECK(setup.gbs() == layout.setup.gbs());
    CHECK(model_parameters(setup.shape) == model_parameters(layout.setup.shape));
    for (std::int64_t stage = 0; stage < setup.pp; ++stage) {
      CHECK(stage_parameters(setup, stage).all() == stage_parameters(layout.setup, stage).all());
      CHECK(stage_memory(setup, stage).peak == stage_memory(layout.setup, stage).peak);
    }
  }
}

TEST_CASE("the parameters of a shape are those that the formula counts, of each model by name") {
  for (const std::string& name : model_names()) {
    CAPTURE(name);
    Model model = *find_model(name);
    if (!model.vocab) continue;
    for (const std::int64_t tp : {1, 8}) {
      model.padded_vocab = padded_vocab(*model.vocab, tp);
      if (!model.ffn) model.ffn = usual_ffn(model.style == "llama", *model.hidden);
      CHECK(parameter_count(model) == model_parameters(shape_of(model, tp)));
    }
  }
}

TEST_CASE("what a point leaves open, or cannot be, is refused by name") {
  const auto refusal = [](const char* name, const char* text) {
    Point point = megatron_point();
    tell(point, {{name, value_of(std::string(text))}});
    try {
      core_setup(point);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  CHECK(refusal("zero", "1") == "taken");
  CHECK(refusal("zero", "3") == "estimate: zero is 0 or 1, not '3'");
  CHECK(refusal("recompute", "some") ==
        "estimate: recompute is none, selective or full, not 'some'");
  CHECK(refusal("precision", "fp8") == "estimate: precision is fp32, fp16 or bf16, not 'fp8'");
  CHECK(refusal("sequence_parallel", "yes") == "estimate: sequence_parallel is 0 or 1, not 'yes'");
  Point odd = megatron_point();
  odd.layout.pp = 3;
  CHECK_THROWS_WITH(core_setup(odd), Contains("PP does not divide the number of layers (32 by 3)"));
  Point open = megatron_point();
  open.model.seq.reset();
  CHECK_THROWS_WITH(core_setup(open), Contains("the sequence length is not known"));
  Point moe = megatron_point();
  moe.model.style = "moe";
  CHECK_THROWS_WITH(core_setup(moe), Contains("style moe is not known"));
}

namespace {

Setup typed(NamedValues axes, std::int64_t pp = 2) {
  Point point = megatron_point();
  point.layout.pp = pp;
  point.axes = std::move(axes);
  return typed_setup(point, Generation::kAmpere, 8);
}

Value text(const char* words) { return value_of(std::string(words)); }

}  // namespace

TEST_CASE("a person may type whose code trains, and it has its own memory") {
  const Setup core = typed({}), old = typed({{"framework", text("megatron-2")}});
  CHECK(core.framework == Framework::kMegatronCore);
  CHECK(core.attention == Attention::kFlash);
  CHECK(old.framework == Framework::kMegatron2);
  CHECK(old.attention == Attention::kScores);
  CHECK(typed({{"framework", text("megatron-2")}, {"attention", text("flash")}}).attention ==
        Attention::kFlash);
  CHECK(typed({{"framework", text("fsdp")}}, 1).zero == 3);
  CHECK_THROWS_WITH(typed({{"framework", text("fsdp")}}), Contains("has no pipeline, and PP is 2"));
  const Setup zero = typed({{"framework", text("deepspeed-zero")}, {"zero", text("3")}}, 1);
  const Setup offloaded = typed(
      {{"framework", text("deepspeed-zero")}, {"zero", text("3")}, {"offload", text("1")}}, 1);
  CHECK(stage_memory(offloaded, 0).allocated() < stage_memory(zero, 0).allocated());
  CHECK(typed({{"chunks", text("4")}}).chunks == 4);
  // Transformer Engine has no other attention in fp32.
  CHECK(typed({{"precision", text("fp32")}}).attention == Attention::kScores);
  CHECK(typed({{"precision", text("fp32")}, {"attention", text("flash")}}).attention ==
        Attention::kFlash);
}

TEST_CASE("a stage of ZeRO, or offloading, that such code has not is refused") {
  CHECK_THROWS_WITH(typed({{"framework", text("megatron-2")}, {"zero", text("1")}}),
                    "estimate: zero is 0 there, not '1'");
  CHECK_THROWS_WITH(typed({{"framework", text("deepspeed-zero")}, {"zero", text("4")}}),
                    "estimate: zero is 0 to 3, not '4'");
  CHECK_THROWS_WITH(typed({{"offload", text("1")}}), Contains("offload is of framework="));
  CHECK_THROWS_WITH(typed({{"framework", text("fspd")}}), Contains("known: megatron-core"));
  CHECK_THROWS_WITH(typed({{"attention", text("x")}}), Contains("scores, fused or flash"));
  CHECK_THROWS_WITH(typed({{"chunks", text("3")}}), Contains("PP x chunks does not divide"));
  CHECK_THROWS_WITH(typed({{"chunks", text("0")}}), Contains("chunks is not known"));
}
