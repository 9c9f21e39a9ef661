// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "probes/collective/check.h"
#include "probes/collective/settings.h"
#include "probes/collective/table.h"
#include "probes/common/error.h"
#include "tests/probes/ranks.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using namespace pippin::probes;
using namespace pippin::test;
using Catch::Contains;
using Catch::StartsWith;
using nlohmann::json;

namespace {

struct Checked {
  std::string operation, place, element;
  std::int64_t count, wrong;
};

/// What collective_ranks printed.
std::vector<Checked> checked_by(int ranks, const std::string& how) {
  const Outcome outcome = run_ranks(ranks, {COLLECTIVE_RANKS, how, "1", "3", "1001"});
  INFO(outcome.output);
  REQUIRE(outcome.exit_code == 0);
  std::vector<Checked> found;
  for (const auto& line : lines_of(outcome.output)) {
    const Words words = words_of(line);
    if (words.size() != 5 || (words[1] != "in" && words[1] != "out")) continue;
    found.push_back({words[0], words[1], words[2], std::stoll(words[3]), std::stoll(words[4])});
  }
  return found;
}

Outcome collective(int ranks, Words options) {
  options.insert(options.begin(), COLLECTIVE_PROBE);
  return run_ranks(ranks, options);
}

/// The way SuperBench reads a table: from the last line with "out-of-place" to "Out of bounds
/// values", columns by their names in the line with "time", rows that begin with a number.
std::vector<std::vector<double>> read_columns(const std::string& text, const Words& names) {
  const Words lines = lines_of(text);
  std::size_t begin = 0, end = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("out-of-place") != std::string::npos) begin = i + 1;
    if (lines[i].find("Out of bounds values") != std::string::npos) end = i;
  }
  std::vector<std::size_t> columns;
  std::vector<std::vector<double>> rows;
  for (std::size_t i = begin; i < end; ++i) {
    const Words words = words_of(lines[i]);
    if (lines[i].find("time") != std::string::npos) {
      columns.clear();
      for (const auto& name : names)
        columns.push_back(std::find(words.begin() + 1, words.end(), name) - words.begin() - 1);
    }
    if (words.empty() || !std::isdigit(static_cast<unsigned char>(words[0][0]))) continue;
    std::vector<double> row;
    for (const std::size_t column : columns) row.push_back(std::stod(words.at(column)));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("every operation is right in place and out of place for odd counts") {
  for (const auto& [how, ranks] :
       {std::pair{"none", 1}, std::pair{"none", 2}, std::pair{"none", 3}, std::pair{"none", 4},
        std::pair{"staged", 1}, std::pair{"staged", 3}}) {
    const auto all = checked_by(ranks, how);
    // 7 operations, 2 places, 4 elements, and bytes for 4 of them; the maximum; 3 counts.
    CHECK(all.size() == 3 * (7 * 2 * 4 + 4 * 2 + 1));
    for (const auto& one : all) {
      CAPTURE(how, ranks, one.operation, one.place, one.element, one.count);
      CHECK(one.wrong == 0);
    }
  }
}

TEST_CASE("a communicator that is broken on purpose is found out") {
  struct Case {
    const char* how;
    std::set<std::string> operations;
  };
  for (const Case& c :
       {Case{"drop", {"all_reduce", "reduce", "reduce_scatter"}},
        Case{"order", {"all_gather", "all_to_all"}}, Case{"stale", {"broadcast", "sendrecv"}}}) {
    for (const int ranks : {2, 3})
      for (const auto& one : checked_by(ranks, c.how)) {
        CAPTURE(c.how, ranks, one.operation, one.place, one.element, one.count);
        CHECK((one.wrong > 0) == (c.operations.count(one.operation) == 1));
      }
  }
}

TEST_CASE("a pattern's sums are exact and miss every rank that is missing") {
  for (const int ranks : {1, 2, 5, 300})
    for (const Element element : {Element::kFloat, Element::kHalf, Element::kBFloat16}) {
      const bool narrow = element != Element::kFloat;
      const Pattern pattern(ranks, 7, element);
      std::set<int> seen;
      for (std::int64_t i = 0; i < 20 * ranks; ++i) {
        double sum = 0, largest = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const double value = pattern.value(rank, i), term = pattern.term(rank, i);
          CHECK(value >= 1);
          CHECK(value <= 158);
          if (rank > 0) CHECK(value != pattern.value(rank - 1, i));
          if (term > 0) seen.insert(rank);
          sum += term;
          largest = std::max(largest, term);
        }
        CHECK(pattern.sum(i) == sum);
        CHECK(pattern.largest(i) == largest);
        if (narrow) CHECK(sum <= 256);  // a bfloat16's whole numbers
      }
      CHECK(seen.size() == static_cast<std::size_t>(ranks));
    }
  CHECK(Pattern(100000, 0, Element::kFloat).sum(1) < (1 << 24));  // a float's whole numbers
}

