// SPDX-License-Identifier: Apache-2.0
// What is learned of a cluster: out of links and products that were measured, and out of training.
#include "sweeps/estimate/learn_rates.h"

#include <cmath>
#include <random>

#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// Readings of `groups` tables: a call of 20 us and 10 GB/s, with errors of that size.
std::vector<TwoParts> readings_of(int groups, double error, double of_group = 0) {
  std::mt19937 random(7);
  const auto noise = [&](double size) {
    // Sums of uniform numbers: the same on every machine, as distributions are not.
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random()) / 4294967296.0;
    return std::exp(size * sum);
  };
  std::vector<TwoParts> all;
  for (int group = 0; group < groups; ++group) {
    const double own = noise(of_group);
    for (double bytes = 1024; bytes <= 256e6; bytes *= 4)
      all.push_back({1, bytes, (20e-6 + bytes / 10e9) * own * noise(error), group});
  }
  return all;
}

Machine machine_of() {
  Machine machine;
  machine.peak_tflops = machine.peak_tflops_16 = 312;
  machine.memory_gb_per_s = 2039;
  machine.link_gb_per_s = 300;
  machine.node_gb_per_s = 100;
  machine.units = 108;
  return machine;
}

CollectiveReading call_of(std::int64_t ranks, std::int64_t nodes, double busbw) {
  CollectiveReading reading;
  reading.reading = 1;
  reading.ranks = ranks;
  reading.nodes = nodes;
  reading.measured.operation = "all_reduce";
  reading.measured.bytes = 1 << 26;
  reading.measured.time_us = 1000;
  reading.measured.busbw_gb_per_s = busbw;
  return reading;
}

/// A layout, and what it takes at those rates.
MeasuredStep step_of(std::int64_t tp, std::int64_t pp, std::int64_t mbs, const Rates& rates) {
  MeasuredStep step;
  step.setup.framework = Framework::kMegatron2;  // stages gather their messages within a node
  Shape& m = step.setup.shape;
  m.layers = 24;
  m.hidden = 4096;
  m.heads = m.kv_heads = 32;
  m.head_width = 128;
  m.ffn = 16384;
  m.seq = m.positions = 2048;
  m.vocab = 50304;
  m.tied = false;  // links between nodes carry messages and replicas' sums alone
  step.setup.tp = tp;
  step.setup.pp = pp;
  step.setup.dp = 32 / tp / pp;
  step.setup.mbs = mbs;
  step.setup.gas = 256 / step.setup.dp / mbs;
  step.machine = machine_of();
  step.seconds = step_time(step.setup, step.machine, rates).all();
  return step;
}

std::vector<MeasuredStep> steps_at(const Rates& rates) {
  std::vector<MeasuredStep> steps;
  for (const std::int64_t tp : {1, 2, 4, 8})
    for (const std::int64_t pp : {1, 2, 4})
      for (const std::int64_t mbs : {1, 2}) steps.push_back(step_of(tp, pp, mbs, rates));
  return steps;
}

const LearnedRate& rate_in(const LearnedRates& rates, std::string_view name) {
  for (const LearnedRate& one : rates.all)
    if (one.name == name) return one;
  throw std::out_of_range(std::string(name));
}

}  // namespace

TEST_CASE("latency and bandwidth are found over message sizes, whatever some readings say") {
  const TwoRates exact = fit_two_rates(readings_of(1, 0));
  REQUIRE(exact.first);
  CHECK(exact.first->seconds == Approx(20e-6));
  CHECK(1 / exact.second->seconds == Approx(10e9));
  CHECK_FALSE(exact.first->sd);
  auto disturbed = readings_of(10, 0.02);
  for (std::size_t i = 0; i < disturbed.size(); i += 9) disturbed[i].seconds *= 20;
  const TwoRates robust = fit_two_rates(disturbed);
  CHECK(robust.first->seconds == Approx(20e-6).epsilon(0.05));
  CHECK(1 / robust.second->seconds == Approx(10e9).epsilon(0.05));
  CHECK(robust.groups == 10);
}

TEST_CASE("the uncertainty is that between those who measured, not between their readings") {
  const TwoRates alike = fit_two_rates(readings_of(12, 0.01));
  const TwoRates unlike = fit_two_rates(readings_of(12, 0.01, 0.2));
  REQUIRE(unlike.second);
  CHECK(*alike.second->sd < 0.01);
  // 0.2 by the root of twelve.
  CHECK(*unlike.second->sd > 0.03);
  CHECK(*unlike.second->sd < 0.12);
}

