// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>
#include <regex>
#include <set>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

using Cells = std::vector<std::string>;

/// A table of a document: its header's line, and its rows by theirs.
struct Table {
  int line = 0;
  Cells titles;
  std::vector<std::pair<int, Cells>> rows;
};

Cells cells_of(std::string_view line) {
  Cells cells;
  for (const auto& cell : split(line.substr(1, line.rfind('|') - 1), '|'))
    cells.emplace_back(trim(cell));
  return cells;
}

bool is_empty(const Cells& cells) { return join(cells, "").empty(); }

/// Those whose header has a column "Speed". Rows without any text are no rows.
std::vector<Table> tables_of(const std::string& document) {
  std::vector<Table> tables;
  int number = 0;
  bool inside = false;
  for (const auto& line : split(document, '\n')) {
    ++number;
    const bool row = !line.empty() && line[0] == '|';
    if (!row) {
      inside = false;
    } else if (line.find(" Speed ") != std::string_view::npos) {
      tables.push_back({number, cells_of(line), {}});
      inside = true;
    } else if (inside && number > tables.back().line + 1 && !is_empty(cells_of(line))) {
      tables.back().rows.emplace_back(number, cells_of(line));
    }
  }
  return tables;
}

/// A figure without its unit and blanks: "137 s" is 137; a text as it is.
std::string figure_of(const std::string& cell) {
  static const std::regex kUnit("^([0-9.e+]+) ?(s|GB|GiB)?$");
  std::smatch match;
  if (!std::regex_match(cell, match, kUnit)) return cell;
  const auto number = parse_number(match[1].str());
  return number ? number_text(*number) : cell;
}

/// The sweeps that an import said it made, by the line of their tables.
std::map<int, std::string> sweeps_in(const std::string& said) {
  static const std::regex kLine("^[^:]+:([0-9]+): [0-9]+ runs? in sweep (.+)$");
  std::map<int, std::string> sweeps;
  for (const auto& view : split(said, '\n')) {
    const std::string line(view);
    std::smatch match;
    if (std::regex_match(line, match, kLine)) sweeps[std::stoi(match[1])] = match[2];
  }
  return sweeps;
}

std::string columns_for(const Cells& titles) {
  Cells columns;
  for (const auto& title : titles) columns.push_back(title == "TFlops" ? "TFlops:1" : title);
  return join(columns, ",");
}

std::string gpt2() { return read_input(test::source_directory() / "tests/data/notes/gpt2.md"); }

constexpr const char* kSmall =
    "## Small\n\n"
    "| GPUs | Size | MBS | GBS | Speed | TFlops | Notes |\n"
    "| --- | --- | --- | --- | --- | --- | --- |\n"
    "| 64 | 52B | 8 | 512 | 139s | 24.5 | 05-25 |\n"
    "| 64 | 52B | 4 | 256 | 185s | 9.2 | |\n"
    "| 64 | 52B | 8 | 512 | 118s | 28.9 | 05-27 |\n";

}  // namespace

TEST_CASE("every table of kept notes is printed again as it was noted") {
  const Workplace here;
  here.write("gpt2.md", gpt2());
  const Call import = here.pippin("import gpt2.md --seq 1024 --factor 4");
  REQUIRE(import.exit_code == 0);
  const auto sweeps = sweeps_in(import.err);
  const std::set<int> mended{180, 213, 231, 250, 433, 466};  // TFLOPS that retable changes
  const auto tables = tables_of(gpt2());
  REQUIRE(tables.size() == 16);
  std::size_t cells = 0;
  for (const auto& table : tables) {
    CAPTURE(table.line);
    REQUIRE(sweeps.count(table.line) == 1);
    const Call report =
        here.pippin(fmt::format("report {} --by run --columns '{}' --format markdown",
                                sweeps.at(table.line), columns_for(table.titles)));
    REQUIRE(report.exit_code == 0);
    const auto printed = tables_of(report.out);
    REQUIRE(printed.size() == 1);
    CHECK(printed[0].titles == table.titles);
    REQUIRE(printed[0].rows.size() == table.rows.size());
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const auto& [line, wanted] = table.rows[row];
      for (std::size_t i = 0; i < wanted.size(); ++i, ++cells) {
        CAPTURE(line, table.titles[i]);
        if (table.titles[i] == "TFlops" && mended.count(line) > 0) continue;
        CHECK(figure_of(printed[0].rows[row].second[i]) == figure_of(wanted[i]));
      }
    }
  }
  CHECK(cells == 861);
}

TEST_CASE("notes imported again change nothing") {
  const Workplace here;
  here.write("gpt2.md", gpt2());
  here.pippin("import gpt2.md --seq 1024 --factor 4");
  const std::string before = here.pippin("report --format csv --by run").out;
  CHECK(here.pippin("import gpt2.md --seq 1024 --factor 4").exit_code == 0);
  CHECK(here.pippin("report --format csv --by run").out == before);
  CHECK(here.sql("SELECT count(*) FROM runs") == "85");
}