TEST_CASE("bus bandwidth has the factors of nccl-tests") {
  CHECK(bus_factor(Operation::kAllReduce, 4) == 1.5);
  CHECK(bus_factor(Operation::kAllReduce, 1) == 0);
  for (const Operation parts :
       {Operation::kAllGather, Operation::kReduceScatter, Operation::kAllToAll})
    CHECK(bus_factor(parts, 4) == 0.75);
  for (const Operation whole : {Operation::kBroadcast, Operation::kReduce, Operation::kSendRecv})
    CHECK(bus_factor(whole, 4) == 1);
}

TEST_CASE("counts are rounded as nccl-tests rounds them") {
  CHECK(count_within(Operation::kAllReduce, 15, Element::kFloat, 3) == 3);
  CHECK(count_within(Operation::kAllGather, 1000, Element::kFloat, 3) == 80);  // 250 / 3, by 4
  CHECK(count_within(Operation::kAllToAll, 1000, Element::kDouble, 3) == 40);  // 125 / 3, by 2
  CHECK(count_within(Operation::kReduceScatter, 8, Element::kFloat, 2) == 0);
  CHECK(count_within(Operation::kAllGather, 100, Element::kByte, 2) == 48);
  CollectiveCall call{Operation::kAllGather, 80, Element::kFloat, Reduction::kSum, 0, false};
  CHECK(bytes_of(call, 3) == 960);
  call.operation = Operation::kSendRecv;
  CHECK(bytes_of(call, 3) == 320);
}

TEST_CASE("a row stands in the columns of nccl-tests") {
  Row row{{Operation::kAllReduce, 262144, Element::kFloat, Reduction::kSum, 0, false}, 2, {}, {}};
  row.out_of_place.mean_us = 105.9;
  row.out_of_place.wrong = 0;
  row.in_place.mean_us = 10234.4;
  // As public logs of nccl-tests 2.13 have such a line.
  CHECK(row_line(row) ==
        "     1048576        262144     float     sum      -1    105.9    9.90    9.90      0"
        "    10234    0.10    0.10    N/A");
  CHECK(column_lines()[1] ==
        "#       size         count      type   redop    root     time   algbw   busbw #wrong"
        "     time   algbw   busbw #wrong");
  CHECK(column_lines()[2] ==
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)       "
        "     (us)  (GB/s)  (GB/s)       ");
  CHECK(footer_lines(0, 2.5)[0] == "# Out of bounds values : 0 OK");
  CHECK(footer_lines(3, 2.5)[0] == "# Out of bounds values : 3 FAILED");
  CHECK(footer_lines(0, 2.5)[1] == "# Avg bus bandwidth    : 2.5 ");
}

