// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/step_time.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "core/base/files.h"
#include "sweeps/accelerators.h"
#include "sweeps/estimate/calibrate.h"
#include "sweeps/estimate/layout_checks.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/search_layouts.h"
#include "sweeps/judge_points.h"
#include "sweeps/machines.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

std::string short_layout(const Setup& s) {
  return fmt::format("{} {} {} {} {}", s.tp, s.pp, s.mbs, s.chunks, s.sequence_parallel);
}

/// GPT-3 175B in 8 x 8 x 16 on A100s of 80 GB, as in table 1 of SC21.
Setup gpt3() {
  Setup setup;
  Shape& m = setup.shape;
  m.layers = 96;
  m.hidden = 12288;
  m.heads = m.kv_heads = 96;
  m.head_width = 128;
  m.ffn = 49152;
  m.seq = m.positions = 2048;
  m.vocab = 51200;
  setup.tp = 8;
  setup.pp = 8;
  setup.dp = 16;
  setup.mbs = 1;
  setup.gas = 96;
  setup.type = NumberType::kFp16;
  setup.recompute = Recompute::kFull;
  setup.attention = Attention::kScores;
  setup.framework = Framework::kMegatron2;
  return setup;
}

constexpr Machine kDgx{312, 312, 2039, 300, 200, 108};

double seconds(const Setup& setup, const Machine& machine = kDgx, const Rates& rates = {}) {
  return step_time(setup, machine, rates).all();
}

std::vector<PointRow> rows(const char* file) {
  return read_point_rows(read_input(test::source_directory() / "tests/data/estimate" / file), file);
}

}  // namespace

TEST_CASE("the parts of an iteration are its time, and none is negative") {
  for (const std::int64_t zero : {0, 1, 3}) {
    Setup setup = gpt3();
    setup.zero = zero;
    const StepTime time = step_time(setup, kDgx, {});
    for (const double part : {time.products, time.attention, time.elements, time.tensor, time.issue,
                              time.pipeline, time.data, time.optimizer, time.fixed})
      CHECK(part >= 0);
    if (zero < 3) CHECK(time.products > time.all() / 2);
  }
}

TEST_CASE("an iteration takes longer with more work and with slower links") {
  const double usual = seconds(gpt3());
  Setup more = gpt3();
  more.gas *= 2;
  CHECK(seconds(more) > 1.7 * usual);
  CHECK(seconds(more) < 2 * usual);  // the pipeline fills once
  Setup kept = gpt3();
  kept.recompute = Recompute::kNone;
  CHECK(seconds(kept) < 0.85 * usual);
  Machine slow = kDgx;
  slow.node_gb_per_s /= 10;
  CHECK(seconds(gpt3(), slow) > usual);
  slow = kDgx;
  slow.link_gb_per_s /= 10;
  CHECK(seconds(gpt3(), slow) > 1.3 * usual);
}

TEST_CASE("what overlaps hides its share of traffic, as far as the passes take long enough") {
  Setup setup = gpt3();
  setup.zero = 1;
  setup.sequence_parallel = true;
  setup.mbs = 32;  // so that a pass takes longer than its traffic
  setup.shape.tied = false;
  const Rates usual;
  const StepTime apart = step_time(setup, kDgx, usual);
  setup.overlaps_gradients = setup.overlaps_weights = true;
  const StepTime together = step_time(setup, kDgx, usual);
  CHECK(together.data == Approx((1 - usual.hidden_share) * apart.data));
  CHECK(together.tensor == apart.tensor);
  Machine slow = kDgx;
  slow.node_gb_per_s = 0.1;  // the passes are over long before
  const double hidden = [&] {
    Setup other = setup;
    other.overlaps_gradients = other.overlaps_weights = false;
    return step_time(other, slow, usual).data - step_time(setup, slow, usual).data;
  }();
  CHECK(hidden > apart.data - together.data);
  CHECK(hidden < 0.01 * step_time(setup, slow, usual).data);
  setup.overlaps_tensor = true;
  CHECK(step_time(setup, kDgx, usual).tensor == Approx((1 - usual.hidden_share) * apart.tensor));
}

TEST_CASE("FSDP makes every second product again where recomputation is selective") {
  Setup setup = gpt3();
  setup.framework = Framework::kFsdp;
  setup.attention = Attention::kFlash;
  setup.tp = setup.pp = 1;
  setup.zero = 3;
  const auto time = [&](Recompute recompute) {
    setup.recompute = recompute;
    return step_time(setup, kDgx, {});
  };
  const StepTime none = time(Recompute::kNone), selective = time(Recompute::kSelective),
                 full = time(Recompute::kFull);
  CHECK(selective.products - none.products == Approx((full.products - none.products) / 2));
  CHECK(selective.attention == none.attention);
  CHECK(full.elements == Approx(selective.elements));
}

