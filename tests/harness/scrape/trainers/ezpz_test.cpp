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
