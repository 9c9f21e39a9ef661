// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/packing.h"

#include <map>
#include <set>

#include "core/base/error.h"
#include "harness/campaign/open_campaign.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

Point point_numbered(int number, std::int64_t gpus = 4) {
  Point point;
  point.name = point.trainer = "p" + std::to_string(number);
  point.layout.gpus = gpus;
  point.id = point_id(point);
  return point;
}

/// Points p0, p1 … on one node of a cluster that gives a job 20 minutes; a run takes five.
Sweep sweep_of(int points, Repeats repeats) {
  Sweep sweep;
  sweep.name = "s";
  sweep.file = "s.yaml";
  sweep.cluster.name = "c";
  sweep.cluster.gpus_per_node = 4;
  sweep.cluster.scheduler_options = {{"time", value_of("00:20:00")}};
  sweep.run_time_s = 300;
  sweep.repeats = repeats;
  for (int i = 0; i < points; ++i) sweep.points.push_back(point_numbered(i));
  return sweep;
}

std::multiset<std::string> run_names(const std::vector<PlannedJob>& jobs) {
  std::multiset<std::string> names;
  for (const auto& job : jobs) {
    for (const auto& run : job.runs) names.insert(run.name);
  }
  return names;
}

std::vector<std::string> job_names(const std::vector<PlannedJob>& jobs) {
  std::vector<std::string> names;
  names.reserve(jobs.size());
  for (const auto& job : jobs) names.push_back(job.name);
  return names;
}

/// How often each point is measured beside references, by allocation.
std::map<std::int64_t, std::map<std::string, int>> measured(const std::vector<PlannedJob>& jobs) {
  std::map<std::int64_t, std::map<std::string, int>> counts;
  for (const auto& job : jobs) {
    for (const auto& run : job.runs)
      counts[job.allocation][run.point_id] += run.is_reference ? 0 : 1;
  }
  return counts;
}

void check_incomplete(const std::vector<PlannedJob>& jobs, const std::string& reference,
                      std::size_t most) {
  for (const auto& job : jobs) {
    CAPTURE(job.name);
    std::set<std::int64_t> passes, with_reference;
    for (const auto& run : job.runs) {
      passes.insert(run.repeat);
      if (!run.is_reference) continue;
      CHECK(run.point_id == reference);
      CHECK(with_reference.insert(run.repeat).second);
    }
    CHECK(with_reference == passes);
    CHECK(job.runs.size() <= most);
    for (std::size_t i = 0; i < job.runs.size(); ++i)
      CHECK(job.runs[i].position == static_cast<std::int64_t>(i) + 1);
  }
}

bool begun(const PlannedJob&, const PlannedRun&) { return true; }
bool not_begun(const PlannedJob&, const PlannedRun&) { return false; }

std::string error_of(const Sweep& sweep) {
  try {
    return std::to_string(plan_jobs(sweep, 1).size()) + " jobs";
  } catch (const Error& error) {
    return error.exit_code() == ExitCode::kBadInput ? error.what() : "not bad input";
  }
}

}  // namespace

TEST_CASE("a job asks for the time of its runs and a margin up to the cluster's limit") {
  Sweep sweep = sweep_of(3, {2, 1});
  CHECK(time_to_ask_for(sweep, {4}) == 360);
  CHECK(time_to_ask_for(sweep, {4, 4, 4}) == 960);
  CHECK(time_to_ask_for(sweep, {4, 4, 4, 4}) == 1200);
  sweep.run_time_s = 290.5;
  CHECK(time_to_ask_for(sweep, {4}) == 360);
  const auto jobs = plan_jobs(sweep, 1);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].time_s == 960);
  sweep.cluster.scheduler_options.clear();
  CHECK(time_to_ask_for(sweep, std::vector<std::int64_t>(100, 4)) == 29160);
  sweep.run_time_s.reset();
  CHECK_FALSE(time_to_ask_for(sweep, {4}));
  CHECK_FALSE(plan_jobs(sweep, 1)[0].time_s);
}

TEST_CASE("one run may use the whole limit and several leave a margin") {
  Sweep sweep = sweep_of(3, {1, 1});
  CHECK(runs_that_fit(sweep, 1) == 3);
  sweep.run_time_s = 1200;
  CHECK(runs_that_fit(sweep, 1) == 1);
  sweep.run_time_s = 1201;
  CHECK(runs_that_fit(sweep, 1) == 0);
  sweep.run_time_s.reset();
  CHECK_FALSE(runs_that_fit(sweep, 1));
}