TEST_CASE("readers of nccl-tests read the table, with statistics too") {
  const Outcome outcome = collective(2, {"-b", "8", "-e", "8K", "-f", "4", "--operation",
                                         "all_gather", "--statistics", "--iters", "7"});
  INFO(outcome.output);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, StartsWith(" > probe: pippin collective 1\n"
                                        "# nThread 1 nGpus 1 minBytes 8 maxBytes 8192 step: "
                                        "4(factor) warmup iters: 5 iters: 7 agg iters: 1 "
                                        "validation: 1 graph: 0\n#\n# Using devices\n#  Rank  0 "
                                        "Group  0 Pid "));
  CHECK_THAT(outcome.output, Contains("#  Rank  1 Group  0 Pid "));
  CHECK_THAT(outcome.output, Contains(" device  1 [0x00] "));
  const auto rows = read_columns(outcome.output, {"size", "count", "time", "busbw", "#wrong"});
  REQUIRE(rows.size() == 6);
  CHECK(rows[0] == std::vector<double>{0, 0, rows[0][2], 0, 0});
  CHECK(rows[2][0] == 128);
  CHECK(rows[2][1] == 16);
  CHECK(rows[5][2] > 0);
  CHECK(rows[5][3] == Approx(8192 / rows[5][2] / 1000 / 2).epsilon(0.01).margin(0.006));
  CHECK_THAT(outcome.output, Contains("#      out  call (us) min "));
  CHECK_THAT(outcome.output,
             Contains("\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : "));
}

TEST_CASE("all operations are JSON lines with every statistic") {
  for (const int ranks : {1, 2}) {
    const Outcome outcome = collective(
        ranks, {"--operation", "all", "-b", "1K", "-e", "4K", "--iters", "9", "--json", "-"});
    CHECK(outcome.exit_code == 0);
    const Words lines = lines_of(outcome.output);
    CHECK(lines.size() == 7 * 3 * 2);
    std::set<std::string> operations;
    for (const auto& line : lines) {
      const json one = json::parse(line);
      operations.insert(one.at("operation").get<std::string>() +
                        (one.at("in_place").get<bool>() ? " in" : " out"));
      CHECK(one.at("ranks") == ranks);
      CHECK(one.at("wrong") == 0);
      CHECK(one.at("iterations") == 9);
      CHECK(one.at("device") == "cpu");
      CHECK((one.at("library") == "none") == (ranks == 1));
      const double min = one.at("call_us_min"), median = one.at("call_us_median"),
                   p99 = one.at("call_us_p99");
      CHECK(min <= median);
      CHECK(median <= p99);
      CHECK(one.at("barrier_us_min") <= one.at("barrier_us_p99"));
      for (const char* key : {"time_us", "algbw_gbs", "busbw_gbs", "busbw_gbs_median", "call_cv",
                              "barrier_cv", "last_rank", "bytes", "count"})
        CHECK(one.at(key).is_number());
    }
    CHECK(operations.size() == 14);
  }
}

TEST_CASE("JSON goes to a file beside the table") {
  const TemporaryDirectory here;
  const std::string file = here / "c.json";
  const Outcome outcome = collective(1, {"-b", "64", "-e", "64", "--check", "0", "--json", file});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.output, Contains("    N/A"));
  const Words lines = lines_of(read_input(file));
  REQUIRE(lines.size() == 2);
  CHECK(json::parse(lines[1]).at("wrong").is_null());
}

TEST_CASE("sizes step by a factor or by bytes and take K, M and G") {
  CollectiveSettings settings;
  const OptionTable table = collective_options(settings);
  CHECK(parse_options(table, long_names({"-b", "1K", "-e", "1.5M", "-f", "16", "-n", "3"})));
  CHECK(sizes_of(settings) == std::vector<std::int64_t>{1024, 16384, 262144});
  CHECK(settings.iters == 3);
  CollectiveSettings steps;
  CHECK(parse_options(collective_options(steps),
                      {"--minbytes=100", "--maxbytes=350", "--stepbytes=100"}));
  CHECK(sizes_of(steps) == std::vector<std::int64_t>{100, 200, 300});
}

