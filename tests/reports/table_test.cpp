// SPDX-License-Identifier: Apache-2.0
#include "reports/table.h"

#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

TextColumn column_of(const std::vector<Summary>& rows, const std::string& text,
                     bool aligned = true) {
  const auto table = text_columns(rows, columns_named(text, rows), aligned);
  REQUIRE(table.size() == 1);
  return table[0];
}

}  // namespace

TEST_CASE("a column that nobody asked for goes where no row knows it") {
  const std::vector<Summary> rows{test::row_52b("a", 1)};
  CHECK(text_columns(rows, usual_columns({"mfu", "cp", "notes"}), true).empty());
  CHECK(text_columns(rows, columns_named("mfu,cp,notes", rows), true).size() == 3);
  CHECK(column_of(rows, "mfu").keep);
  CHECK(column_of(rows, "mfu").must_stay);
  CHECK_FALSE(column_of(rows, "tp").may_move);
  CHECK(text_columns(rows, usual_columns({"tp"}), true).at(0).may_move);
}

TEST_CASE("texts stand to the left and numbers to the right") {
  Summary row = test::row_52b("a", 1);
  row.notes = {"fine"};
  row.point.axes = {{"zero", value_of(1.0)}};
  for (const std::string name : {"point", "state", "notes", "step_time", "strip"})
    CHECK(column_of({row}, name).align == TextColumn::Align::kLeft);
  for (const std::string name : {"gpus", "size", "tflops", "zero"})
    CHECK(column_of({row}, name).align == TextColumn::Align::kRight);
  // Where its parts don't stand below one another, a time is a number like others.
  CHECK(column_of({row}, "step_time", false).align == TextColumn::Align::kRight);
}

TEST_CASE("the scale of a strip is in its title unless a person gave it one") {
  const std::vector<Summary> rows{test::row_52b("a", 1)};
  CHECK(text_columns(rows, usual_columns({"strip"}), true).at(0).title == "times ±1 %");
  CHECK(column_of(rows, "strip").title == "times ±1 %");
  CHECK(column_of(rows, "Spread of runs=strip").title == "Spread of runs");
  CHECK(column_of(rows, "strip").is_strip);
}

TEST_CASE("only what says a bad end is marked for the eye") {
  Summary bad = test::row_52b("b", 1);
  bad.step_time_s.reset();
  bad.state = RunState::kOom;
  Summary slow = test::row_52b("c", 1);
  slow.state = RunState::kTimeout;
  Summary dropped = bad;
  dropped.state = RunState::kInfeasible;
  const std::vector<Summary> rows{test::row_52b("a", 1), bad, slow, dropped};
  using Tones = std::vector<Tone>;
  const Tone good = Tone::kNormal, red = Tone::kBad;
  CHECK(column_of(rows, "state").tones == Tones{good, red, red, good});
  CHECK(column_of(rows, "step_time").tones == Tones{good, red, good, good});
  CHECK(column_of(rows, "tp").tones.empty());
}

TEST_CASE("titles and cells of people are safe for a terminal") {
  Summary row = test::row_52b("a", 1);
  row.point.axes = {{"x", value_of("a\x1b[1mb")}};
  row.point.model.params.reset();
  row.point.model.size = "\x1b]0;";
  CHECK(column_of({row}, "x").cells[0] == "a\\x1b[1mb");
  CHECK(column_of({row}, "A\x1b=x").title == "A\\x1b");
  CHECK(column_of({row}, "size").cells[0] == "\\x1b]0;");
}

TEST_CASE("an axis of the user's own is as important as a rate, and moves or stays as others do") {
  Summary row = test::row_52b("a", 1);
  row.point.axes = {{"zero", value_of(1.0)}};
  row.tflops = 1;
  const std::vector<Summary> rows{row};
  const auto axis = column_of(rows, "zero");
  CHECK(axis.importance == column_of(rows, "mfu").importance);
  CHECK(axis.keep);
  CHECK(axis.must_stay);
  CHECK_FALSE(axis.may_move);
  CHECK(axis.cells == std::vector<std::string>{"1"});
  for (const std::string name : {"point", "run", "sweep"}) CHECK(column_of(rows, name).may_shorten);
  CHECK_FALSE(column_of(rows, "tp").may_shorten);
  for (const std::string name : {"point", "state", "step_time"})
    CHECK(text_columns(rows, usual_columns({name}), true).at(0).must_stay);
  CHECK_FALSE(text_columns(rows, usual_columns({"tp"}), true).at(0).must_stay);
}
