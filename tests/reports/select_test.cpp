// SPDX-License-Identifier: Apache-2.0
#include "reports/select.h"

#include "core/base/text.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// a: 1 s, 50 TFLOPS, zero 1; b: 2 s, 25 TFLOPS, zero 2; c: 2 s, no TFLOPS; d: out of memory.
std::vector<Summary> rows() {
  std::vector<Summary> all{test::row_52b("a", 1), test::row_52b("b", 2), test::row_52b("c", 2),
                           test::row_52b("d", 1)};
  all[0].tflops = 50;
  all[1].tflops = 25;
  all[0].point.axes = {{"zero", value_of(1.0)}};
  all[1].point.axes = {{"zero", value_of(2.0)}};
  all[2].point.layout.tp = 8;
  all[2].point.axes = {{"zero", value_of("off")}, {"kernel", value_of("fused")}};
  all[3].step_time_s.reset();
  all[3].state = RunState::kOom;
  all[3].memory_gib = 31.5;
  return all;
}

std::string names_of(const std::vector<Summary>& of) {
  std::string names;
  for (const auto& row : of) names += row.point.name;
  return names;
}

MadeRows made_rows() {
  return {{0, 1, 2, 3}, [](std::uint32_t of, Summary& row) { row = rows()[of]; }};
}

std::string names_of(const MadeRows& of) {
  std::string names;
  for (const Summary& row : RowRange(of)) names += row.point.name;
  return names;
}

std::string where(const std::vector<std::string>& clauses) {
  const std::string names = names_of(rows_where(rows(), clauses));
  MadeRows made = made_rows();
  keep_where(made, clauses);
  CHECK(names_of(made) == names);
  return names;
}

std::string sorted_by(const std::string& keys) {
  auto all = rows();
  sort_rows(all, keys);
  MadeRows made = made_rows();
  sort_rows(made, keys);
  CHECK(names_of(made) == names_of(all));
  return names_of(all);
}

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a clause keeps the rows that it holds for") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "abcd"},
      {{"tp == 4"}, "abd"},
      {{"tp == 4", "step_time < 1.5"}, "a"},
      {{"zero == 1"}, "a"},
      {{"state == \"ok\"", "tp == 4", "zero > 1"}, "b"},
      {{"kernel == \"fused\""}, "c"},
      {{"kernel != \"fused\""}, ""},  // the others know no kernel
      {{"state == \"oom\""}, "d"},
      {{"state != \"oom\""}, "abc"},
      {{"size == \"52B\""}, "abcd"},
      {{"size != \"52B\""}, ""},
      {{"sweep == \"gpt-52b\""}, "abcd"},
      {{"Speed < 1500ms"}, "a"},
      {{"step_time_s >= 2s"}, "bc"},
      {{"memory > 31 GiB"}, "d"},
      {{"tflops > 10"}, "ab"},
      {{"!(tflops > 30)"}, "b"},
      {{"memory > 31"}, "d"},
      {{"layers == 64 && hidden == 8192 && seq == 1024"}, "abcd"},
      {{"mbs*gas == gbs"}, "abcd"},
      {{"1 == 1"}, "abcd"},
      {{"1 == 2"}, ""}};
  for (const auto& [clauses, expected] : cases) {
    CAPTURE(clauses);
    CHECK(where(clauses) == expected);
  }
}

TEST_CASE("an axis of a name that a column has too is the one that a clause means") {
  auto all = rows();
  all[0].point.axes = {{"memory", value_of("big")}};
  CHECK(names_of(rows_where(all, {"memory == \"big\""})) == "a");
}

TEST_CASE("a clause that cannot be is refused with what is near") {
  const auto refused = [](const std::vector<std::string>& clauses) {
    return error_of([&] { where(clauses); });
  };
  CHECK(refused({"tflps == 4"})
            .rfind("--where: no row has 'tflps', did you mean 'tflops'? (there is ", 0) == 0);
  CHECK(refused({"kernl == \"x\""}).find("did you mean 'kernel'?") != std::string::npos);
  CHECK(refused({"tp ="}).rfind("--where: in 'tp =': ", 0) == 0);
  CHECK(refused({"size * 2 == 4"}).rfind("--where: a: ", 0) == 0);
  CHECK(refused({"size"}).rfind("--where: a: ", 0) == 0);
  // What is drawn, not said, holds no value.
  CHECK(refused({"strip == 1"}).rfind("--where: no row has 'strip'", 0) == 0);
}