TEST_CASE("products of a GPU reach as much of its peak as its best one does beside an A100's") {
  const auto usual = [](const char* name) { return usual_rates_of(*find_accelerator(name)); };
  CHECK(usual("a100-sxm4-80g").product_share == Approx(Rates().product_share));
  CHECK(usual("v100-sxm2-32g").product_share == Rates().product_share);  // none was measured
  CHECK(usual("h100-sxm5-80g").product_share == Approx(0.8 * (794.5 / 989) / (271.2 / 312)));
  CHECK(usual("h100-sxm5-80g").attention_share == Rates().attention_share);
}

TEST_CASE("every rate makes an iteration faster or slower, and its bounds hold its usual value") {
  Setup setup = gpt3();
  setup.shape.head_width = 125;  // no multiple of 8
  setup.shape.heads = setup.shape.kv_heads = 96;
  for (const RateParameter& one : rate_parameters()) {
    CAPTURE(one.name);
    Setup its = setup;
    if (one.name == "hidden_share") its.zero = 3;
    Rates least, most;
    CHECK(least.*one.member >= one.least);
    CHECK(least.*one.member <= one.most);
    least.*one.member = one.least;
    most.*one.member = one.most;
    CHECK(seconds(its, kDgx, least) != seconds(its, kDgx, most));
  }
}

TEST_CASE("links that join nodes carry what would else leave them") {
  const Machine joined = machine_of(find_accelerator("gb200-nvl-186g").value(), {});
  CHECK(joined.joined == 72);
  Machine apart = joined;
  apart.joined = 0;
  Setup setup = gpt3();
  setup.generation = Generation::kBlackwell;
  setup.gpus_per_node = 4;
  const auto time = [&](const Machine& machine, std::int64_t per_node) {
    Setup one = setup;
    one.gpus_per_node = per_node;
    return step_time(one, machine, Rates());
  };
  CHECK(time(joined, 4).tensor < time(apart, 4).tensor / 4);
  // However its nodes are called; and of a rack's 72 GPUs a job of 1,024 gets 64.
  CHECK(time(joined, 64).all() == Approx(time(joined, 4).all()));
  CHECK(time(joined, 72).all() == Approx(time(joined, 4).all()));
  // What is told of the adapters is of a node as it is told.
  const Machine told = machine_of(find_accelerator("gb200-nvl-186g").value(), 200.0);
  CHECK(time(told, 4).all() == Approx(time(joined, 4).all()));
  CHECK(machine_of(find_accelerator("h100-sxm5-80g").value(), {}).joined == 0);
}

TEST_CASE("rates are learned back from times that were made with them") {
  Rates made;
  made.product_share = 0.6;
  made.node_share = 0.3;
  made.layer_us = 900;
  std::vector<MeasuredStep> points;
  for (const std::int64_t tp : {1, 2, 4, 8, 16}) {
    for (const std::int64_t pp : {1, 2, 4, 8}) {
      for (const std::int64_t mbs : {1, 4}) {
        MeasuredStep point{gpt3(), kDgx, false, 0};
        point.setup.tp = tp;
        point.setup.pp = pp;
        point.setup.mbs = mbs;
        point.setup.dp = 1024 / tp / pp;
        point.seconds = predicted_seconds(point, made);
        points.push_back(point);
      }
    }
  }
  const Calibration found = calibrate(points);
  CHECK(found.points == 40);
  CHECK(found.spread < 0.01);
  CHECK(found.at_bounds.empty());
  CHECK(found.rates.product_share == Approx(0.6).epsilon(0.05));
  CHECK(found.rates.node_share == Approx(0.3).epsilon(0.1));
}

TEST_CASE("a rate that data would drive out of physics stays at its bound and is named") {
  std::vector<MeasuredStep> points;
  for (const std::int64_t gas : {16, 32, 64, 96}) {
    MeasuredStep point{gpt3(), kDgx, false, 0};
    point.setup.gas = gas;
    point.seconds = seconds(point.setup) / 4;  // above the peak
    points.push_back(point);
  }
  const Calibration found = calibrate(points);
  CHECK(std::find(found.at_bounds.begin(), found.at_bounds.end(), "product_share") !=
        found.at_bounds.end());
  for (const RateParameter& one : rate_parameters()) {
    CHECK(found.rates.*one.member >= one.least);
    CHECK(found.rates.*one.member <= one.most);
  }
}

