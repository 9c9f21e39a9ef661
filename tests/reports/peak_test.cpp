// SPDX-License-Identifier: Apache-2.0
#include "reports/peak.h"

#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

const PeakTflops kA100{{"fp8", 624}, {"fp16", 312}, {"bf16", 311}, {"tf32", 156}, {"fp32", 19.5}};

Summary row_with(const NamedValues& axes) {
  Summary row = test::row_52b("a", 126.607);
  row.point.axes = axes;
  row.peak_tflops = kA100;
  return row;
}

double peak(const NamedValues& axes, const std::string& else_type = "") {
  Rating rating;
  rating.number_type = else_type;
  return peak_of(row_with(axes), rating).value_or(0);
}

/// The 52B row, rated against 125 TFLOPS (V100) in fp16.
Summary rated(FlopsFormula formula, const std::optional<std::string>& recompute) {
  Summary row = test::row_52b("a", 126.607);
  row.point.model.padded_vocab = 50688;
  row.recompute = recompute;
  rate(row, {formula, {{"fp16", 125}}, "fp16"});
  return row;
}

}  // namespace

TEST_CASE("the number type of a peak is what the point says") {
  const std::vector<std::pair<NamedValues, double>> cases{
      {{}, 0},
      {{{"bf16", value_of("True")}}, 311},
      {{{"bf16", value_of("true")}}, 311},
      {{{"fp16", value_of(1.0)}}, 312},
      {{{"fp16", value_of("False")}, {"bf16", value_of("True")}}, 311},
      {{{"fp16", value_of("False")}, {"bf16", value_of("False")}}, 0},
      {{{"precision", value_of("fp16")}}, 312},
      {{{"precision", value_of("bf16-mixed")}}, 311},
      {{{"dtype", value_of("bfloat16")}}, 311},
      {{{"dtype", value_of("float32")}}, 19.5},
      {{{"precision", value_of("tf32")}}, 156},
      {{{"precision", value_of("TF32")}}, 156},
      {{{"precision", value_of("half")}}, 312},
      {{{"params_dtype", value_of("torch.float16")}}, 312},
      {{{"params_dtype", value_of("torch.bfloat16")}}, 311},
      {{{"params_dtype", value_of("torch.float32")}}, 19.5},
      {{{"dtype", value_of("torch.float8_e4m3fn")}}, 624},
      // Megatron-LM names the format of fp8 beside the type of all else.
      {{{"bf16", value_of("True")}, {"fp8", value_of("hybrid")}}, 624},
      {{{"bf16", value_of("True")}, {"fp8", value_of("e4m3")}}, 624},
      {{{"bf16", value_of("True")}, {"fp8", value_of("None")}}, 311},
      {{{"precision", value_of("int4")}}, 0},
      {{{"fp16_lm_cross_entropy", value_of("True")}}, 0}};
  for (const auto& [axes, expected] : cases) {
    CAPTURE(axes.empty() ? "" : axes.back().first + " " + axes.back().second.text);
    CHECK(peak(axes) == expected);
  }
}

TEST_CASE("a report's number type and accelerator are for rows that do not know theirs") {
  CHECK(peak({}, "bf16") == 311);
  CHECK(peak({{"fp16", value_of("True")}}, "bf16") == 312);
  CHECK(peak({}, "fp64") == 0);
  Summary row = test::row_52b("a", 1);
  CHECK_FALSE(peak_of(row, {}));
  CHECK(peak_of(row, {FlopsFormula::kParams, kA100, "bf16"}) == 311);
  row.peak_tflops = {{"bf16", 989}};
  CHECK(peak_of(row, {FlopsFormula::kParams, kA100, "bf16"}) == 989);
  CHECK_FALSE(peak_of(row, {FlopsFormula::kParams, kA100, "fp16"}));
}

TEST_CASE("the 52B run's shares of the peak") {
  const Summary full = rated(FlopsFormula::kParams, "full");
  CHECK(full.tflops.value() == Approx(53.83).margin(0.005));
  CHECK(full.hfu.value() == Approx(0.431).margin(0.0005));
  CHECK(full.mfu.value() == Approx(full.hfu.value() * 3 / 4));
  const Summary none = rated(FlopsFormula::kParams, "none");
  CHECK(none.hfu == none.mfu);
  CHECK(none.mfu.value() == Approx(full.mfu.value()));
}

