// SPDX-License-Identifier: Apache-2.0
#include "reports/nodes.h"

#include <sstream>

#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

NodeRuns runs_on(const std::string& node, std::int64_t ok, std::int64_t failed) {
  NodeRuns runs{node, {}, 1767225600};
  runs.runs.at(static_cast<std::size_t>(RunState::kOk)) = ok;
  runs.runs.at(static_cast<std::size_t>(RunState::kFailed)) = failed;
  return runs;
}

/// A run on one node beside a reading there.
RunEvidence reading_on(std::int64_t number, const std::string& node, double tflops,
                       double all_reduce_us) {
  RunEvidence run;
  run.run = number;
  run.nodes = {node};
  CanaryEvidence reading;
  reading.reading = number;
  reading.ranks = 2;
  reading.nodes = 1;
  reading.all_reduce_bytes = 1024;
  reading.all_reduce_us = all_reduce_us;
  reading.by_node = {{node, "0-1", tflops, tflops}};
  run.before = reading;
  run.after = reading;  // one reading, which two runs share
  return run;
}

std::string written(const std::vector<NodeRow>& rows, const char* format) {
  std::ostringstream text;
  flat_format_named(format).write(node_table(rows), text);
  return text.str();
}

}  // namespace

TEST_CASE("a node's canaries are held against those of the others") {
  Evidence evidence;
  evidence.runs = {reading_on(1, "n1", 100, 10), reading_on(2, "n2", 50, 30),
                   reading_on(3, "n3", 100, 10), reading_on(4, "n3", 102, 10)};
  const auto rows = node_rows({}, evidence, {});
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].node == "n2");
  CHECK(rows[1].readings == 1);
  CHECK(rows[2].readings == 2);
  CHECK(rows[2].gemm_tflops == 101);
  CHECK(rows[1].gemm_ratio.value() == Approx(50 / 100.5));
  CHECK(rows[1].all_reduce_ratio.value() == Approx(3));
  CHECK(rows[0].all_reduce_ratio.value() == Approx(0.5));
}

TEST_CASE("readings of other sizes are not compared, and one node alone with nobody") {
  Evidence evidence;
  evidence.runs = {reading_on(1, "n1", 100, 10), reading_on(2, "n2", 50, 30)};
  evidence.runs[1].before->all_reduce_bytes = evidence.runs[1].after->all_reduce_bytes = 4096;
  evidence.runs[1].before->gemm.m = evidence.runs[1].after->gemm.m = 512;
  const auto rows = node_rows({}, evidence, {});
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].gemm_tflops == 50);
  CHECK_FALSE(rows[1].gemm_ratio);
  CHECK_FALSE(rows[1].all_reduce_ratio);
}

TEST_CASE("bad nodes come first and say why in every format") {
  const auto rows = node_rows({runs_on("n1", 5, 0), runs_on("n2", 1, 3)}, {},
                              {{"n2", 7, "", ""},
                               {"n2", 0, "bad", "alice says so: noisy"},
                               {"n3", 1, "allowed", "bob says so: mended"}});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].node == "n2");
  CHECK(rows[0].runs == 4);
  CHECK(rows[0].failed == 3);
  CHECK(rows[0].failed_launches == 7);
  CHECK_THAT(written(rows, "terminal"), Contains("n2 is bad: alice says so: noisy"));
  CHECK_THAT(written(rows, "csv"),
             Contains("n2,4,1,3,7,") && Contains(",bad,alice says so: noisy"));
  CHECK_THAT(written(rows, "json"), Contains("\"nodes\"") && Contains("\"bad\""));
  CHECK_THAT(written(rows, "markdown"), Contains("| n2 "));
}