TEST_CASE("what cannot be timed is one line that says so") {
  struct Case {
    Words options;
    const char* words;
  };
  for (const Case& c :
       {Case{{"-b", "1M", "-e", "1K"}, "--minbytes 1048576 is more than --maxbytes 1024"},
        Case{{"--maxbytes", "12X"},
             "--maxbytes wants bytes from 1 to 1024G, such as 8, 64K or 32M"},
        Case{{"--maxbytes", "0.3"}, "--maxbytes wants bytes"},
        Case{{"--stepfactor", "1"}, "--stepfactor 1 stays where it is"},
        Case{{"-f", "2", "-i", "8"}, "exclude each other"},
        Case{{"--root", "1"}, "--root 1 is not among 1 ranks"},
        Case{{"--op", "max", "--operation", "reduce"}, "--op max is for --operation all_reduce"},
        Case{{"--datatype", "uint8"}, "can be moved, not reduced: not for --operation all_reduce"},
        Case{{"--maxbytes", "16G"}, "more than 2^31 elements of float"},
        Case{{"--pairs"}, "--pairs nodes wants two of them"},
        Case{{"--json", "/nowhere/x"}, "--json /nowhere/x: cannot write: No such file"},
        Case{{"--iterations", "3"}, "--iterations wants --bytes, such as 4M"},
        Case{{"--iterations", "3", "--bytes", "8", "--operation", "all"}, "one --operation"},
        Case{{"--iterations", "3", "--bytes", "8", "--operation", "all_gather"},
             "--bytes 8 is no element of float for all_gather over 1 ranks"},
        Case{{"--iterations", "3", "--bytes", "8", "--pairs"}, "exclude each other"},
        Case{{"--iterations", "3", "--bytes", "8", "--json", "-"}, "no --json"},
        Case{{"--itres", "3"}, "did you mean '--iters'?"}}) {
    const Outcome outcome = collective(1, c.options);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.output, Contains("collective: "));
    CHECK_THAT(outcome.output, Contains(c.words));
  }
  const Outcome large =
      collective(1, {"--maxbytes", "1000G", "--datatype", "uint8", "--operation", "broadcast"});
  CHECK(large.exit_code == 2);
}

TEST_CASE("a mistake of all ranks is said once and ends all of them") {
  const Outcome outcome = collective(3, {"--root", "3"});
  CHECK(outcome.exit_code == 2);
  const std::string line = "collective: --root 3 is not among 3 ranks, counted from 0\n";
  const std::size_t at = outcome.output.find(line);
  REQUIRE(at != std::string::npos);
  CHECK(outcome.output.find("is not among", at + line.size()) == std::string::npos);
  const Outcome help = collective(2, {"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.output.find("--minbytes") == help.output.rfind("--minbytes"));
}

TEST_CASE("a rank that fails takes the others down with a line that names it") {
  const Outcome outcome = run_ranks(3, {COLLECTIVE_RANKS, "fail", "1000"});
  CHECK(outcome.exit_code == 12);
  CHECK_THAT(outcome.output, Contains("collective_ranks: rank 2 on "));
  CHECK_THAT(outcome.output, Contains(": on purpose\n"));
}

TEST_CASE("one operation of one size is timed step by step") {
  const Outcome outcome =
      collective(2, {"--operation", "all_gather", "--bytes", "64K", "--iterations", "3",
                     "--step-ms", "0.5", "--datatype", "double"});
  INFO(outcome.output);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.output,
             Contains(" > point: op=all_gather bytes=65536 type=double redop=sum root=0 ranks=2 "
                      "device=cpu\n step        1/       3 | time (us): ") &&
                 Catch::EndsWith("\n > done: 3 steps\n"));
  std::set<std::string> calls;
  for (const auto& line : lines_of(outcome.output)) {
    if (!line.starts_with(" step ")) continue;
    calls.insert(words_of(line).back());
    CHECK(std::stod(words_of(line).at(6)) > 0);
  }
  CHECK(calls.size() == 1);  // found once, for all steps
}

TEST_CASE("steps over data that arrive wrong end with exit 1 and one line") {
  const Outcome outcome = run_ranks(2, {COLLECTIVE_RANKS, "steps"});
  INFO(outcome.output);
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.output, Contains(" elements were wrong after all_reduce of 4096 bytes over 2 "
                                      "ranks: what sends them cannot be trusted"));
  CHECK_THAT(outcome.output, !Contains(" step "));
}

TEST_CASE("one size for the table can be named by --bytes") {
  const Outcome outcome = collective(1, {"--bytes", "48"});
  int rows = 0;
  for (const auto& line : lines_of(outcome.output)) rows += words_of(line).size() == 13;
  CHECK(rows == 1);
  CHECK_THAT(outcome.output, Contains("minBytes 48 maxBytes 48"));
}
