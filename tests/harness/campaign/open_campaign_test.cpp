// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/open_campaign.h"

#include <set>

#include "tests/support/catch.h"

using namespace pippin;

namespace {

Point point_named(const std::string& name, std::int64_t gpus = 1) {
  Point point;
  point.name = name;
  point.layout.gpus = gpus;
  point.trainer = name;
  point.id = point_id(point);
  return point;
}

Sweep sweep_with(const std::vector<std::string>& names, Repeats repeats) {
  Sweep sweep;
  sweep.name = "s";
  sweep.repeats = repeats;
  for (const auto& name : names) sweep.points.push_back(point_named(name));
  return sweep;
}

std::vector<std::string> run_names(const PlannedJob& job) {
  std::vector<std::string> names;
  for (const auto& run : job.runs) names.push_back(run.name);
  return names;
}

}  // namespace

TEST_CASE("each allocation is a complete block in an order of its own") {
  const auto jobs = plan_jobs(sweep_with({"p0", "p1", "p2", "p3", "p4", "p5"}, {4, 1}), 1);
  REQUIRE(jobs.size() == 4);
  std::set<std::vector<std::string>> orders;
  for (const auto& job : jobs) {
    std::set<std::string> points;
    std::vector<std::string> order;
    for (const auto& run : job.runs) {
      points.insert(run.point_id);
      order.push_back(run.point_id);
    }
    CHECK(points.size() == 6);
    CHECK(job.runs.size() == 6);
    CHECK(job.runs.back().position == 6);
    orders.insert(order);
  }
  CHECK(orders.size() == 4);
}

TEST_CASE("the order of a block is the same on every platform") {
  const auto jobs = plan_jobs(sweep_with({"p0", "p1", "p2", "p3", "p4"}, {2, 1}), 1);
  CHECK(run_names(jobs[0]) ==
        std::vector<std::string>{"p0-a1", "p1-a1", "p4-a1", "p2-a1", "p3-a1"});
  CHECK(run_names(jobs[1]) ==
        std::vector<std::string>{"p3-a2", "p0-a2", "p1-a2", "p4-a2", "p2-a2"});
}

TEST_CASE("two runs in an allocation are two blocks one after the other") {
  const auto jobs = plan_jobs(sweep_with({"a", "b", "c"}, {1, 2}), 1);
  REQUIRE(jobs.size() == 1);
  REQUIRE(jobs[0].runs.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(jobs[0].runs[i].repeat == 1);
    CHECK(jobs[0].runs[i + 3].repeat == 2);
  }
}

TEST_CASE("points of unlike node counts are in jobs of their own") {
  Sweep sweep = sweep_with({}, {1, 1});
  sweep.cluster.gpus_per_node = 4;
  for (std::int64_t gpus : {4, 8, 5, 3})
    sweep.points.push_back(point_named("g" + std::to_string(gpus), gpus));
  const auto jobs = plan_jobs(sweep, 1);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].name == "s-a1-n1");
  CHECK(jobs[0].runs.size() == 2);
  CHECK(jobs[1].nodes == 2);
}

TEST_CASE("sequential goes point by point and shuffled mixes the same jobs") {
  Sweep sweep = sweep_with({"a", "b", "c"}, {3, 2});
  sweep.order = Order::kSequential;
  const auto sequential = plan_jobs(sweep, 1);
  REQUIRE(sequential.size() == 9);
  CHECK(sequential[0].name == "a-a1");
  CHECK(sequential[2].name == "a-a3");
  CHECK(sequential[3].name == "b-a1");
  CHECK(run_names(sequential[0]) == std::vector<std::string>{"a-a1-r1", "a-a1-r2"});
  sweep.order = Order::kShuffled;
  const auto shuffled = plan_jobs(sweep, 1);
  std::vector<std::string> names, sorted;
  for (const auto& job : shuffled) names.push_back(job.name);
  for (const auto& job : sequential) sorted.push_back(job.name);
  CHECK(names != sorted);
  CHECK_THAT(names, Catch::UnorderedEquals(sorted));
}

TEST_CASE("points that share a person's name get names of their own") {
  Sweep sweep = sweep_with({"x", "y"}, {1, 1});
  sweep.points[1].name = "x";
  const auto jobs = plan_jobs(sweep, 1);
  std::set<std::string> names;
  for (const auto& run : jobs[0].runs) names.insert(run.name);
  CHECK(names.size() == 2);
  CHECK(names.count("x-a1") == 0);
}

