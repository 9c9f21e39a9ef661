// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("ezpz tells the seconds of each step, counted from 0") {
  const LogRun run = only_run(excerpt("ezpz.log"));
  CHECK(run.point.trainer == "ezpz");
  CHECK(steps_of(run) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(times_of(run)[1] == Approx(699.467));
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0});
  CHECK(run.resolution_ms == Approx(0.001));
  CHECK(run.iterations.at(1).lm_loss == 7.161612);
  CHECK(find_value(run.iterations.at(1).other, "backward (s)")->number == 0.641429);
  CHECK(run.nan_from == 2);
  CHECK(run.point.layout.gpus == 48);
  CHECK(run.started_at == 1735898751);
}

TEST_CASE("ezpz's steps may be called so") {
  const LogRun run = only_run(
      "[2025-12-31 12:11:14,278484][I][examples/diffusion:425:train] step=0 loss=1.335163 "
      "dt=5.796297 dtd=0.000457 dtf=0.471153 dtb=5.324688 loss/mean=1.353928 dt/mean=5.767501\n"
      "[2025-12-31 12:11:36,787329][I][examples/diffusion:425:train] step=1 loss=1.155174 "
      "dt=0.020253 dtd=0.000500 dtf=0.003241 dtb=0.016512 loss/mean=1.174488 dt/mean=0.017040\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{0, 1});
  CHECK(times_of(run)[0] == Approx(5796.297));
  CHECK(times_of(run)[1] == Approx(20.253));
}

TEST_CASE("wordplay's times are milliseconds, behind a bar") {
  const LogRun run = only_run(
      "  4%|▍         | 4/100 [00:04<01:12,  1.32it/s][2024-04-02 01:59:46][INFO][trainer:837] - "
      "step=5 loss=3.6606 dt=108.1093 dtf=4.6110 dtb=100.7493 sps=73.9992 mtps=1.2124 "
      "mfu=-100.0000 train_loss=4.2922 val_loss=4.2905\n"
      "  9%|▉         | 9/100 [00:05<00:19,  4.61it/s][2024-04-02 01:59:46][INFO][trainer:837] - "
      "step=10 loss=3.2386 dt=85.2848 dtf=4.6529 dtb=77.9241 sps=93.8033 mtps=1.5369 mfu=4.3692 "
      "train_loss=4.2922 val_loss=4.2905\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{5, 10});
  CHECK(times_of(run)[0] == Approx(108.1093));
  CHECK(times_of(run)[1] == Approx(85.2848));
  CHECK(find_value(run.iterations.at(0).other, "backward (s)")->number == Approx(0.1007493));
}

TEST_CASE("an ezpz line without a whole has that of forward and backward") {
  const LogRun run = only_run(
      "[2026-05-06 09:06:59][I][ezpz/test_dist:143] iter=10 loss=2.5(±0.1) dtf=0.0085 dtb=0.0018\n"
      "[2026-05-06 09:06:59][I][ezpz/test_dist:143] iter=20 loss=2.4(±0.1) dtf=0.0080 "
      "dtb=0.0020\n");
  CHECK(times_of(run)[0] == Approx(10.3));
  CHECK(times_of(run)[1] == Approx(10.0));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1});
  CHECK(run.resolution_ms == Approx(0.2));
}

TEST_CASE("a cut line of wordplay has the unit of those before, or none") {
  const std::string begin = "[2024-04-17 09:42:38][INFO][trainer.py:885] - step=";
  const std::string whole =
      begin + "9 loss=4.2 dt=123.4 dtf=40.1 dtb=80.2 sps=8.1 mtps=0.13 mfu=40.1\n" + begin +
      "10 loss=4.2 dt=124.4 dtf=40.2 dtb=80.3 sps=8.1 mtps=0.13 mfu=40.1\n";
  const std::string last = begin + "11 loss=4.2 dt=123.9 dtf=40.3 dtb=80.4 sps=8.1";
  for (const std::string_view cut : {"", " mt", " mtps=0.", "\n"}) {
    INFO(cut);
    for (const auto& run : scrape(whole + last + std::string(cut))) {
      for (const double time : times_of(run)) CHECK(time < 125);
    }
    CHECK(scrape(last + std::string(cut)).empty());
  }
  CHECK(times_of(only_run(whole + last + " mt")).back() == Approx(123.9));
}

TEST_CASE("an ezpz line waits for the next, or for what stands behind, to be sure of its unit") {
  const std::string line =
      "[2026-05-06 09:06:59][I][test:143] iter=10 loss=2.5 dtf=0.0085 dtb=0.0018";
  const Scraped alone = scrape_parts([&](const auto& take) { take(line + "\n"); });
  CHECK(alone.runs.empty());
  REQUIRE(alone.unused.size() == 1);
  CHECK(alone.unused[0].reason == "it may be cut, and does not say whether its times are seconds");
  CHECK(times_of(only_run(line + " dtb/mean=0.0018\n"))[0] == Approx(10.3));
}
