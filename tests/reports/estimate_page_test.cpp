// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "core/base/units.h"
#include "reports/estimate.h"
#include "sweeps/estimate/point_setup.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
using Json = nlohmann::json;

namespace {

Setup setup_of_four_stages() {
  Setup setup = usual_setup(Generation::kAmpere, 8);
  Shape& m = setup.shape;
  m.layers = 32;
  m.hidden = 4096;
  m.heads = m.kv_heads = 32;
  m.head_width = 128;
  m.ffn = 4 * m.hidden;
  m.seq = m.positions = 2048;
  m.vocab = 50304;
  setup.tp = 2;
  setup.pp = 4;
  setup.dp = 2;
  setup.mbs = 4;
  setup.gas = 8;
  return setup;
}

const SheetPart& part_named(const Sheet& sheet, const std::string& name) {
  for (const auto& part : sheet.parts)
    if (part.name == name) return part;
  throw std::runtime_error("no part " + name);
}

PointJudgement judged(const std::string& id, std::optional<double> seconds,
                      std::optional<bool> fits, const std::string& why) {
  PointJudgement one;
  one.id = id;
  one.step_s = seconds;
  if (seconds) one.step_s_low = *seconds / 2, one.step_s_high = *seconds * 2;
  one.fits = fits;
  one.why = why;
  return one;
}

}  // namespace

TEST_CASE("the bars of a stage's memory add up to what it must have") {
  const Setup setup = setup_of_four_stages();
  Accelerator accelerator;
  accelerator.name = "a100-sxm4-80g";
  accelerator.memory_gib = 80;
  const Sheet sheet = estimate_sheet(setup, accelerator, {});
  const SheetStacks& stacks = *part_named(sheet, "stages").stacks;
  const auto rows = stage_rows(setup);
  REQUIRE(rows.size() == 4);
  REQUIRE(stacks.bars.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(stacks.sizes[i].size() == stacks.parts.size());
    const double all = std::accumulate(stacks.sizes[i].begin(), stacks.sizes[i].end(), 0.0);
    CHECK(all == Approx(needed_bytes(setup, rows[i].first) / kGib));
  }
  CHECK(stacks.bars.front() == "stage 0");
  CHECK(stacks.limit_text == "a100-sxm4-80g has 79.3 GiB");
  CHECK(part_named(sheet, "layout").facts.back().text.find("it fits: stage 0 needs") == 0);
  CHECK_FALSE(part_named(estimate_sheet(setup, {}, {}), "stages").stacks->limit);
}

TEST_CASE("that a layout fits by less than 5 % of the memory is said with it") {
  const Setup setup = setup_of_four_stages();
  const auto words_of = [&](double shares_of_needed) {
    Accelerator accelerator;
    accelerator.name = "h100-sxm5-80g";
    accelerator.memory_gib = shares_of_needed * needed_bytes(setup) / kGib;
    return fit_words(setup, accelerator);
  };
  const std::string margin =
      "; that leaves less than 5 % of the memory free, which the allocator may need";
  CHECK_THAT(words_of(1.03), StartsWith("it fits") && EndsWith(margin));
  CHECK_THAT(words_of(1.2), StartsWith("it fits") && !Contains("leaves") &&
                                Contains("with context and NCCL, h100-sxm5-80g has "));
  CHECK_THAT(words_of(0.9), StartsWith("it does not fit") && !Contains("leaves"));
}

TEST_CASE(
    "what frameworks need beside the peak, or not at once, is in the bars as in the verdict") {
  for (const auto& [framework, type, zero] :
       {std::tuple(Framework::kMegatron2, NumberType::kFp16, 0),
        std::tuple(Framework::kMegatronDeepSpeed, NumberType::kFp16, 1),
        std::tuple(Framework::kDeepSpeedPipeline, NumberType::kFp16, 0),
        std::tuple(Framework::kMegatronCore, NumberType::kFp16, 0)}) {
    Setup setup = setup_of_four_stages();
    setup.framework = framework;
    setup.type = type;
    setup.zero = zero;
    const Sheet sheet = estimate_sheet(setup, {}, {});
    const auto& sizes = part_named(sheet, "stages").stacks->sizes;
    const auto rows = stage_rows(setup);
    REQUIRE(sizes.size() == rows.size());
    for (std::size_t stage = 0; stage < sizes.size(); ++stage) {
      const double all = std::accumulate(sizes[stage].begin(), sizes[stage].end(), 0.0);
      CHECK(all == Approx(needed_bytes(setup, rows[stage].first) / kGib));
      for (const double size : sizes[stage]) CHECK(size >= 0);
    }
  }
}