TEST_CASE("a run is named after what its point's name leaves out too") {
  Sweep sweep = sweep_with({"x-zero1"}, {1, 1});
  sweep.points[0].axes = {{"zero", value_of("1")}};
  CHECK(plan_jobs(sweep, 1)[0].runs[0].name == "x-zero1-a1");
  const auto name_with = [&](const std::string& fixed) {
    sweep.points[0].axes = {{"zero", value_of("1")}, {"fixed", value_of(fixed)}};
    sweep.points[0].id = point_id(sweep.points[0]);
    return plan_jobs(sweep, 1)[0].runs[0].name;
  };
  CHECK(name_with("1").starts_with("x-zero1-"));
  CHECK(name_with("1") != name_with("2"));
}

TEST_CASE("a later campaign carries its number in every name") {
  const auto jobs = plan_jobs(sweep_with({"a"}, {1, 1}), 2);
  CHECK(jobs[0].name == "s-c2-a1-n1");
  CHECK(jobs[0].runs[0].name == "a-c2-a1");
}

TEST_CASE("what was added to the sweep is added and nothing runs twice") {
  const Campaign first = begin_campaign(sweep_with({"a", "b"}, {2, 1}), 1, "now");
  const Campaign same =
      continue_campaign(first, sweep_with({"a", "b"}, {2, 1}), [](auto&, auto&) { return true; });
  CHECK(same.jobs.size() == first.jobs.size());
  const Campaign more = continue_campaign(first, sweep_with({"a", "b", "c"}, {3, 1}),
                                          [](auto&, auto&) { return true; });
  std::multiset<std::string> runs, jobs;
  for (const auto& job : more.jobs) {
    jobs.insert(job.name);
    for (const auto& run : job.runs) runs.insert(run.name);
  }
  CHECK(runs == std::multiset<std::string>{"a-a1", "a-a2", "a-a3", "b-a1", "b-a2", "b-a3", "c-a1",
                                           "c-a2", "c-a3"});
  CHECK(jobs ==
        std::multiset<std::string>{"s-a1-n1", "s-a1-n1+2", "s-a2-n1", "s-a2-n1+2", "s-a3-n1"});
  CHECK(more.points.size() == 3);
}

TEST_CASE("a point that left the sweep is not started and what it has done stays") {
  const Campaign first = begin_campaign(sweep_with({"a", "b"}, {2, 1}), 1, "now");
  const Campaign less =
      continue_campaign(first, sweep_with({"a"}, {2, 1}),
                        [](auto&, const PlannedRun& run) { return run.name == "b-a1"; });
  std::set<std::string> runs;
  for (const auto& job : less.jobs) {
    for (const auto& run : job.runs) runs.insert(run.name);
  }
  CHECK(runs == std::set<std::string>{"a-a1", "a-a2", "b-a1"});
  CHECK(less.points.size() == 2);
}

TEST_CASE("fewer allocations are asked for and only what has begun goes on") {
  const Campaign first = begin_campaign(sweep_with({"a"}, {5, 1}), 1, "now");
  const Campaign less = continue_campaign(first, sweep_with({"a"}, {2, 1}),
                                          [](auto&, auto& run) { return run.name == "a-a4"; });
  std::set<std::string> runs;
  for (const auto& job : less.jobs) {
    for (const auto& run : job.runs) runs.insert(run.name);
  }
  CHECK(runs == std::set<std::string>{"a-a1", "a-a2", "a-a4"});
}

TEST_CASE("a campaign is rated by its cluster's peak where it computes on its GPUs") {
  Sweep sweep = sweep_with({"a", "b"}, {1, 1});
  sweep.cluster.accelerator.peak_tflops = {{"bf16", 312}};
  const auto is_rated = [&] { return !begin_campaign(sweep, 1, "now").peak_tflops.empty(); };
  CHECK(is_rated());  // by a command of the user's
  sweep.trainer.probe = "replay";
  CHECK(is_rated());
  sweep.trainer.probe = "training";
  CHECK_FALSE(is_rated());
  sweep.points[0].axes.emplace_back("device", value_of("cpu"));
  CHECK_FALSE(is_rated());
  sweep.points[1].axes.emplace_back("device", value_of("cuda"));
  CHECK(is_rated());
}