TEST_CASE("what no reading has enough of is not told") {
  CHECK_FALSE(fit_two_rates({}).first);
  const TwoRates large = fit_two_rates({{1, 64e6, 6.4e-3, 1}, {1, 512e6, 51e-3, 1}});
  CHECK_FALSE(large.first);
  CHECK(1 / large.second->seconds == Approx(10e9).epsilon(0.02));
  const TwoRates small = fit_two_rates({{1, 8, 20e-6, 1}, {1, 64, 20e-6, 2}});
  CHECK(small.first->seconds == Approx(20e-6));
  CHECK_FALSE(small.second);
  // One size: what of it is the call nobody can say.
  const TwoRates one = fit_two_rates({{1, 1e6, 120e-6, 1}, {1, 1e6, 121e-6, 2}});
  CHECK_FALSE(one.first);
  CHECK_FALSE(one.second);
  const TwoRates held = fit_two_rates({{1, 1e6, 120e-6, 1}}, 5e-6);
  CHECK(held.first->seconds == Approx(120e-6 / 6));
}

TEST_CASE("readings are of links within a node, between nodes, or say nothing") {
  MachineReadings readings;
  add_reading(call_of(8, 1, 200), 8, readings);
  add_reading(call_of(16, 2, 80), 8, readings);
  add_reading(call_of(2, 2, 10), 8, readings);  // one GPU of each node
  CollectiveReading wrong = call_of(8, 1, 900);
  wrong.measured.wrong = 3;
  add_reading(wrong, 8, readings);
  CollectiveReading alone = call_of(1, 1, 900);
  add_reading(alone, 8, readings);
  REQUIRE(readings.node.size() == 1);
  CHECK(readings.node[0].second == Approx(200e9 * 1e-3));
  REQUIRE(readings.cluster.size() == 1);
  CHECK(readings.cluster[0].second == Approx(80e9 * 1e-3));
  // nccl-tests' factor where the table has no bandwidth: 2 (n - 1) / n of the bytes.
  CollectiveReading plain = call_of(4, 1, 1);
  plain.measured.busbw_gb_per_s.reset();
  plain.measured.number_type = "float";
  add_reading(plain, 8, readings);
  CHECK(readings.node[1].second == Approx(1.5 * (1 << 26)));
}

TEST_CASE("measured links and products become shares of what data sheets say") {
  MachineReadings readings;
  readings.node = readings.cluster = readings_of(4, 0);
  for (TwoParts& one : readings.node) one.seconds = 20e-6 + one.second / 240e9;
  for (TwoParts& one : readings.cluster) one.seconds = 50e-6 + one.second / 60e9;
  add_message(4 << 20, (4 << 20) / 5e9, 1, readings);
  Rates slow;
  slow.product_share = 0.6;
  for (const std::int64_t size : {1024, 2048, 4096, 8192}) {
    const ProductWork work = product_work(machine_of(), size, size, size);
    add_product(machine_of(), {size, size, size, 0, 0, 0, 0, ""},
                (work.computing + 150 * work.sides) / 0.6, size, readings);
  }
  const auto rates = direct_rates(fit_machine(readings), machine_of(), 4);
  const auto value = [&](std::string_view name) {
    for (const DirectRate& one : rates)
      if (one.name == name) return one.value;
    return 0.0;
  };
  CHECK(value("call_us") == Approx(20));
  CHECK(value("link_share") == Approx(0.8));
  CHECK(value("node_share") == Approx(0.6));
  CHECK(value("message_share") == Approx(0.2));
  CHECK(value("product_share") == Approx(0.6));
  CHECK(value("short_side") == Approx(150));
  // Without data sheets there is a latency, and no share of anything.
  const auto bare = direct_rates(fit_machine(readings), std::nullopt, 4);
  REQUIRE(bare.size() == 1);
  CHECK(bare[0].name == "call_us");
}

TEST_CASE("training tells the rates that its layouts depend on, and its bounds hold others") {
  Rates truth;
  truth.product_share = 0.6;
  truth.call_us = 80;
  const auto steps = steps_at(truth);
  const LearnedRates learned = learn_rates({}, steps, 0.45);
  CHECK(rate_in(learned, "product_share").value == Approx(0.6).epsilon(0.05));
  CHECK(rate_in(learned, "product_share").source == RateSource::kRuns);
  CHECK(rate_in(learned, "product_share").readings == 24);
  // Nothing here is ZeRO-3, or makes layers again.
  CHECK(rate_in(learned, "hidden_share").source == RateSource::kUsual);
  CHECK(learned.rates.hidden_share == Rates().hidden_share);
  CHECK(learned.spread < 0.02);
  CHECK(learned.half_width < 0.1);
  const MeasuredStep other = step_of(2, 8, 1, truth);
  const double predicted = predicted_seconds(other, learned.rates);
  CHECK(std::abs(std::log(predicted / other.seconds)) <= learned.half_width);
}

