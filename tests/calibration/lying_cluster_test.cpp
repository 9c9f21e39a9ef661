// SPDX-License-Identifier: Apache-2.0
// The program itself, asked about campaigns of which the truth is known.

#include "tests/calibration/lying_cluster.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using calibration::Lies;
using nlohmann::json;

namespace {

/// A database of lies, and what pippin says of it.
class Judged {
 public:
  explicit Judged(const std::vector<std::string>& words) {
    Lies lies;
    for (const auto& word : words) calibration::set(lies, word);
    Database database(folder_ / "t.db");
    calibration::fill(database, lies);
  }

  json said(std::vector<std::string> words) const {
    words.insert(words.begin(), {PIPPIN_PROGRAM, "--db", (folder_ / "t.db").string(), "--quiet"});
    words.insert(words.end(), {"--format", "json"});
    const Outcome outcome = run_program(words);
    INFO(outcome.output);
    REQUIRE(outcome.exit_code == 0);
    return json::parse(outcome.output);
  }

  json noise() const { return said({"noise", "lying"}); }

  /// "n07 compute, n02-n03 network"
  std::string suspects() const {
    std::string text;
    const json suspects = noise().at("suspects");
    for (const auto& suspect : suspects) {
      std::string who = suspect.value("node", "");
      if (suspect.contains("link"))
        who = suspect["link"][0].get<std::string>() + "-" + suspect["link"][1].get<std::string>();
      text += (text.empty() ? "" : ", ") + who + " " + suspect.at("kind").get<std::string>();
    }
    return text;
  }

 private:
  test::TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("a slow node is named through the whole program, with its kind") {
  CHECK(Judged({"allocations=40", "slow_gpu=1.1"}).suspects() == "n07 compute");
  CHECK(Judged({"allocations=40", "slow_network=1.35", "placement=windowed"}).suspects() ==
        "n12 network");
}

TEST_CASE("of healthy nodes nobody is named, under congestion with memory and fat tails too") {
  CHECK(Judged({"allocations=40"}).suspects().empty());
  CHECK(Judged({"allocations=40", "congestion_hours=24", "tail_share=0.1", "seed=2"})
            .suspects()
            .empty());
  CHECK(Judged({"allocations=40", "canaries=no", "failed_share=0.3", "seed=3"}).suspects().empty());
}

TEST_CASE("of four nodes that are always the same a slow link is named") {
  const Judged judged({"nodes=4", "allocations=5", "placement=fixed", "slow_link=3"});
  CHECK(judged.suspects() == "n02-n03 network");
}

TEST_CASE("what moves all times is the network where the canaries say so") {
  const json causes = Judged({"allocations=30", "congestion_sd=0.3"}).noise().at("causes");
  CHECK(causes.at("network").get<double>() > 0.6);
  CHECK(causes.at("network").get<double>() > 5 * causes.at("compute").get<double>());
}

TEST_CASE("a daily cycle, and a day from which on all is slower, are found") {
  const json daily = Judged({"allocations=60", "daily=0.08", "congestion_sd=0.02"}).noise();
  CHECK(daily.at("time_of_day").at("p").get<double>() < 0.01);
  CHECK(daily.at("time_of_day").at("peak_hour").get<double>() == Approx(15).margin(2));

  const json changed = Judged({"allocations=60", "hours_apart=24", "change_day=25", "change=0.1",
                               "congestion_sd=0.03", "canaries=no"})
                           .noise();
  REQUIRE(changed.at("change_points").size() == 1);
  CHECK(changed.at("change_points")[0].at("day") == "2026-01-26");
  CHECK(changed.at("change_points")[0].at("ratio").get<double>() == Approx(1.105).margin(0.03));
  CHECK(Judged({"allocations=60", "hours_apart=24", "congestion_sd=0.03", "canaries=no"})
            .noise()
            .at("change_points")
            .empty());
}

TEST_CASE("levels hold what was put in") {
  const json levels = Judged({"allocations=30", "runs=3", "rows=1", "allocation_sd=0.06",
                              "run_sd=0.02", "iteration_sd=0.03", "congestion_sd=0", "seed=2"})
                          .noise()
                          .at("levels");
  std::map<std::string, double> truth{{"allocation", 0.06}, {"run", 0.02}, {"iteration", 0.03}};
  for (const auto& level : levels) {
    const auto known = truth.find(level.at("level").get<std::string>());
    if (known == truth.end()) continue;  // days
    CAPTURE(known->first);
    CHECK(level.at("low").get<double>() < known->second);
    CHECK(level.at("high").get<double>() > known->second);
    truth.erase(known);
  }
  CHECK(truth.empty());
}

TEST_CASE("a slower campaign, and one slower row in it, are told apart") {
  const json all = Judged({"campaigns=2", "rows=8", "last_campaign=0.2"})
                       .said({"compare", "lying/1", "lying/2"});
  CHECK(all.at("common_mode").at("ratio").get<double>() == Approx(1.22).margin(0.1));
  const json one = Judged({"campaigns=2", "rows=8", "last_campaign_row=0.2", "congestion_sd=0.02"})
                       .said({"compare", "lying/1", "lying/2"});
  for (const auto& row : one.at("rows")) {
    const bool is_first = row.at("point") == "mbs1";
    CHECK((row.at("verdict") == "slower") == is_first);
  }
}

TEST_CASE("runs that failed are counted as such, and are in no mean") {
  const Judged judged({"allocations=12", "rows=2", "failed_share=0.4", "slow_gpu=1.1"});
  const json runs = judged.said({"report", "lying", "--by", "run", "--columns", "run,state"});
  std::map<std::string, int> states;
  for (const auto& run : runs.at("rows")) ++states[run.at("state").get<std::string>()];
  CHECK(states["oom"] > 0);
  CHECK(states["timeout"] > 0);
  CHECK(states["missing"] > 0);
  CHECK(states["ok"] + states["oom"] + states["timeout"] + states["missing"] == 24);
}

TEST_CASE("what is no truth of a cluster is refused") {
  Lies lies;
  for (const char* word :
       {"slow", "slow_gpu", "slow_gpu=fast", "rows=-1", "placement=far", "canaries=1", "=1", ""}) {
    CAPTURE(word);
    CHECK_THROWS_AS(calibration::set(lies, word), Error);
  }
}
