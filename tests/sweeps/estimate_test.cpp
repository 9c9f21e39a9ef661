// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/time_limit.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

Model gpt(std::int64_t layers, std::int64_t hidden, std::int64_t seq, std::int64_t vocab) {
  Model model;
  model.style = "gpt2";
  model.layers = layers;
  model.hidden = hidden;
  model.seq = seq;
  model.padded_vocab = vocab;
  return model;
}

Model llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads,
            std::int64_t ffn, std::int64_t vocab) {
  Model model;
  model.style = "llama";
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.kv_heads = kv_heads;
  model.ffn = ffn;
  model.vocab = vocab;
  return model;
}

double tflops(FlopsFormula formula, const Model& model, std::int64_t gbs, double seconds,
              std::int64_t gpus) {
  return tflops_per_gpu(iteration_flops(formula, model, gbs, true).value(), seconds, gpus);
}

std::optional<double> limit_of(const std::string& text) {
  Cluster cluster;
  cluster.scheduler_options = {{"time", value_of(text)}};
  return time_limit_s(cluster);
}

}  // namespace

TEST_CASE("the vocabulary is padded to a multiple of 128 TP") {
  CHECK(padded_vocab(50257, 1) == 50304);
  CHECK(padded_vocab(50257, 2) == 50432);
  CHECK(padded_vocab(50257, 4) == 50688);
  CHECK(padded_vocab(50688, 4) == 50688);
  CHECK(padded_vocab(1, 1) == 128);
}

TEST_CASE("parameters of a GPT-2 model follow the formula of the notes") {
  const std::int64_t l = 64, h = 8192, s = 1024, v = 50688;
  CHECK(parameter_count(gpt(l, h, s, v)) == l * (12 * h * h + 13 * h) + v * h + s * h + 2 * h);
  // GPT-2 small as published: 124,439,808 with its unpadded vocabulary.
  CHECK(parameter_count(gpt(12, 768, 1024, 50257)) == 124'439'808);
}

TEST_CASE("a width of the MLP of its own counts in the parameters") {
  Model model = gpt(2, 64, 32, 128);
  model.ffn = 4 * 64;
  CHECK(parameter_count(model) == parameter_count(gpt(2, 64, 32, 128)));
  model.ffn = 100;
  CHECK(parameter_count(model) == parameter_count(gpt(2, 64, 32, 128)).value() -
                                      std::int64_t{2} * (2 * 64 + 1) * (256 - 100));
}