TEST_CASE("what cannot apply to a table is refused with what would make it apply") {
  const auto refused = [](const std::string& clause) { return error_of([&] { where({clause}); }); };
  CHECK(refused("run != 'x'") == "--where: no row of this table has 'run'; --by run shows runs");
  CHECK(refused("vs > 1.5") ==
        "--where: no row of this table has 'vs'; --vs ROW compares rows with one of them");
  CHECK(refused("step_time < 50%") ==
        "--where: in 'step_time < 50%': nothing is measured in what '50%' is");
  // An axis of one's own comes before a column of that name, and its unit is nobody's but its
  // user's.
  auto timed = rows();
  timed[0].point.axes.emplace_back("step_time_ms", value_of(40));
  CHECK(error_of([&] { rows_where(timed, {"step_time_ms < 50ms"}); }) ==
        "--where: in 'step_time_ms < 50ms': nothing is measured in what '50ms' is; what a point "
        "has is a bare number");
  CHECK(names_of(rows_where(timed, {"step_time_ms < 50"})) == timed[0].point.name);
  CHECK(refused("step_time_ms < 50") ==
        "--where: write 'step_time' for 'step_time_ms', and a number with its unit, as 50ms");
  CHECK(error_of([] { check_sort_applies(rows(), "tflops,-vs"); }) ==
        "--sort: no row of this table has 'vs'; --vs ROW compares rows with one of them");
  auto all = rows();
  all[1].vs = Ratio{2, {}, {}};
  CHECK(names_of(rows_where(all, {"vs > 1.5"})) == "b");
  all[0].run = "x";
  all[1].run = "y";
  CHECK(names_of(rows_where(all, {"run != 'x'"})) == "b");
  CHECK(is_of_comparison("vs_low > 1"));
  CHECK(is_of_comparison("p_best > 5% && tp == 2"));
  CHECK_FALSE(is_of_comparison("tp == 2"));
}

TEST_CASE("a clause knows the names of all rows whatever the clause before it left") {
  CHECK(where({"state == \"oom\"", "kernel == \"fused\""}).empty());
  CHECK(error_of([] { where({"tp == 99", "tpp == 4"}); }).find("'tpp'") != std::string::npos);
}

TEST_CASE("no rows are not asked for names") { CHECK(rows_where({}, {"whatever == 1"}).empty()); }

TEST_CASE("rows are sorted the way people look for the best") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "abcd"},
      {"tflops", "abcd"},
      {"-tflops", "abcd"},
      {"+tflops", "bacd"},
      {"step_time", "abcd"},
      {"-step_time", "bcad"},
      {"Speed", "abcd"},
      {"-tp", "cabd"},
      {"tp", "abdc"},
      {"zero", "abcd"},  // numbers before texts, then those without
      {"-zero", "cbad"},
      {"state", "abcd"},
      {"-state,-tp", "dcab"},
      {"tp,-step_time", "badc"},
      {" -tp , step_time ", "cabd"},
      {"kernel", "cabd"},
      {"-point", "dcba"},
      {"-memory", "dabc"},
      {"mfu", "abcd"},  // known to none: as they were
      {"-notes", "abcd"}};
  for (const auto& [keys, expected] : cases) {
    CAPTURE(keys);
    CHECK(sorted_by(keys) == expected);
  }
}

TEST_CASE("a row that did not end well is ranked last whatever it measured") {
  auto all = rows();
  all[0].state = RunState::kFailed;
  for (const std::string key : {"step_time", "-step_time", "tflops", "-tflops"}) {
    CAPTURE(key);
    sort_rows(all, key);
    CHECK((all[2].state != RunState::kOk || all[3].state != RunState::kOk));
    CHECK(all[0].state == RunState::kOk);
  }
}

TEST_CASE("rates have the highest first and all else the lowest") {
  auto all = rows();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double value = static_cast<double>(i + 1);
    Summary& row = all[i];
    row.state = RunState::kOk;
    row.tflops = row.mfu = row.hfu = row.samples_per_s = row.memory_gib = value;
    row.vs = Ratio{value, {}, {}};
    row.started_at = static_cast<std::int64_t>(i) * 86'400;
  }
  for (const std::string key :
       {"tflops", "mfu", "hfu", "samples_per_s", "tokens_per_s_per_gpu", "vs"}) {
    CAPTURE(key);
    sort_rows(all, key);
    CHECK(names_of(all) == "dcba");
    sort_rows(all, "+" + key);
    CHECK(names_of(all) == "abcd");
    sort_rows(all, "-" + key);
    CHECK(names_of(all) == "dcba");
  }
  for (const std::string key : {"memory", "started", "point"}) {
    CAPTURE(key);
    sort_rows(all, "-" + key);
    CHECK(names_of(all) == "dcba");
    sort_rows(all, key);
    CHECK(names_of(all) == "abcd");
  }
}

TEST_CASE("a sort key that is none is refused with what is near") {
  const auto refused = [](const std::string& keys) { return error_of([&] { sorted_by(keys); }); };
  CHECK(refused("tflps").rfind("--sort: no row has 'tflps', did you mean 'tflops'?", 0) == 0);
  for (const std::string keys : {"tflops,", "-", "strip", "cluster"}) {
    CAPTURE(keys);
    CHECK(refused(keys).rfind("--sort: no row has '", 0) == 0);
  }
}

TEST_CASE("names in clauses and keys are known before any row is") {
  CHECK(names_to_know({"tp == 4 && zero > 1"}, "-kernel, - tp") ==
        std::set<std::string, std::less<>>{"kernel", "tp", "zero"});
  CHECK_THROWS_WITH(names_to_know({"tp ="}, ""), Catch::StartsWith("--where: in 'tp ='"));
  CHECK(names_to_know({}, "").count("zero") == 0);
}
