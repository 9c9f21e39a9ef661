// SPDX-License-Identifier: Apache-2.0
// A cluster's rates: tables for people and programs, and the block of a cluster file.
#include "reports/calibration.h"

#include <sstream>

#include "sweeps/cluster_rates.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// Links by five tables, one of them beyond its bound; a rate by three points of training.
ClusterCalibration learned_of() {
  ClusterCalibration learned;
  learned.cluster = "mine";
  learned.accelerator = "a100-sxm4-80g";
  learned.node_gb_per_s = 50;
  learned.machine.node.first = FittedRate{20e-6, 0.1};
  learned.machine.node.second = FittedRate{1 / 240e9, std::nullopt};
  learned.machine.node.readings = 40;
  learned.machine.node.groups = 5;
  learned.rates = learn_rates({}, {}, 0.45);
  for (LearnedRate& rate : learned.rates.all) {
    if (rate.name == "link_share") {
      rate.value = 0.8;
      rate.sd = 0.1;
      rate.source = RateSource::kProbe;
      rate.readings = 40;
      rate.groups = 5;
    } else if (rate.name == "node_share") {
      rate.at_bound = 1;
      rate.readings = 12;
    } else if (rate.name == "product_share") {
      rate.value = 0.6;
      rate.sd = 0.05;
      rate.source = RateSource::kRuns;
      rate.readings = 3;
    }
  }
  learned.rates.points = 3;
  learned.rates.spread = 0.04;
  learned.rates.half_width = 0.2;
  return learned;
}

std::string written(const FlatTable& table, const char* format) {
  std::ostringstream text;
  flat_format_named(format).write(table, text);
  return text.str();
}

}  // namespace

TEST_CASE("each rate has its value, interval, usual value, readings and use") {
  const std::string csv = written(calibration_figures(learned_of()), "csv");
  CHECK_THAT(csv, Contains("rate,value,low,high,usual,from,readings,use\n"));
  // Student's t of five groups: 2.776 times 0.1 of the logarithm; no share is above its bound.
  CHECK_THAT(csv, Contains("\nlink_share,0.8,0.606") && Contains(",1,0.75,links,40,used\n"));
  CHECK_THAT(csv, Contains("\nnode_share,0.7,,,0.7,,12,\"at its bound 1.00, not used\"\n"));
  CHECK_THAT(csv, Contains("\nproduct_share,0.6,0.5439") && Contains(",0.8,training,3,used\n"));
  CHECK_THAT(csv, Contains("\nlayer_us,1300,,,1300,,0,usual\n"));
  CHECK_THAT(csv, Contains("\nlatency within a node (us),20,"));
  CHECK_THAT(csv, Contains("\nbandwidth within a node (GB/s),240,,,,collectives,40,"));
}

TEST_CASE("people see how many runs, their errors, and the bounds of predictions") {
  const auto tables = calibration_tables(learned_of());
  REQUIRE(tables.size() == 2);
  CHECK_THAT(written(tables[1].table, "terminal"),
             Contains("3 points of training, errors of 4.0 %; by these rates 19 of 20 runs "
                      "take 18 % less to 22 % more"));
  ClusterCalibration none;
  none.rates = learn_rates({}, {}, 0.45);
  REQUIRE(calibration_tables(none).size() == 1);
  CHECK_FALSE(has_learned(none));
  CHECK_THAT(written(calibration_tables(none)[0].table, "markdown"),
             Contains("no training tells a rate"));
}

TEST_CASE("the block that is written reads as those rates, and leaves out what is not used") {
  const std::string text = rates_yaml(learned_of());
  CHECK_THAT(text,
             Contains("link_share: 0.8  # 40 readings of links, 0.606 to 1.00; usually 0.750"));
  const YamlNode root = parse_yaml(text, "rates.yaml");
  const ClusterRates rates = read_cluster_rates(*root.find("rates"));
  CHECK(rates.node_gb_per_s == 50);
  CHECK(rates.half_width == 0.2);
  REQUIRE(rates.values.size() == 2);
  CHECK(rates.values[0] == std::pair<std::string, double>("product_share", 0.6));
  CHECK(rates.values[1] == std::pair<std::string, double>("link_share", 0.8));
}

TEST_CASE("bounds by the block that is written are those by what was learned") {
  MeasuredStep step;
  Shape& m = step.setup.shape;
  m.layers = 8;
  m.hidden = 2048;
  m.heads = m.kv_heads = 16;
  m.head_width = 128;
  m.ffn = 8192;
  m.seq = m.positions = 1024;
  m.vocab = 50304;
  step.machine.peak_tflops = step.machine.peak_tflops_16 = 312;
  step.machine.memory_gb_per_s = 2039;
  step.machine.link_gb_per_s = step.machine.node_gb_per_s = 100;
  std::vector<MeasuredStep> steps;
  for (const std::int64_t mbs : {1, 2, 4, 8}) {
    step.setup.mbs = mbs;
    step.seconds = 1.2 * step_time(step.setup, step.machine, Rates()).all();
    steps.push_back(step);
  }
  ClusterCalibration learned;
  learned.rates = learn_rates({}, steps, 0.45);
  const YamlNode root = parse_yaml(rates_yaml(learned), "rates.yaml");
  Cluster cluster;
  cluster.rates = read_cluster_rates(*root.find("rates"));
  KnownRates known = rates_of(cluster);
  known.rates = learned.rates.rates;  // of which four digits are written
  for (const std::int64_t tp : {1, 4}) {
    step.setup.tp = tp;
    const double width = half_width_of(known, step.setup, step.machine);
    CHECK(width == Approx(half_width_at(step, learned.rates.rates, learned.rates.half_width,
                                        learned.rates.uncertainty))
                       .epsilon(0.01));
    CHECK((width > 1.5 * learned.rates.half_width) == (tp == 4));
  }
}
