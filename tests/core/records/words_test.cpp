// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "core/records/run.h"
#include "core/records/summary.h"
#include "core/records/sweep.h"
#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("a run's states have the words that databases hold") {
  const std::pair<RunState, const char*> states[] = {{RunState::kOk, "ok"},
                                                     {RunState::kFailed, "failed"},
                                                     {RunState::kTimeout, "timeout"},
                                                     {RunState::kOom, "oom"},
                                                     {RunState::kCancelled, "cancelled"},
                                                     {RunState::kInfeasible, "infeasible"},
                                                     {RunState::kMissing, "missing"}};
  for (const auto& [state, word] : states) {
    CHECK(text_of(state) == word);
    CHECK(run_state_of(word) == state);
  }
  CHECK_FALSE(run_state_of("okay"));
  CHECK_THROWS_AS(text_of(static_cast<RunState>(99)), std::logic_error);
}

TEST_CASE("orders and packs have the words of the sweep file") {
  CHECK(text_of(Order::kBlocks) == "blocks");
  CHECK(text_of(Order::kSequential) == "sequential");
  CHECK(text_of(Order::kShuffled) == "shuffled");
  CHECK(text_of(Pack::kBlock) == "block");
  CHECK(text_of(Pack::kPoint) == "point");
  CHECK_THROWS_AS(text_of(static_cast<Order>(99)), std::logic_error);
  CHECK_THROWS_AS(text_of(static_cast<Pack>(99)), std::logic_error);
}

TEST_CASE("a reading of a canary takes its time and what its launch takes") {
  Sweep sweep;
  CHECK(reading_time_s(sweep) == 0);
  CHECK(reading_limit_s(sweep) == 0);
  sweep.canary_s = 5;
  CHECK(reading_time_s(sweep) == 15);
  CHECK(reading_limit_s(sweep) == 65);
  sweep.canary_s = 5.1;
  CHECK(reading_time_s(sweep) == 16);
  CHECK(reading_limit_s(sweep) == 66);
}

TEST_CASE("a text is a number where all of it reads as one") {
  CHECK(value_of(std::string("5e8")).number == 5e8);
  CHECK(value_of(std::string("5e8")).text == "5e8");
  CHECK_FALSE(value_of(std::string("5e8x")).number);
  CHECK_FALSE(value_of(std::string()).number);
  CHECK(value_of(0.5).text == "0.5");
  CHECK(value_of(0.5).number == 0.5);
}

TEST_CASE("equal numbers are one value however they are written, and texts are their letters") {
  CHECK(value_of(std::string("5e8")) == value_of(500000000.0));
  CHECK_FALSE(value_of(1.0) == value_of(2.0));
  CHECK(Value{"a", {}} == Value{"a", {}});
  CHECK_FALSE(Value{"a", {}} == Value{"b", {}});
  CHECK_FALSE(Value{"1", {}} == value_of(1.0));
  CHECK_FALSE(value_of(1.0) == Value{"1", {}});
}

TEST_CASE("a value is found by its name, the first of such") {
  const NamedValues values{{"a", value_of(1.0)}, {"b", value_of(2.0)}, {"a", value_of(3.0)}};
  REQUIRE(find_value(values, "a"));
  CHECK(find_value(values, "a")->number == 1);
  CHECK(find_value(values, "b")->number == 2);
  CHECK_FALSE(find_value(values, "c"));
  CHECK_FALSE(find_value({}, "a"));
}

TEST_CASE("of a run's notes the newest stands once in its row, and all are past") {
  Summary row;
  add_notes(row, {"old", "slow"});
  add_notes(row, {"slow"});
  add_notes(row, {"gone", ""});
  add_notes(row, {});
  add_notes(row, {"fine"});
  CHECK(row.notes == std::vector<std::string>{"slow", "fine"});
  CHECK(row.past_notes == std::vector<std::string>{"old", "slow", "slow", "gone", "", "fine"});
}
