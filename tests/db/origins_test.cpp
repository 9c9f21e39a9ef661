// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

/// A run whose name is its place, with a GPU of its own.
RunRecord run_with(int number, const std::string& gpu, RunState state) {
  RunRecord run = test::run_of("r" + std::to_string(number), test::log_of(1, 3, number));
  run.place.position = number;
  run.state = state;
  run.provenance.gpu_model = gpu;
  run.provenance.command = "train " + std::to_string(number);
  if (state == RunState::kOom) run.log.reset();
  return run;
}

struct Stored {
  Stored() : database(folder / "t.db") {
    CampaignRecord campaign = test::campaign_of();
    campaign.cluster = "here";
    campaign.accelerator = "a100-sxm4-80g";
    campaign.peak_tflops = {{"bf16", 312}};
    database.put_campaign(campaign);
  }
  test::TemporaryDirectory folder;
  Database database;
};

/// Runs with a timer of that many milliseconds on each line.
std::string timed_log(const std::vector<double>& ms) {
  std::string log = test::dump();
  int number = 0;
  for (const double one : ms) {
    ++number;
    log += test::row(number, 100 + number);
    log += fmt::format("time (ms) | forward-compute: {:.2f} | optimizer: 7.00\n", one);
  }
  return log;
}

}  // namespace

TEST_CASE("an origin has what all runs of a point say, each once") {
  Stored stored;
  stored.database.put_run(run_with(1, "NVIDIA A100-SXM4-80GB", RunState::kOk));
  stored.database.put_run(run_with(2, "NVIDIA A100-SXM4-80GB", RunState::kOk));
  stored.database.put_run(run_with(3, "", RunState::kOom));
  const auto origins = stored.database.origins({});
  REQUIRE(origins.size() == 1);
  const PointOrigin& origin = origins[0];
  CHECK(origin.gpu_models == std::vector<std::string>{"NVIDIA A100-SXM4-80GB"});
  CHECK(origin.accelerators == std::vector<std::string>{"a100-sxm4-80g"});
  CHECK(origin.clusters == std::vector<std::string>{"here"});
  CHECK_FALSE(origin.has_logs);
  CHECK(origin.nodes == 4);
  CHECK(origin.ran == 2);
  CHECK(origin.out_of_memory == 1);
  CHECK(origin.command == "train 3");
  CHECK(find_value(origin.arguments, "num_layers"));
}

TEST_CASE("runs that are set aside are no part of an origin") {
  Stored stored;
  stored.database.put_run(run_with(1, "one", RunState::kOk));
  stored.database.put_run(run_with(2, "other", RunState::kOk));
  CHECK(stored.database.origins({})[0].gpu_models.size() == 2);
  stored.database.drop({{2}, {}, false}, "wrong");
  CHECK(stored.database.origins({})[0].gpu_models == std::vector<std::string>{"one"});
  CHECK(stored.database.origins({"other", std::nullopt}).empty());
}

TEST_CASE("a timer is the median over runs of the medians over their lines") {
  Stored stored;
  int number = 0;
  for (const std::vector<double>& ms :
       {std::vector<double>{900, 10, 12, 11, 11.5}, std::vector<double>{20, 20, 20},
        std::vector<double>{50, 14, 15}}) {
    RunRecord run = run_with(++number, "", RunState::kOk);
    run.log = scrape(timed_log(ms)).at(0);
    stored.database.put_run(run);
  }
  const auto timers = stored.database.timers({}, {"forward-compute", "no such"});
  REQUIRE(timers.size() == 1);
  CHECK(timers[0].point == stored.database.origins({})[0].point);
  REQUIRE(timers[0].timers.size() == 1);
  CHECK(timers[0].timers[0].name == "forward-compute");
  CHECK(timers[0].timers[0].seconds == Approx(0.015));
  CHECK(stored.database.timers({}, {"no such"}).empty());
}

TEST_CASE("logs that no campaign made have an origin without a cluster") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "a.log", test::log_of(1, 3));
  const auto origins = database.origins({});
  REQUIRE(origins.size() == 1);
  CHECK(origins[0].has_logs);
  CHECK(origins[0].clusters.empty());
  CHECK(origins[0].command.empty());
  CHECK(origins[0].ran == 1);
}

TEST_CASE("a point of two sweeps has an origin in each") {
  Stored stored;
  stored.database.put_run(run_with(1, "one", RunState::kOk));
  CampaignRecord other = test::campaign_of();
  other.sweep = "other";
  other.cluster = "there";
  stored.database.put_campaign(other);
  RunRecord run = run_with(2, "two", RunState::kOk);
  run.place.sweep = "other";
  stored.database.put_run(run);
  auto origins = stored.database.origins({});
  REQUIRE(origins.size() == 2);
  std::sort(origins.begin(), origins.end(),
            [](const auto& a, const auto& b) { return a.sweep < b.sweep; });
  CHECK(origins[0].sweep == "gpt");
  CHECK(origins[0].gpu_models == std::vector<std::string>{"one"});
  CHECK(origins[1].sweep == "other");
  CHECK(origins[1].clusters == std::vector<std::string>{"there"});
  CHECK(origins[1].command == "train 2");
}
