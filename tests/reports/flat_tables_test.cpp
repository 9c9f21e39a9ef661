// SPDX-License-Identifier: Apache-2.0
// The tables of checkpoints and of collectives.
#include <sstream>

#include "reports/checkpoints.h"
#include "reports/collectives.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

Checkpoint save(std::optional<double> seconds, CheckpointState state = CheckpointState::kDone) {
  Checkpoint one;
  one.state = state;
  one.seconds = seconds;
  return one;
}

RunCheckpoints run_of(std::int64_t run, const std::string& point,
                      std::vector<Checkpoint> checkpoints) {
  RunCheckpoints made;
  made.run = run;
  made.point_id = made.point_name = point;
  made.checkpoints = std::move(checkpoints);
  return made;
}

CollectiveReading reading_of(std::int64_t number, double busbw, std::int64_t bytes = 1 << 20) {
  CollectiveReading made;
  made.reading = number;
  made.ranks = 8;
  made.measured.operation = "all_reduce";
  made.measured.bytes = bytes;
  made.measured.time_us = 100;
  if (busbw > 0) made.measured.busbw_gb_per_s = busbw;
  return made;
}

std::string written(const FlatTable& table, const char* format) {
  std::ostringstream text;
  flat_format_named(format).write(table, text);
  return text.str();
}

}  // namespace

TEST_CASE("checkpoints of a point are a row, of whichever run they are") {
  const auto rows = checkpoint_rows({run_of(1, "a", {save(10), save(14)}),
                                     run_of(2, "b", {save(1)}), run_of(3, "a", {save(12)})});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].runs == 2);
  CHECK(rows[0].count == 3);
  CHECK(rows[0].timed == 3);
  CHECK(rows[0].mean_s == 12);
  CHECK(rows[0].sd_s == 2);
  CHECK(rows[0].slowest_s == 14);
  CHECK(rows[1].of.point_name == "b");
  CHECK_FALSE(rows[1].sd_s);
}

TEST_CASE("checkpoints that did not end well are counted, and have no time") {
  const auto rows = checkpoint_rows(
      {run_of(1, "a",
              {save(10), save({}, CheckpointState::kBegun), save({}, CheckpointState::kUnfinished),
               save({}, CheckpointState::kFailed)})});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].count == 4);
  CHECK(rows[0].timed == 1);
  CHECK(rows[0].begun == 1);
  CHECK(rows[0].unfinished == 1);
  CHECK(rows[0].failed == 1);
  CHECK(rows[0].mean_s == 10);
  CHECK_THAT(written(checkpoint_table(rows), "terminal"), Contains("the run died there"));
}

TEST_CASE("the share of steps is of those runs that tell of both") {
  auto timed = run_of(1, "a", {save(10), save(10)});
  timed.steps_s = 200;
  auto unsaid = run_of(2, "a", {save({}, CheckpointState::kBegun)});
  unsaid.steps_s = 1000;
  const auto rows = checkpoint_rows({timed, unsaid, run_of(3, "a", {save(5)})});
  CHECK(rows.at(0).share == 0.1);
}

TEST_CASE("what goes on beside training moves its bytes longer than training stands still") {
  auto beside = save(2);
  beside.asynchronous = true;
  beside.bytes = 8'000'000'000;
  auto apart = save(4);
  apart.bytes = 8'000'000'000;
  const auto rows = checkpoint_rows({run_of(1, "a", {beside, apart})});
  CHECK(rows.at(0).bytes == 8e9);
  CHECK(rows.at(0).gb_per_s == 2);
}

TEST_CASE("saves and loads of a point are two rows") {
  auto load = save(3);
  load.kind = CheckpointKind::kLoad;
  const auto rows = checkpoint_rows({run_of(1, "a", {load, save(10)})});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].kind == CheckpointKind::kSave);
  CHECK(rows[1].kind == CheckpointKind::kLoad);
  CHECK_THAT(written(checkpoint_table(rows), "csv"),
             Contains(",save,1,1,10.0,") || Contains(",save,1,1,10,"));
}

TEST_CASE("readings of a size are a row with their spread") {
  const auto rows = collective_rows(
      {reading_of(1, 80), reading_of(2, 90), reading_of(3, 100), reading_of(4, 40, 1 << 30)});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].of.measured.bytes == 1 << 20);
  CHECK(rows[0].readings == 3);
  CHECK(rows[0].busbw_median == 90);
  CHECK(rows[0].busbw_mean == 90);
  CHECK(rows[0].busbw_sd == 10);
  CHECK(rows[0].busbw_min == 80);
  CHECK(rows[0].busbw_max == 100);
  CHECK_FALSE(rows[1].busbw_sd);
}

TEST_CASE("a reading that measured a size twice counts once") {
  const auto rows = collective_rows({reading_of(1, 80), reading_of(1, 100), reading_of(2, 60)});
  CHECK(rows.at(0).readings == 2);
  CHECK(rows.at(0).busbw_mean == 75);
}

TEST_CASE("what has no bandwidth has none in the table") {
  const auto rows = collective_rows({reading_of(1, 0)});
  CHECK_FALSE(rows.at(0).busbw_median);
  CHECK(rows.at(0).algbw_median == Approx((1 << 20) / 100.0 / 1e3));
}

TEST_CASE("wrong results are told below the table") {
  auto reading = reading_of(1, 80);
  reading.measured.wrong = 3;
  const auto rows = collective_rows({reading});
  CHECK(rows.at(0).wrong == 3);
  CHECK_THAT(written(collective_table(rows), "terminal"), Contains("says nothing"));
}
