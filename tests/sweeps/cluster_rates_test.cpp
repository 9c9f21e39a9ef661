// SPDX-License-Identifier: Apache-2.0
#include "sweeps/cluster_rates.h"

#include "sweeps/judge_points.h"
#include "tests/support/catch.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using Catch::Contains;

namespace {

const std::string kSweep = "sweep: s\ngrid: {tp: [1]}\nprobe: training\n";

std::string with_rates(const std::string& rates) {
  return kSweep + "cluster:\n  from: local\n  rates: " + rates + "\n";
}

}  // namespace

TEST_CASE("a cluster's rates stand in place of the usual ones") {
  const Cluster plain = test::sweep_of(kSweep).cluster;
  CHECK(rates_of(plain).are_usual);
  CHECK(rates_of(plain).half_width == kUncalibratedHalfWidth);
  const Cluster cluster =
      test::sweep_of(with_rates("{link_share: 0.5, hidden_share: 0, half_width: 0.1, "
                                "node_gb_per_s: 50}"))
          .cluster;
  const KnownRates known = rates_of(cluster);
  CHECK_FALSE(known.are_usual);
  CHECK(known.rates.link_share == 0.5);
  CHECK(known.rates.hidden_share == 0);
  CHECK(known.rates.node_share == Rates().node_share);
  CHECK(known.half_width == 0.1);
  CHECK(known.node_gb_per_s == 50);
  CHECK_THAT(words_on_rates("here", known),
             Contains("by the rates of here: 19 of 20 runs take 10 % less to 11 % more"));
}

TEST_CASE("a rate that is none, or can be none, is refused with its line") {
  CHECK_THAT(test::error_of(with_rates("{link_shar: 0.5}")),
             Contains("sweep.yaml:6") && Contains("did you mean 'link_share'?"));
  CHECK_THAT(test::error_of(with_rates("{link_share: 1.5}")),
             Contains("rates: link_share: '1.5' is no number from 0.1 to 1"));
  CHECK_THAT(test::error_of(with_rates("{call_us: fast}")),
             Contains("'fast' is no number from 3 to 400"));
  CHECK_THAT(test::error_of(with_rates("{half_width: -1}")), Contains("no number from 0 to 3"));
  CHECK_THAT(test::error_of(with_rates("[0.5]")), Contains("rates"));
}

TEST_CASE(
    "how unsure a cluster's rates are together is read, of what is not named as of any cluster") {
  const Cluster cluster =
      test::sweep_of(
          with_rates("{link_share: 0.5, half_width: 0.1, uncertainty: {of_learned: 0.001, "
                     "link_share: [0.2], call_us: [-0.5, 0.3]}}"))
          .cluster;
  const KnownRates known = rates_of(cluster);
  REQUIRE(known.uncertainty);
  CHECK(known.uncertainty->of_learned == 0.001);
  const auto place = [](std::string_view name) {
    std::size_t i = 0;
    while (rate_parameters()[i].name != name) ++i;
    return i;
  };
  const RateCovariance& covariance = known.uncertainty->covariance;
  const std::size_t link = place("link_share"), call = place("call_us");
  CHECK(covariance[link][link] == Approx(0.04));
  CHECK(covariance[call][link] == Approx(-0.5 * 0.2 * 0.3));
  CHECK(covariance[link][call] == covariance[call][link]);
  CHECK(covariance[place("fixed_ms")][place("fixed_ms")] == Approx(0.49));
  CHECK_THAT(words_on_rates("here", known),
             Contains("11 % more where their layout is like those that were measured"));
  for (const char* wrong : {"{link_share: [0.2, 0.3]}", "{link_share: 0.2}", "{link_share: []}"})
    CHECK_THAT(test::error_of(with_rates(std::string("{uncertainty: ") + wrong + "}")),
               Contains("uncertainty: link_share: 1 number expected"));
  CHECK_THAT(test::error_of(with_rates("{uncertainty: {link_share: [0.2], call_us: [2, 0.3]}}")),
             Contains("'2' is no number from -1 to 1"));
  CHECK_THAT(test::error_of(with_rates("{uncertainty: {link_shar: [0.2]}}")),
             Contains("did you mean 'link_share'?"));
}