TEST_CASE("the parts of an iteration add up to its time") {
  EstimatedTime time;
  time.time.products = 2;
  time.time.pipeline = 1.5;
  time.machine.peak_tflops_16 = 312;
  time.words = "by data sheets";
  const Sheet sheet = estimate_sheet(setup_of_four_stages(), {}, time);
  const SheetPart& part = part_named(sheet, "time");
  const auto& sizes = part.stacks->sizes.at(0);
  CHECK(std::accumulate(sizes.begin(), sizes.end(), 0.0) == Approx(time.time.all()));
  CHECK(part.remarks.front() == "by data sheets");
  CHECK(part.remarks.back().find("MFU") != std::string::npos);
}

TEST_CASE("a page of layouts draws only those that fit, and says why others do not") {
  FlatPage page = judgements_page({judged("a", 4, true, "stage 0 needs 1.0 GiB of 2.0"),
                                   judged("b", 1, false, "stage 0 needs 3.0 GiB of 2.0"),
                                   judged("c", 2, true, ""), judged("d", {}, {}, "no model")});
  CHECK(page.said == std::vector<std::string>{"2 fit, 1 does not", "fastest: c, 2.00 s"});
  const Json document = Json::parse(flat_page_document(page));
  const Json& rows = document["rows"];
  CHECK(rows["name"] == Json({"a", "b", "c", "d"}));
  CHECK(rows["state"] == Json({"ok", "infeasible", "ok", "missing"}));
  CHECK(rows["reason"] == Json({"", "stage 0 needs 3.0 GiB of 2.0", "", "no model"}));
  CHECK(rows["mean_s"] == Json({4, nullptr, 2, nullptr}));
  CHECK(rows["low_s"] == Json({2, nullptr, 1, nullptr}));
  const Json& columns = document["columns"];
  CHECK(columns[0]["name"] == "id");
  CHECK(columns[0]["shown"] == false);
  CHECK(columns[0]["csv"] == 0);
  CHECK(columns[1]["name"] == "step_s");
  CHECK(rows["values"][1] == Json({4, 1, 2, nullptr}));
}

TEST_CASE("on a page of layouts what came out stands before what they differ in") {
  SearchSpace space;
  space.usable_bytes = 40 * kGib;
  space.base = setup_of_four_stages();
  space.machine = {312, 312, 1555, 300, 25, 108};
  SearchResult result;
  for (const std::int64_t mbs : {1, 2}) {
    FoundLayout found{setup_of_four_stages(), 3.0, 20 * kGib};
    found.setup.mbs = mbs;
    result.best.push_back(found);
  }
  const FlatPage page = found_page(result, space);
  const Json document = Json::parse(flat_page_document(page));
  CHECK(document["columns"][0]["name"] == "step_s");
  CHECK(document["columns"][0]["csv"] == 14);
  CHECK(document["columns"].back()["name"] == "recompute");
  CHECK(document["rows"]["name"] ==
        Json({"TP 2 PP 4 DP 2 MBS 1 GAS 8", "TP 2 PP 4 DP 2 MBS 2 GAS 8"}));
  REQUIRE(document["axes"].size() == 1);
  CHECK(document["axes"][0] == Json({{"name", "mbs"}, {"title", "MBS"}, {"values", {1, 2}}}));
  REQUIRE(document["sheet"].size() == 2);
  CHECK(document["sheet"][0]["stacks"]["unit"] == "s");
  CHECK(document["sheet"][1]["stacks"]["limit"] == 40);
  CHECK(document["sheet"][1]["stacks"]["bars"].size() == 2);
}

TEST_CASE("the axes of points are their columns and what only some have") {
  std::vector<Point> points(2);
  points[0].layout.tp = 2;
  points[1].layout.tp = 4;
  points[1].axes = {{"zero", value_of(1)}};
  std::vector<std::string> names;
  for (const PageAxis& axis : axes_of(points)) {
    names.push_back(axis.name);
    CHECK(axis.values.size() == 2);
    if (axis.name == "tp") CHECK(axis.values == std::vector<std::string>{"2", "4"});
    if (axis.name == "zero") CHECK(axis.values == std::vector<std::string>{"", "1"});
  }
  CHECK(names.back() == "zero");
}