TEST_CASE("a rate that leaves physics is named, and the usual one is used") {
  Rates truth;
  auto steps = steps_at(truth);
  for (MeasuredStep& one : steps) one.seconds *= 8;
  const LearnedRates learned = learn_rates({}, steps, 0.45);
  const LearnedRate& rate = rate_in(learned, "product_share");
  REQUIRE(rate.at_bound);
  CHECK(*rate.at_bound == Approx(0.2));
  CHECK(rate.source == RateSource::kUsual);
  CHECK(learned.rates.product_share == Rates().product_share);
  const LearnedRates direct = learn_rates({{"link_share", 1, std::nullopt, 3, 1, true}}, {}, 0.45);
  CHECK(direct.rates.link_share == Rates().link_share);
  CHECK(rate_in(direct, "link_share").at_bound == 1.0);
}

TEST_CASE("what a probe measured is used as it is, until training corrects it") {
  const std::vector<DirectRate> direct{{"link_share", 0.5, 0.02, 40, 5, false}};
  const LearnedRates alone = learn_rates(direct, {}, 0.45);
  CHECK(alone.rates.link_share == 0.5);
  CHECK(alone.half_width == 0.45);
  CHECK(rate_in(alone, "link_share").source == RateSource::kProbe);
  CHECK(rate_in(alone, "link_share").groups == 5);
  Rates truth;
  truth.link_share = 0.35;
  const LearnedRates both = learn_rates(direct, steps_at(truth), 0.45);
  CHECK(both.rates.link_share < 0.45);
  CHECK(rate_in(both, "link_share").source == RateSource::kBoth);
}

TEST_CASE("rates that could each be why runs are slow share that, and none is sure") {
  Rates truth;
  truth.product_share = 0.75 * Rates().product_share;
  std::vector<MeasuredStep> steps;
  for (const std::int64_t tp : {1, 2, 2, 4, 4}) {
    MeasuredStep& step = steps.emplace_back(step_of(tp, 1, 1, truth));
    step.setup.shape.seq = step.setup.shape.positions = 16384;
    step.seconds = step_time(step.setup, step.machine, truth).all();
  }
  const LearnedRates learned = learn_rates({}, steps, 0.45);
  const LearnedRate& products = rate_in(learned, "product_share");
  const LearnedRate& attention = rate_in(learned, "attention_share");
  CHECK(products.value < 0.98 * Rates().product_share);
  CHECK(attention.value < 0.95 * Rates().attention_share);
  CHECK(attention.value > 0.6 * Rates().attention_share);
  CHECK(products.sd.value() > 0.08);
  CHECK(attention.sd.value() > 0.2);
  for (const MeasuredStep& step : steps)
    CHECK(predicted_seconds(step, learned.rates) == Approx(step.seconds).epsilon(0.03));
}

TEST_CASE("one run alone promises no better bounds than none") {
  Rates truth;
  truth.product_share = 0.5;
  const LearnedRates learned = learn_rates({}, {step_of(2, 2, 1, truth)}, 0.45);
  CHECK(learned.half_width == 0.45);
}

TEST_CASE("bounds are wide where a layout hangs on what the runs that were measured do not tell") {
  Rates truth;
  truth.link_share = 0.35;
  std::vector<MeasuredStep> alone;  // no messages within a node
  for (const std::int64_t pp : {1, 2, 4})
    for (const std::int64_t mbs : {1, 2, 4}) alone.push_back(step_of(1, pp, mbs, truth));
  const LearnedRates learned = learn_rates({}, alone, 0.45);
  REQUIRE(learned.uncertainty);
  const auto width = [&](const MeasuredStep& step) {
    return half_width_at(step, learned.rates, learned.half_width, learned.uncertainty);
  };
  CHECK(width(step_of(1, 2, 8, truth)) < 1.5 * learned.half_width);
  const MeasuredStep split = step_of(8, 1, 1, truth);
  CHECK(width(split) > 3 * learned.half_width);
  const double error = std::log(predicted_seconds(split, learned.rates) / split.seconds);
  CHECK(std::abs(error) > learned.half_width);
  CHECK(std::abs(error) <= width(split));
  CHECK(half_width_at(split, learned.rates, 0.45, std::nullopt) == 0.45);
}

TEST_CASE("of few runs the bounds are wider than their largest error") {
  Rates truth;
  truth.product_share = 0.6;
  std::vector<MeasuredStep> steps;
  double factor = 1.1;
  for (const std::int64_t tp : {1, 2, 4, 8}) {
    steps.push_back(step_of(tp, 1, 1, truth));
    steps.back().seconds *= factor;
    factor = 1 / factor;
  }
  CHECK(learn_rates({}, steps, 0.45).half_width > 2 * std::log(1.1));
}