TEST_CASE("canaries count in a job's time, and one between two like runs once") {
  Sweep sweep = sweep_of(3, {1, 1});
  sweep.canary_s = 4.5;
  CHECK(reading_time_s(sweep) == 15);
  sweep.run_time_s = 285;
  CHECK(time_to_ask_for(sweep, {4}) == 420);            // 285 + 2 x 15 + 60
  CHECK(time_to_ask_for(sweep, {4, 4, 4}) == 1020);     // 3 x 285 + 4 x 15 + 60
  CHECK(time_to_ask_for(sweep, {4, 2, 4}) == 1020);     // 3 x 285 + 6 x 15 + 60
  CHECK(time_to_ask_for(sweep, {2, 2, 4, 4}) == 1200);  // the cluster's limit
  sweep.run_time_s = 375;                               // 3 x (375 + 15) + 15 + 60 > 1200
  CHECK(runs_that_fit(sweep, 1) == 2);
  sweep.run_time_s = 360;
  CHECK(runs_that_fit(sweep, 1) == 3);
  sweep.points.push_back(point_numbered(7, 2));
  CHECK(runs_that_fit(sweep, 1) == 2);
  sweep.run_time_s = 1180;
  CHECK(runs_that_fit(sweep, 1) == 0);
  sweep.run_time_s = 1170;
  CHECK(runs_that_fit(sweep, 1) == 1);
}

TEST_CASE("a block that fits its time limit stays whole") {
  const auto jobs = plan_jobs(sweep_of(3, {2, 1}), 1);
  CHECK(job_names(jobs) == std::vector<std::string>{"s-a1-n1", "s-a2-n1"});
  const auto packings = packings_of(sweep_of(3, {2, 1}));
  REQUIRE(packings.size() == 1);
  CHECK(packings[0].pack == Pack::kBlock);
  CHECK(packings[0].reference.empty());
}

TEST_CASE("a block that does not fit is split, and each part has the reference") {
  const Sweep sweep = sweep_of(8, {4, 1});
  const auto jobs = plan_jobs(sweep, 1);
  REQUIRE(jobs.size() == 16);
  CHECK(job_names({jobs.begin(), jobs.begin() + 5}) ==
        std::vector<std::string>{"s-a1-b1-n1", "s-a1-b2-n1", "s-a1-b3-n1", "s-a1-b4-n1",
                                 "s-a2-b1-n1"});
  check_incomplete(jobs, sweep.points[0].id, 3);
  for (const auto& [allocation, counts] : measured(jobs)) {
    CHECK(counts.size() == 8);
    for (const auto& [id, count] : counts) CHECK(count == (id == sweep.points[0].id ? 0 : 1));
  }
  const auto names = run_names(jobs);
  CHECK(names.count("p0-a3-b2") == 1);
  CHECK(names.count("p0-a3") == 0);
  CHECK(names.count("p5-a3") == 1);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("the place of the reference in its block is random") {
  std::set<std::int64_t> positions;
  for (const auto& job : plan_jobs(sweep_of(8, {8, 1}), 1)) {
    for (const auto& run : job.runs) {
      if (run.is_reference) positions.insert(run.position);
    }
  }
  CHECK(positions == std::set<std::int64_t>{1, 2, 3});
}

TEST_CASE("the order of incomplete blocks is the same on every platform") {
  const auto jobs = plan_jobs(sweep_of(5, {1, 1}), 1);
  std::vector<std::vector<std::string>> names;
  for (const auto& job : jobs) {
    names.emplace_back();
    for (const auto& run : job.runs) names.back().push_back(run.name);
  }
  CHECK(names == std::vector<std::vector<std::string>>{{"p1-a1", "p2-a1", "p0-a1-b1"},
                                                       {"p0-a1-b2", "p4-a1", "p3-a1"}});
}

TEST_CASE("the sweep's reference is that of its own node count") {
  Sweep sweep = sweep_of(6, {1, 1});
  for (int i = 6; i < 12; ++i) sweep.points.push_back(point_numbered(i, 8));
  sweep.reference = sweep.points[8].id;
  const auto packings = packings_of(sweep);
  REQUIRE(packings.size() == 2);
  CHECK(packings[0].reference == sweep.points[0].id);
  CHECK(packings[1].reference == sweep.points[8].id);
  CHECK(packings[1].nodes == 2);
  CHECK(packings[1].blocks == 3);
  CHECK(packings_of(sweep, {{1, sweep.points[4].id}, {2, "gone"}})[0].reference ==
        sweep.points[4].id);
}

TEST_CASE("repeats within an allocation are passes over each incomplete block") {
  Sweep sweep = sweep_of(5, {1, 2});
  sweep.run_time_s = 120;
  const auto jobs = plan_jobs(sweep, 1);
  REQUIRE(jobs.size() == 2);
  check_incomplete(jobs, sweep.points[0].id, 9);
  for (const auto& job : jobs) {
    CHECK(job.runs.size() == 6);
    CHECK(job.runs[2].repeat == 1);
    CHECK(job.runs[3].repeat == 2);
  }
  CHECK(run_names(jobs).count("p0-a1-b2-r2") == 1);
}

TEST_CASE("where no block fits points are packed alone unless blocks are asked for") {
  Sweep sweep = sweep_of(3, {2, 1});
  sweep.run_time_s = 1200;
  const auto jobs = plan_jobs(sweep, 1);
  REQUIRE(jobs.size() == 6);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CHECK(jobs[i].runs.size() == 1);
    CHECK(jobs[i].allocation == (i < 3 ? 1 : 2));
  }
  sweep.pack = Pack::kBlock;
  CHECK(
      error_of(sweep) ==
      "s.yaml: a block of one point and the reference, 2 runs of 00:20:00, does not fit the time "
      "limit 00:20:00 of cluster 'c': raise its slurm: time, or lower run_time with iterations, or "
      "choose pack: point");
}