TEST_CASE("a formula gives shares of the work it knows") {
  struct Case {
    FlopsFormula formula;
    std::string recompute;
    double tflops;
    std::optional<double> mfu_tflops, hfu_tflops;
  };
  const double hardware = 54.79, model = 41.17, megatron = 40.76;
  const std::vector<Case> cases{
      {FlopsFormula::kHardware, "full", hardware, model, hardware},
      {FlopsFormula::kHardware, "none", hardware, model, model},
      {FlopsFormula::kHardware, "selective", hardware, model, {}},
      {FlopsFormula::kModel, "full", model, model, hardware},
      {FlopsFormula::kModel, "none", model, model, model},
      {FlopsFormula::kModel, "", model, model, {}},
      {FlopsFormula::kMegatron, "full", megatron, megatron, {}},
      {FlopsFormula::kMegatron, "none", megatron, megatron, megatron},
      {FlopsFormula::kParams, "selective", 53.83 * 3 / 4, 53.83 * 3 / 4, {}},
      {FlopsFormula::kParams, "", 53.83 * 3 / 4, 53.83 * 3 / 4, {}}};
  for (const auto& c : cases) {
    CAPTURE(text_of(c.formula), c.recompute);
    const Summary row = rated(c.formula, c.recompute);
    CHECK(row.tflops.value() == Approx(c.tflops).margin(0.005));
    CHECK(row.flops_formula == text_of(c.formula));
    CHECK(row.mfu.value() * 125 == Approx(c.mfu_tflops.value()).margin(0.005));
    CHECK(row.hfu.has_value() == c.hfu_tflops.has_value());
    if (c.hfu_tflops) CHECK(row.hfu.value() * 125 == Approx(*c.hfu_tflops).margin(0.005));
  }
  const Summary palm = rated(FlopsFormula::kPalm, "full");
  CHECK(palm.mfu.value() * 125 == Approx(palm.tflops.value()));
  CHECK_FALSE(palm.hfu);
  CHECK(rated(FlopsFormula::kPalm, "none").hfu == palm.mfu);
}

TEST_CASE("work that was not done is said where hardware counts it") {
  CHECK(rated(FlopsFormula::kHardware, "full").remarks.empty());
  CHECK(
      rated(FlopsFormula::kHardware, "none").remarks ==
      std::vector<std::string>{"formula hardware counts a second forward pass that was not made"});
}

TEST_CASE("BLOOM has the TFLOPS of its own log") {
  Summary row = test::row_52b("bloom", 105.22);
  row.point.model = {};
  row.point.model.layers = 70;
  row.point.model.hidden = 14336;
  row.point.model.seq = 2048;
  row.point.model.padded_vocab = 250880;
  row.point.layout.gbs = 2048;
  row.point.layout.gpus = 384;
  rate(row, {FlopsFormula::kHardware, kA100, "bf16"});
  CHECK(row.tflops.value() == Approx(149.02).margin(0.005));
  CHECK(row.hfu.value() == Approx(149.02 / 311).margin(0.0005));
}

TEST_CASE("there are no rates of what is not known") {
  Summary row = rated(FlopsFormula::kHardware, {});
  CHECK(row.samples_per_s);
  CHECK_FALSE(row.tflops);
  CHECK_FALSE(row.mfu);
  row = test::row_52b("a", 1);
  rate(row, {FlopsFormula::kHardware, kA100, "bf16"});  // no vocabulary
  CHECK_FALSE(row.tflops);
  CHECK(row.flops_formula.empty());
  row.point.layout.gbs.reset();
  row.samples_per_s.reset();
  rate(row, {});
  CHECK_FALSE(row.samples_per_s);
  row = test::row_52b("a", 1);
  row.point.layout.gpus.reset();
  rate(row, {FlopsFormula::kParams, kA100, "bf16"});
  CHECK(row.samples_per_s.value() == 1024);
  CHECK_FALSE(row.tflops);
  row = test::row_52b("a", 1);
  rate(row, {FlopsFormula::kParams, kA100, ""});
  CHECK(row.tflops);
  CHECK_FALSE(row.mfu);
  CHECK_FALSE(row.hfu);
}

TEST_CASE("a rate above what the accelerator can do is remarked") {
  const auto remarks = [](double seconds) {
    Summary row = test::row_52b("a", seconds);
    row.point.model.padded_vocab = 50688;
    row.recompute = "none";
    rate(row, {FlopsFormula::kParams, {{"fp16", 125}}, "fp16"});
    return row.remarks;
  };
  CHECK(remarks(126.607).empty());
  REQUIRE(remarks(12.6607).size() == 1);
  CHECK_THAT(remarks(12.6607)[0], Catch::StartsWith("more than the accelerator can do"));
}
