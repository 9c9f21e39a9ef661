#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("verl tells the seconds of each step, and what else was done in it") {
  const LogRun run = only_run(excerpt("verl.log"));
  CHECK(run.point.trainer == "verl");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(times_of(run) == std::vector<double>{161080, 191500, 171500});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, kAfterEvaluation, kAfterSave});
  CHECK(find_value(run.iterations.at(0).other, "gen (s)")->number == 61.5);
  CHECK(find_value(run.iterations.at(0).other, "perf/max_memory_allocated_gb")->number == 62.447);
  CHECK(run.iterations.at(1).grad_norm == 0.021);
  CHECK(run.planned_iterations == 3);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("verl's throughput of a GPU tells how many there are") {
  CHECK(only_run(excerpt("verl.log")).point.layout.gpus == 2);
  std::string log = excerpt("verl.log");
  for (auto at = log.find("throughput:"); at != std::string::npos;
       at = log.find("throughput:", at + 1))
    log.replace(at, 12, "throughput:9");
  CHECK_FALSE(only_run(log).point.layout.gpus);
}

TEST_CASE("a line of verl that a console has wrapped is not used") {
  for (const std::string log :
       {"step:1 - global_seqlen/min:484245.000 - actor/pg_loss:0.001\n"
        " - timing_s/gen:61.5 - timing_s/step:161.08 - perf/throughput:413.39\n",
        "step:1 - timing_s/gen:61.5 - timing_s/step:161.\n08 - perf/throughput:413.39\n"}) {
    INFO(log);
    const Scraped found = scrape_parts([&](const auto& take) { take(log); });
    CHECK(found.runs.empty());
    REQUIRE(found.unused.size() == 1);
    CHECK(found.unused.front().reason == "a console has wrapped it");
  }
}

TEST_CASE("verl's line is found behind Ray's coloured name") {
  const LogRun run = only_run(
      "\x1b[36m(TaskRunner pid=1271585)\x1b[0m step:7 - timing_s/gen:4 - timing_s/step:10.5 - "
      "perf/total_num_tokens:8000 - perf/time_per_step:10.5 - perf/throughput:95.238\n");
  CHECK(times_of(run) == std::vector<double>{10500});
  CHECK(run.point.layout.gpus == 8);
}

TEST_CASE("verl's memory is that of the rank with most, in GB of 2^30 bytes") {
  const auto memory = only_run(test::excerpt("verl.log")).memory;
  REQUIRE(memory.size() == 1);
  CHECK(memory[0].max_allocated_mib == Approx(62.447 * 1024));
}