TEST_CASE("what does not fit in any way says both numbers and the remedy") {
  Sweep sweep = sweep_of(3, {1, 1});
  sweep.run_time_s = 1201;
  CHECK(
      error_of(sweep) ==
      "s.yaml: one point, 1 run of 00:20:01, does not fit the time limit 00:20:00 of cluster 'c': "
      "raise its slurm: time, or lower run_time with iterations");
  sweep = sweep_of(3, {1, 5});
  for (const Order order : {Order::kBlocks, Order::kSequential}) {
    sweep.order = order;
    CHECK(error_of(sweep) ==
          "s.yaml: one point, 5 runs of 00:05:00, does not fit the time limit 00:20:00 of cluster "
          "'c': raise its slurm: time, or lower run_time with iterations, or ask for more "
          "allocations and fewer runs in each");
  }
}

TEST_CASE("points packed alone in blocks are one random pass after the other") {
  Sweep sweep = sweep_of(6, {4, 1});
  sweep.pack = Pack::kPoint;
  const auto jobs = plan_jobs(sweep, 1);
  REQUIRE(jobs.size() == 24);
  std::set<std::vector<std::string>> orders;
  for (std::size_t first = 0; first < 24; first += 6) {
    std::vector<std::string> order;
    std::set<std::string> points;
    for (std::size_t i = first; i < first + 6; ++i) {
      CHECK(jobs[i].allocation == static_cast<std::int64_t>(first / 6) + 1);
      order.push_back(jobs[i].runs.at(0).point_id);
    }
    CHECK(std::set<std::string>(order.begin(), order.end()).size() == 6);
    orders.insert(order);
  }
  CHECK(orders.size() == 4);
  CHECK(jobs[0].time_s == 360);
}

TEST_CASE("a block in sequence keeps the order of its points") {
  Sweep sweep = sweep_of(3, {1, 2});
  sweep.cluster.scheduler_options.clear();
  sweep.order = Order::kSequential;
  sweep.pack = Pack::kBlock;
  const auto jobs = plan_jobs(sweep, 1);
  REQUIRE(jobs.size() == 1);
  std::vector<std::string> names;
  for (const auto& run : jobs[0].runs) names.push_back(run.name);
  CHECK(names == std::vector<std::string>{"p0-a1-r1", "p0-a1-r2", "p1-a1-r1", "p1-a1-r2",
                                          "p2-a1-r1", "p2-a1-r2"});
}

TEST_CASE("a campaign of incomplete blocks goes on without any run twice") {
  const Sweep sweep = sweep_of(8, {3, 1});
  const Campaign first = begin_campaign(sweep, 1, "now");
  for (const auto& has_begun : {begun, not_begun}) {
    const Campaign same = continue_campaign(first, sweep, has_begun);
    CHECK(job_names(same.jobs) == job_names(first.jobs));
    CHECK(run_names(same.jobs) == run_names(first.jobs));
  }
}