TEST_CASE("without calibration a published time is within the bounds that are said") {
  int timed = 0;
  for (const PointRow& row : rows("times.tsv")) {
    const PointJudgement said = PointJudge().judge(row);
    CAPTURE(row.text("id"), said.why);
    REQUIRE(said.step_s);
    ++timed;
    const double measured = row.number("step_s").value();
    CHECK(*said.step_s == Approx(measured).epsilon(0.15));
    CHECK(*said.step_s_low < measured);
    CHECK(*said.step_s_high > measured);
  }
  CHECK(timed == 5);
}

TEST_CASE("rates of one cluster are not taken for another's") {
  PointJudge judge;
  std::vector<PointRow> slow;
  for (const PointRow& row : rows("times.tsv"))
    if (row.text("group") == "SC21-T2")
      slow.push_back(row.with("step_s", std::to_string(2 * row.number("step_s").value())));
  judge.calibrate_on(slow);
  REQUIRE(judge.fits().size() == 1);
  for (const PointRow& row : rows("times.tsv")) {
    const double usual = PointJudge().judge(row).step_s.value(),
                 now = judge.judge(row).step_s.value();
    CAPTURE(row.text("id"));
    if (row.text("group") == "SC21-T2")
      CHECK(now > 1.3 * usual);
    else
      CHECK(now == usual);
  }
}

TEST_CASE("a row of a GPU that is not known has no time and says so") {
  const PointRow row = rows("times.tsv").front().with("gpu", "Q9000");
  const PointJudgement said = PointJudge().judge(row);
  CHECK_FALSE(said.step_s);
  CHECK_THAT(said.why, Catch::Contains("the GPU is not known"));
  CHECK_FALSE(machine_of_row(row));
}

TEST_CASE("a search finds what judging every layout by hand finds, and drops what does not fit") {
  SearchSpace space;
  space.base = gpt3();
  space.base.shape.layers = 8;
  space.base.gpus_per_node = 4;
  space.base.type = NumberType::kBf16;
  space.base.framework = Framework::kMegatronCore;
  space.gpus = 16;
  space.gbs = 64;
  space.machine = kDgx;
  space.usable_bytes = 1e15;
  const SearchResult all = search_layouts(space, 100000);
  CHECK(all.judged == all.fitting);
  CHECK(static_cast<std::int64_t>(all.best.size()) == all.judged);
  double last = 0;
  std::set<std::string> seen;
  for (const FoundLayout& one : all.best) {
    const Setup& s = one.setup;
    CHECK(one.seconds >= last);
    last = one.seconds;
    CHECK(s.gpus() == 16);
    CHECK(s.gbs() == 64);
    CHECK(s.tp <= 4);
    CHECK(one.seconds == step_time(s, kDgx, {}).all());
    CHECK(one.needed_bytes == needed_bytes(s));
    seen.insert(fmt::format("{} {} {}", short_layout(s), s.zero, static_cast<int>(s.recompute)));
  }
  CHECK(seen.size() == all.best.size());

  SearchSpace odd = space;
  odd.gpus = 12;
  odd.gbs = 48;
  odd.base.gpus_per_node = 4;
  odd.base.shape.hidden = 12288;
  for (const FoundLayout& one : search_layouts(odd, 100000).best)
    CHECK(one.setup.tp != 3);  // of which a node's end cuts one

  space.usable_bytes = all.best.front().needed_bytes * 0.999;
  const SearchResult some = search_layouts(space, 3);
  REQUIRE(some.best.size() == 3);
  CHECK(some.fitting < all.fitting);
  CHECK(some.judged == all.judged);
  std::vector<double> expected;
  for (const FoundLayout& one : all.best)
    if (one.needed_bytes <= space.usable_bytes) expected.push_back(one.seconds);
  for (std::size_t i = 0; i < 3; ++i) CHECK(some.best[i].seconds == expected[i]);
}