TEST_CASE("what was noted of an imported run outlives that its document is imported again") {
  const Workplace here;
  here.write("n.md", kSmall);
  here.pippin("import n.md");
  CHECK(here.pippin("note n.md:5 'slow node'").exit_code == 0);
  CHECK(here.pippin("note n.md:7 ''").exit_code == 0);
  // Two lines more above the table, another date in a row of it.
  std::string later = std::string("# All\n\n") + kSmall;
  later.replace(later.find("05-27"), 5, "05-28");
  here.write("n.md", later);
  CHECK(here.pippin("import n.md").exit_code == 0);
  CHECK(here.pippin("report n-small --by run --columns run,Speed:0,notes --format csv").out ==
        "run,step_time_s,ci_low_s,ci_high_s,sd_s,notes\n"
        "n.md:7,139,,,,slow node\n"
        "n.md:8,185,,,,\n"
        "n.md:9,118,,,,\n");
  CHECK(here.sql("SELECT group_concat(text, ',') FROM (SELECT text FROM notes ORDER BY id)") ==
        "05-25,slow node,05-28,");
}

TEST_CASE("MFU and HFU are shares of the peak that is named") {
  const Workplace here;
  std::string table = kSmall;
  table.replace(table.find("| 8 | 512 | 139s"), 16, "| 8 | 1024 | 126.62s");
  here.write("n.md", table);
  here.pippin("import n.md --seq 1024 --factor 4");
  const std::string report =
      "report n-small --by run --where 'gbs == 1024' --columns tflops:2,mfu,hfu --format markdown "
      "--accelerator v100-sxm2-32g --precision fp16 | tail -n +3 | head -1";
  // 53.83 of 125 TFLOPS with the second forward pass, three quarters of it without.
  CHECK(here.pippin(report).out == "|  53.83 | 32.3 % | 43.1 % |\n");
}

TEST_CASE("figures that no machine has are no rates and stop no report") {
  const Workplace here;
  std::string table = "| GPUs | Size | MBS | GBS | Speed |\n| --- | --- | --- | --- | --- |\n";
  for (const char* time : {"1e-320s", "1e-305s", "1e-300s", "3s", "1e300s", "1e308s", "5e-324ms"})
    table += fmt::format("| 64 | 52B | 8 | 512000000 | {} |\n", time);
  for (const char* time : {"1e308s", "1e-320s"})
    table += fmt::format("| 4 | 1B | 1 | 900000000000000000 | {} |\n", time);
  here.write("n.md", table);
  const Call import = here.pippin("import n.md --seq 1024 --factor 4");
  CHECK(import.exit_code == 2);
  CHECK_THAT(import.err, Contains("n.md:8: table of line 1, column 'Speed': '1e308s' is no time"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "6");
  for (const char* format : {"terminal", "markdown", "csv", "json"}) {
    for (const char* by :
         {"run --vs n.md:6", "point", "run --columns run,tokens_per_s_per_gpu,tflops:9"}) {
      const std::string arguments = fmt::format(
          "report --format {} --by {} --accelerator a100-sxm4-80g --precision fp16", format, by);
      CAPTURE(arguments);
      const Call call = here.pippin(arguments);
      CHECK(call.exit_code == 0);
      CHECK(call.err.empty());
      CHECK_FALSE(std::regex_search(call.out, std::regex("\\b(nan|inf)\\b")));
    }
  }
}

TEST_CASE("an import that is refused leaves all of its document out") {
  const Workplace here;
  const std::string table = "| GPUs | GBS | Speed |\n|-|-|-|\n| 8 | 64 | 1s |\n\n";
  here.write("s.yaml", "sweep: n-b\nprobe: replay\ngrid: {tp: [1]}\nfixed: {sleep_factor: 0}\n");
  REQUIRE(here.pippin("run s.yaml").exit_code == 0);
  here.write("n.md", "## A\n\n" + table + "## B\n\n" + table);
  CHECK(here.pippin("import n.md").exit_code == 2);
  CHECK(here.sql("SELECT count(*) FROM sweeps WHERE name = 'n-a'") == "0");
}

TEST_CASE("results that were measured and results that were noted are never one sweep") {
  const Workplace here;
  here.write("n.md", kSmall);
  here.write("s.yaml",
             "sweep: n-small\nprobe: replay\ngrid: {tp: [1, 2]}\n"
             "fixed: {step_time_ms: 500, sleep_factor: 0.002}\niterations: 3\n");
  REQUIRE(here.pippin("import n.md").exit_code == 0);
  const std::string before = here.pippin("report --format csv").out;
  const Call run = here.pippin("run s.yaml");
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Contains("a sweep 'n-small' were noted by hand"));
  CHECK(here.pippin("report --format csv").out == before);
  CHECK(here.shell("ls t.db.runs/n-small/jobs").exit_code != 0);
  CHECK(here.shell("\"$PIPPIN\" --db o.db --quiet run s.yaml").exit_code == 0);
  const Call import = here.shell("\"$PIPPIN\" --db o.db import n.md");
  CHECK(import.exit_code == 2);
  CHECK_THAT(import.err, Contains("a sweep 'n-small' was measured"));
}