TEST_CASE("what is added to incomplete blocks comes in further ones with the same reference") {
  Sweep sweep = sweep_of(8, {2, 1});
  Campaign campaign = begin_campaign(sweep, 1, "now");
  const std::string reference = sweep.points[0].id;
  const auto goes_on = [&](std::size_t jobs) {
    campaign = continue_campaign(campaign, sweep, begun);
    CHECK(campaign.jobs.size() == jobs);
    check_incomplete(campaign.jobs, reference, 3);
    const auto names = run_names(campaign.jobs);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    const auto jobs_of = job_names(campaign.jobs);
    CHECK(std::set<std::string>(jobs_of.begin(), jobs_of.end()).size() == jobs_of.size());
    const Campaign again = continue_campaign(campaign, sweep, not_begun);
    CHECK(run_names(again.jobs) == names);
  };
  for (int i = 8; i < 11; ++i) sweep.points.insert(sweep.points.begin(), point_numbered(i));
  goes_on(2 * 4 + 2 * 2);
  CHECK(campaign.jobs.back().name == "s-a2-b6-n1");
  sweep.repeats.allocations = 3;
  goes_on(12 + 5);
  for (const auto& [allocation, counts] : measured(campaign.jobs)) {
    CHECK(counts.size() == 11);
    for (const auto& [id, count] : counts) CHECK(count == (id == reference ? 0 : 1));
  }
}

TEST_CASE("more runs an allocation are further blocks of their own") {
  Sweep sweep = sweep_of(5, {2, 1});
  sweep.run_time_s = 250;  // four fit
  const Campaign first = begin_campaign(sweep, 1, "now");
  CHECK(first.jobs.size() == 4);
  sweep.repeats.runs = 2;
  const Campaign more = continue_campaign(first, sweep, begun);
  CHECK(more.jobs.size() == 4 + 2 * 4);
  check_incomplete(more.jobs, sweep.points[0].id, 4);
  const auto names = run_names(more.jobs);
  CHECK(names.count("p3-a2") == 1);
  CHECK(names.count("p3-a2-r2") == 1);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  CHECK(run_names(continue_campaign(more, sweep, begun).jobs) == names);
}

TEST_CASE("a complete block whose sweep outgrows the limit stays and what is added is split") {
  Sweep sweep = sweep_of(3, {2, 1});
  const Campaign first = begin_campaign(sweep, 1, "now");
  for (int i = 3; i < 6; ++i) sweep.points.push_back(point_numbered(i));
  const Campaign more = continue_campaign(first, sweep, begun);
  CHECK(job_names(more.jobs) == std::vector<std::string>{"s-a1-n1", "s-a2-n1", "s-a1-b1-n1",
                                                         "s-a1-b2-n1", "s-a2-b1-n1", "s-a2-b2-n1"});
  CHECK(run_names(more.jobs).count("p0-a1") == 1);
  CHECK(run_names(more.jobs).count("p0-a1-b1") == 1);
  CHECK(run_names(continue_campaign(more, sweep, begun).jobs) == run_names(more.jobs));
}

TEST_CASE("another reference does not run twice what is measured") {
  Sweep sweep = sweep_of(8, {2, 1});
  const Campaign first = begin_campaign(sweep, 1, "now");
  sweep.reference = sweep.points[3].id;
  CHECK(run_names(continue_campaign(first, sweep, begun).jobs) == run_names(first.jobs));
  sweep.points.push_back(point_numbered(8));
  sweep.reference = sweep.points.back().id;
  const Campaign more = continue_campaign(first, sweep, begun);
  CHECK(more.jobs.size() == first.jobs.size() + 2);
  CHECK(more.jobs.back().name == "s-a2-n1");
  CHECK(run_names(continue_campaign(more, sweep, begun).jobs) == run_names(more.jobs));
}

TEST_CASE("a reference goes with the last of the points that it was to be compared with") {
  Sweep sweep = sweep_of(8, {1, 1});
  const Campaign first = begin_campaign(sweep, 1, "now");
  sweep.points.resize(2);
  const Campaign less = continue_campaign(first, sweep, not_begun);
  CHECK(less.jobs.size() == 1);
  CHECK(less.jobs[0].runs.size() == 2);
  const Campaign stays = continue_campaign(
      first, sweep, [](auto&, const PlannedRun& run) { return run.is_reference; });
  CHECK(stays.jobs.size() == first.jobs.size());
}

TEST_CASE("a campaign that goes on asks for the times that its sweep gives today") {
  Sweep sweep = sweep_of(3, {1, 1});
  Campaign campaign = begin_campaign(sweep, 1, "now");
  CHECK(campaign.jobs[0].time_s == 960);
  sweep.run_time_s = 100;
  CHECK(continue_campaign(campaign, sweep, begun).jobs[0].time_s == 360);
  sweep.run_time_s.reset();
  CHECK_FALSE(continue_campaign(campaign, sweep, begun).jobs[0].time_s);
}