TEST_CASE("where stages cannot be alike a search puts fewer layers on the ends") {
  SearchSpace space;
  space.base = gpt3();
  space.base.shape.layers = 26;
  space.base.type = NumberType::kBf16;
  space.base.framework = Framework::kMegatronCore;
  space.gpus = 32;
  space.gbs = 64;
  space.machine = kDgx;
  space.usable_bytes = 1e15;
  const auto ends_of = [&](std::int64_t pp) {
    std::set<std::string> all;
    for (const FoundLayout& one : search_layouts(space, 100000).best) {
      const Setup& s = one.setup;
      if (s.pp != pp) continue;
      CHECK(layout_reason(s).empty());
      std::int64_t layers = 0;
      for (std::int64_t stage = 0; stage < pp; ++stage) {
        layers += s.layers_of_stage(stage);
        if (!space.counts_loss) CHECK(s.layers_of_stage(stage) % s.chunks == 0);
      }
      CHECK(layers == 26);
      all.insert(fmt::format("{} {}", s.first_layers, s.last_layers));
    }
    return all;
  };
  CHECK(ends_of(2) == std::set<std::string>{"0 0"});
  CHECK(ends_of(4) == std::set<std::string>{"6 6"});  // and 7 between them
  CHECK(ends_of(8).empty());                          // 1 and 1, and 4 between them
  space.counts_embedding = space.counts_loss = true;
  CHECK(ends_of(4) == std::set<std::string>{"6 6"});
  CHECK(ends_of(2) == std::set<std::string>{"13 13"});
  space.base.framework = Framework::kMegatronDeepSpeed;
  space.counts_embedding = space.counts_loss = false;
  CHECK(ends_of(4).empty());
}

TEST_CASE("a search splits sequences and experts where Megatron-Core can") {
  SearchSpace space;
  space.base = gpt3();
  Shape& m = space.base.shape;
  m.layers = 4;
  m.experts = 8;
  m.experts_per_token = 2;
  m.expert_ffn = m.ffn;
  space.base.gpus_per_node = 4;
  space.base.type = NumberType::kBf16;
  space.base.framework = Framework::kMegatronCore;
  space.base.attention = Attention::kFlash;
  space.gpus = 16;
  space.gbs = 16;
  space.machine = kDgx;
  space.usable_bytes = 1e15;
  const SearchResult all = search_layouts(space, 1000000);
  std::set<std::int64_t> parts, holders;
  std::set<std::string> seen;
  for (const FoundLayout& one : all.best) {
    const Setup& s = one.setup;
    REQUIRE(s.gpus() == 16);
    REQUIRE(layout_reason(s).empty());
    REQUIRE((s.expert_tp == 1 || s.expert_tp == s.tp));
    parts.insert(s.cp);
    holders.insert(s.ep);
    seen.insert(fmt::format("{} {} {} {} {} {}", short_layout(s), s.cp, s.ep, s.expert_tp, s.zero,
                            static_cast<int>(s.recompute)));
  }
  CHECK(seen.size() == all.best.size());
  CHECK(parts == std::set<std::int64_t>{1, 2, 4, 8, 16});
  CHECK(holders == std::set<std::int64_t>{1, 2, 4, 8});
  const auto splits = [](const FoundLayout& one) { return one.setup.expert_tp > 1; };
  CHECK(std::none_of(all.best.begin(), all.best.end(), splits));  // experts with biases
  m.biases = false;
  const SearchResult more = search_layouts(space, 1000000);
  CHECK(std::any_of(more.best.begin(), more.best.end(), splits));
  for (const FoundLayout& one : more.best) REQUIRE(layout_reason(one.setup).empty());
  m.biases = true;

  SearchSpace narrow = space;
  narrow.for_probe = true;
  const SearchResult plain = search_layouts(narrow, 1000000);
  CHECK_FALSE(plain.best.empty());
  for (const FoundLayout& one : plain.best) REQUIRE((one.setup.cp == 1 && one.setup.chunks == 1));
  narrow.vocab_divisor = 0;
  narrow.base.shape.vocab = 50257;  // as it is
  for (const FoundLayout& one : search_layouts(narrow, 1000000).best) REQUIRE(one.setup.tp == 1);

  const double middle = all.best[all.best.size() / 2].seconds;
  const auto faster = std::count_if(all.best.begin(), all.best.end(),
                                    [&](const FoundLayout& one) { return one.seconds < middle; });
  CHECK(search_layouts(space, 1, middle).faster == faster);

  m.seq = 2048 - 4;  // of which 8 parts in two halves each are none
  for (const FoundLayout& one : search_layouts(space, 1000000).best) REQUIRE(one.setup.cp <= 2);
  space.base.attention = Attention::kScores;
  for (const FoundLayout& one : search_layouts(space, 1000000).best) REQUIRE(one.setup.cp == 1);
}
