// SPDX-License-Identifier: Apache-2.0
// What was predicted beside what was measured: phases, tables, and what is left out.
#include "reports/model_check.h"

#include <cmath>
#include <sstream>

#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// 10 s in all.
StepTime time_of() {
  StepTime time;
  time.products = 4;
  time.attention = 1;
  time.elements = 0.5;
  time.issue = 0.5;
  time.tensor = 1;
  time.pipeline = 2;
  time.data = 0.5;
  time.optimizer = 0.3;
  time.fixed = 0.2;
  return time;
}

/// "compute 6 7.5" of each phase.
std::string text_of(const std::vector<Phase>& phases) {
  std::string text;
  for (const Phase& phase : phases)
    text += fmt::format("{}{}: {:.3g} {:.3g}", text.empty() ? "" : "; ", phase.name,
                        phase.predicted, phase.measured);
  return text;
}

ModelCheck check_of(const std::string& name, double seconds) {
  ModelCheck check;
  check.of = test::row_52b(name, seconds);
  check.accelerator = "a100-sxm4-80g";
  check.half_width = 0.1;
  check.time = time_of();
  return check;
}

ModelCheck memory_of(const std::string& name, double needed, std::int64_t ran, std::int64_t died) {
  ModelCheck check;
  check.of.point.name = name;
  check.peak_gib = needed - 2;
  check.needed_gib = needed;
  check.usable_gib = 80;
  check.ran = ran;
  check.out_of_memory = died;
  return check;
}

std::string written(const FlatTable& table, const char* format) {
  std::ostringstream text;
  flat_format_named(format).write(table, text);
  return text.str();
}

}  // namespace

TEST_CASE("our trainer's timers part compute from each kind of waiting") {
  const auto phases = phases_of(time_of(), {{"forward-compute max", 2.5},
                                            {"forward-compute min", 2},
                                            {"backward-compute max", 5},
                                            {"backward-compute min", 4},
                                            {"recompute max", 0.5},
                                            {"tp-exposed min", 1.5},
                                            {"tp-exposed max", 2},
                                            {"pp-exposed min", 3},
                                            {"pp-exposed max", 5},
                                            {"dp-reduce-exposed min", 0.25},
                                            {"dp-gather-exposed min", 0.25},
                                            {"optimizer max", 0.25},
                                            {"unattributed max", 0.125}});
  CHECK(text_of(phases) ==
        "compute: 6 8; tensor: 1 1.5; pipeline: 2 3; data: 0.5 0.5; optimizer: 0.3 0.25; "
        "rest: 0.2 0.125");
  CHECK(phases[0].what == "compute");
  CHECK(phases[2].what == "network");
}

TEST_CASE("Megatron's compute holds tensor-parallel traffic") {
  CHECK(text_of(phases_of(time_of(), {{"forward-compute", 2},
                                      {"backward-compute", 5},
                                      {"backward-send-forward-recv", 1.5},
                                      {"forward-recv", 0.5},
                                      {"backward-params-all-reduce", 0.25},
                                      {"backward-embedding-all-reduce", 0.25}})) ==
        "compute and tensor: 7 7; pipeline: 2 2; data: 0.5 0.5");
  CHECK(text_of(phases_of(time_of(), {{"forward", 3},
                                      {"backward", 6},
                                      {"backward-backward", 5},
                                      {"backward-allreduce", 1},
                                      {"optimizer", 0.5}})) ==
        "compute and tensor: 7 8; data: 0.5 1; optimizer: 0.3 0.5");
}

TEST_CASE("one timer of both passes is held against all that lies in it") {
  CHECK(text_of(phases_of(time_of(), {{"forward-backward max", 11}, {"optimizer max", 0.5}})) ==
        "compute, tensor, pipeline and data: 9.5 11; optimizer: 0.3 0.5");
  CHECK(text_of(phases_of(time_of(), {{"forward-backward max", 11}, {"all-grads-sync max", 1}})) ==
        "compute, tensor and pipeline: 9 10; data: 0.5 1");
  CHECK(phases_of(time_of(), {{"save-checkpoint", 11}}).empty());
}