TEST_CASE("parameters of LLaMA models are the published counts") {
  CHECK(parameter_count(llama(32, 4096, 32, 32, 11008, 32000)) == 6'738'415'616);
  CHECK(parameter_count(llama(80, 8192, 64, 8, 28672, 32000)) == 68'976'648'192);
  CHECK(parameter_count(llama(32, 4096, 32, 8, 14336, 128256)) == 8'030'261'248);
  Model tied = llama(16, 2048, 32, 8, 8192, 128256);
  tied.tied = true;
  CHECK(parameter_count(tied) == 1'235'814'400);
}

TEST_CASE("parameters are unknown where the shape is") {
  Model model = gpt(12, 768, 1024, 50257);
  model.seq.reset();
  CHECK_FALSE(parameter_count(model));
  model = llama(32, 4096, 32, 32, 11008, 32000);
  model.ffn.reset();
  CHECK_FALSE(parameter_count(model));
  model = gpt(12, 768, 1024, 50257);
  model.style = "mixture";
  CHECK_FALSE(parameter_count(model));
  CHECK_FALSE(parameter_count(gpt(100'000'000, 100'000'000, 1, 1)));
}

TEST_CASE("the 52B run has the TFLOPS of its notes by every formula") {
  Model model = gpt(64, 8192, 1024, 50688);
  const double seconds = 126.607;
  CHECK(tflops(FlopsFormula::kParams, model, 1024, seconds, 64) == Approx(53.80).margin(0.005));
  CHECK(tflops(FlopsFormula::kHardware, model, 1024, seconds, 64) == Approx(54.79).margin(0.005));
  CHECK(tflops(FlopsFormula::kModel, model, 1024, seconds, 64) == Approx(41.17).margin(0.005));
  CHECK(tflops(FlopsFormula::kMegatron, model, 1024, seconds, 64) == Approx(40.76).margin(0.005));
  model.params = 52'000'000'000;
  CHECK(tflops(FlopsFormula::kParams, model, 1024, seconds, 64) == Approx(53.83).margin(0.005));
}

TEST_CASE("the BLOOM run has the TFLOPS of its own log") {
  const Model model = gpt(70, 14336, 2048, 250880);
  CHECK(tflops(FlopsFormula::kHardware, model, 2048, 105.22, 384) == Approx(149.02).margin(0.005));
}

TEST_CASE("params counts a recomputed forward pass and the other formulas do not ask") {
  const Model model = gpt(12, 768, 1024, 50304);
  const auto with = [&](FlopsFormula formula) { return *iteration_flops(formula, model, 8, true); };
  const auto without = [&](FlopsFormula formula) {
    return *iteration_flops(formula, model, 8, false);
  };
  CHECK(with(FlopsFormula::kParams) * 3 == Approx(without(FlopsFormula::kParams) * 4));
  CHECK(with(FlopsFormula::kModel) == without(FlopsFormula::kModel));
  CHECK(with(FlopsFormula::kPalm) == without(FlopsFormula::kPalm));
}

TEST_CASE("palm is six N and the attention a token") {
  const Model model = gpt(12, 768, 1024, 50304);
  const double n = static_cast<double>(parameter_count(model).value());
  const double expected = 8.0 * 1024 * (6 * n + 12.0 * 12 * 768 * 1024);
  CHECK(iteration_flops(FlopsFormula::kPalm, model, 8, false).value() == Approx(expected));
}

TEST_CASE("FLOPs are unknown where the model is") {
  Model unknown = gpt(12, 768, 1024, 50304), experts = unknown;
  unknown.padded_vocab.reset();
  experts.style = "moe";
  experts.params = 678'446'592;
  for (const auto formula : {FlopsFormula::kParams, FlopsFormula::kHardware, FlopsFormula::kModel,
                             FlopsFormula::kMegatron, FlopsFormula::kPalm}) {
    CHECK_FALSE(iteration_flops(formula, unknown, 8, true));
    CHECK_FALSE(iteration_flops(formula, experts, 8, true));
    CHECK(flops_formula_of(text_of(formula)) == formula);
  }
  CHECK_FALSE(flops_formula_of("parms"));
}

TEST_CASE("time limits read as sbatch reads them") {
  CHECK(limit_of("20") == 1200);
  CHECK(limit_of("20:30") == 1230);
  CHECK(limit_of("00:20:00") == 1200);
  CHECK(limit_of("1-12") == 129600);
  CHECK(limit_of("1-12:30") == 131400);
  CHECK(limit_of("1-12:30:15") == 131415);
  CHECK(seconds_of_time(" 5:30 ") == 330);
  CHECK(seconds_of_time("0") == 0);
  CHECK_FALSE(seconds_of_time("UNLIMITED"));
  CHECK_FALSE(limit_of("0"));
  CHECK_FALSE(limit_of("UNLIMITED"));
  CHECK_FALSE(time_limit_s(Cluster{}));
  for (const char* text : {"20", "0", "1-12:30", "UNLIMITED", "infinite"}) {
    CHECK(is_time_limit(text));
  }
  for (const char* text : {"soon", "1:2:3:4", "", "-5", "1-", "20 min", "1.5"}) {
    INFO(text);
    CHECK_FALSE(is_time_limit(text));
  }
}

TEST_CASE("every formula has the name that reports and options use") {
  const std::pair<FlopsFormula, const char*> names[] = {{FlopsFormula::kParams, "params"},
                                                        {FlopsFormula::kHardware, "hardware"},
                                                        {FlopsFormula::kModel, "model"},
                                                        {FlopsFormula::kMegatron, "megatron"},
                                                        {FlopsFormula::kPalm, "palm"}};
  for (const auto& [formula, name] : names) CHECK(text_of(formula) == name);
  CHECK_THROWS_AS(text_of(static_cast<FlopsFormula>(99)), std::logic_error);
}

TEST_CASE("Megatron's formula knows grouped queries, SwiGLU and the width of the MLP") {
  const double l = 2, h = 64, s = 32, v = 128, b = 8;
  const auto expected = [&](double groups, double mlp) {
    return 12 * b * s * l * h * h * ((1 + groups + s / (2 * h)) + mlp + v / (2 * l * h));
  };
  const auto flops = [](const Model& model) {
    return iteration_flops(FlopsFormula::kMegatron, model, 8, false).value();
  };
  Model model = gpt(2, 64, 32, 128);
  CHECK(flops(model) == Approx(expected(1, 4)));
  model.heads = 8;
  CHECK(flops(model) == Approx(expected(1, 4)));
  model.kv_heads = 2;
  CHECK(flops(model) == Approx(expected(0.25, 4)));
  model.ffn = 96;
  CHECK(flops(model) == Approx(expected(0.25, 1.5)));
  model.style = "llama";
  CHECK(flops(model) == Approx(expected(0.25, 2.25)));
  model.heads.reset();
  CHECK(flops(model) == Approx(expected(1, 2.25)));
}

TEST_CASE("a vocabulary that is not padded counts where no padded one is known") {
  Model model = gpt(2, 64, 32, 128);
  model.vocab = 100;
  const double padded = iteration_flops(FlopsFormula::kModel, model, 8, false).value();
  CHECK(parameter_count(model) == parameter_count(gpt(2, 64, 32, 128)));
  model.padded_vocab.reset();
  CHECK(iteration_flops(FlopsFormula::kModel, model, 8, false).value() < padded);
  CHECK(parameter_count(model) == parameter_count(gpt(2, 64, 32, 100)));
}

TEST_CASE("each part of a shape that a formula needs is missed") {
  const auto without = [](Count Model::*field, FlopsFormula formula) {
    Model model = gpt(2, 64, 32, 128);
    model.params = 1000;
    model.*field = std::nullopt;
    return iteration_flops(formula, model, 8, false);
  };
  for (const auto formula :
       {FlopsFormula::kHardware, FlopsFormula::kModel, FlopsFormula::kMegatron}) {
    for (Count Model::*field : {&Model::layers, &Model::hidden, &Model::seq, &Model::padded_vocab})
      CHECK_FALSE(without(field, formula));
    CHECK(without(&Model::params, formula));
  }
  CHECK_FALSE(without(&Model::layers, FlopsFormula::kPalm));
  CHECK_FALSE(without(&Model::hidden, FlopsFormula::kPalm));
  CHECK_FALSE(without(&Model::seq, FlopsFormula::kPalm));
  CHECK(without(&Model::layers, FlopsFormula::kParams) == 2.0 * 3 * 1000 * 32 * 8);
  CHECK_FALSE(without(&Model::seq, FlopsFormula::kParams));
}

TEST_CASE("heads that share keys need a width that heads divide") {
  Model model = gpt(2, 64, 32, 128);
  model.heads = 8;
  const auto full = parameter_count(model).value();
  model.kv_heads = 8;
  CHECK(parameter_count(model) == full);
  model.kv_heads = 2;
  CHECK(parameter_count(model) == full - std::int64_t{2} * 2 * (64 - 16) * 65);
  model.heads = 7;
  CHECK_FALSE(parameter_count(model));
  model.heads = 0;
  CHECK_FALSE(parameter_count(model));
  model.heads.reset();
  CHECK_FALSE(parameter_count(model));
  model.kv_heads.reset();
  CHECK(parameter_count(model) == full);
}

TEST_CASE("a model without a style counts as a GPT, and a known count stays") {
  Model model = gpt(2, 64, 32, 128);
  model.style.clear();
  CHECK(parameter_count(model) == parameter_count(gpt(2, 64, 32, 128)));
  fill_in_params(model);
  CHECK(model.params == parameter_count(model));
  model.params = 5;
  fill_in_params(model);
  CHECK(model.params == 5);
}

TEST_CASE("TFLOPS are a GPU's share of a second") {
  CHECK(tflops_per_gpu(6e12, 2, 3) == Approx(1));
}

TEST_CASE("time limits have no part below 0 or beyond their units") {
  for (const char* text : {"1:-2", "-1", "1--2", "1-2:3:4:5", "1:2:3:4", "x-1", "1-x", ":", "-"})
    CHECK_FALSE(is_time_limit(text));
  CHECK(seconds_of_time("0:0:1") == 1);
  CHECK(seconds_of_time("2:0:1") == 7201);
  CHECK(seconds_of_time("2-1") == 2 * 86400 + 3600);
  CHECK(seconds_of_time("0-0:0:1") == 1);
  CHECK(limit_of("0:1") == 1);
  CHECK(is_time_limit(" Infinite "));
}