TEST_CASE("a time is within the bounds that were said, or not") {
  const ModelCheck slow = check_of("slow", 12), right = check_of("right", 10.5);
  CHECK(measured_by_predicted(slow) == Approx(1.2));
  CHECK(is_within(slow) == false);
  CHECK(is_within(right) == true);
  CHECK(is_within(check_of("fast", 9.2)) == true);
  const std::string table = written(model_check_tables({slow, right}).at(0).table, "csv");
  CHECK_THAT(table, Contains("slow,a100-sxm4-80g,10,9.04837418,11.0517092,12,1.2,no"));
}

TEST_CASE("of what cannot be judged the reason is said once for all that share it") {
  ModelCheck none = check_of("a", 1), other = check_of("b", 2), time = check_of("c", 3);
  for (ModelCheck* check : {&none, &other}) {
    check->time.reset();
    check->why_no_time = check->why_no_memory = "replay trains nothing";
  }
  time.time.reset();
  time.why_no_time = "its GPU is not stored";
  const auto sentences = what_is_not_judged({none, other, time});
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[0] == "no prediction of a, b: replay trains nothing");
  CHECK(sentences[1] == "no predicted time of c: its GPU is not stored");
  CHECK(model_check_tables({none}).empty());
}

TEST_CASE("the memory's frontier lies between what ran and what died") {
  const std::vector<ModelCheck> rows{memory_of("died", 85, 0, 2), memory_of("ran", 70, 3, 0),
                                     memory_of("both", 79, 1, 1), memory_of("wrong", 78, 0, 1),
                                     memory_of("planned", 60, 0, 0)};
  CHECK(memory_agrees(rows[0]) == true);
  CHECK(memory_agrees(rows[1]) == true);
  CHECK_FALSE(memory_agrees(rows[2]));
  CHECK(memory_agrees(rows[3]) == false);
  CHECK_FALSE(memory_agrees(rows[4]));
  const auto tables = model_check_tables(rows);
  REQUIRE(tables.size() == 1);
  const std::string text = written(tables[0].table, "terminal");
  CHECK(text.find("planned") < text.find("ran  "));
  CHECK_THAT(text, Contains("2 out of memory") && Contains("1 ran, 1 out of memory"));
  CHECK_THAT(text, Contains("none needs more than 79.0 GiB by prediction") &&
                       Contains("none less than 78.0"));
  CHECK_THAT(text, Contains("foretold of 3 points, wrongly of 1"));
}

TEST_CASE("programs get every figure of every row, and unknown ones empty") {
  ModelCheck judged = check_of("judged", 12), open = memory_of("open", 70, 1, 0);
  judged.phases = phases_of(*judged.time, {{"forward-backward", 11}});
  open.why_no_time = "its GPU is not stored";
  const std::string csv = written(model_check_figures({judged, open}), "csv");
  CHECK_THAT(csv, Contains(",predicted_s,predicted_low_s,predicted_high_s,measured_s,"));
  CHECK_THAT(csv, Contains("\"compute, tensor, pipeline and data\",11,,,,"));
  CHECK_THAT(csv, Contains(",its GPU is not stored,"));
  CHECK_THAT(written(model_check_figures({judged}), "json"), Contains("\"rates\": \"usual\""));
}

TEST_CASE("each kind of GPU has a frontier of its own") {
  std::vector<ModelCheck> rows{memory_of("a", 38, 1, 0), memory_of("b", 40, 0, 1),
                               memory_of("c", 70, 1, 0), memory_of("d", 90, 0, 1)};
  rows[0].accelerator = rows[1].accelerator = "a100-sxm4-40g";
  rows[0].usable_gib = rows[1].usable_gib = 39.6;
  rows[2].accelerator = rows[3].accelerator = "h100-sxm5-80g";
  const std::string text = written(model_check_tables(rows).front().table, "terminal");
  CHECK_THAT(text,
             Contains("on a100-sxm4-40g, of those that ran none needs more than 38.0 GiB") &&
                 Contains("on h100-sxm5-80g, of those that ran none needs more than 70.0 GiB"));
}
