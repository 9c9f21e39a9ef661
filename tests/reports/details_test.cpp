// SPDX-License-Identifier: Apache-2.0
#include "reports/details.h"

#include "reports/column_kinds.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

RunEvidence evidence_of(std::int64_t run, std::vector<std::string> nodes, double gemm_tflops) {
  RunEvidence evidence;
  evidence.run = run;
  evidence.nodes = std::move(nodes);
  CanaryEvidence reading;
  reading.ranks = 4;
  reading.all_reduce_bytes = 4'000'000;
  reading.all_reduce_us = 3'000;
  reading.gemm.m = 512;
  reading.gemm.median_tflops = gemm_tflops;
  evidence.before = reading;
  return evidence;
}

std::string cell(const std::string& column, const Summary& row) {
  return cell_text(*find_column_kind(column), row, {}, {});
}

}  // namespace

TEST_CASE(
    "a row says on which nodes its runs were, what canaries measured and where the logs are") {
  std::vector<Summary> rows{test::row_52b("a", 1), test::row_52b("b", 1)};
  rows[0].run_ids = {7, 8, 9};
  add_details(rows, {{evidence_of(7, {"n1", "n2"}, 1), evidence_of(8, {"n2", "n3"}, 2)}, {}},
              {{7, "/logs/7.out"}, {8, "/logs/8.out"}, {9, "/logs/7.out"}});
  const RowDetails& details = rows[0].details;
  CHECK(details.logs == std::vector<std::string>{"/logs/7.out", "/logs/8.out"});
  CHECK(details.nodes == std::vector<std::string>{"n1", "n2", "n3"});
  CHECK(details.nodes_of_run == 2);
  CHECK(details.canary_gemm_tflops.value() == Approx(1.5));
  // 4 MB over 4 ranks: 2 · 3 / 4 of it goes over each link, in 3 ms.
  CHECK(details.canary_busbw_gb_per_s.value() == Approx(2));
  CHECK(cell("log", rows[0]) == "/logs/7.out, /logs/8.out");
  CHECK(cell("nodes", rows[0]) == "2: n1, n2, n3");
  CHECK(cell("canary_gemm", rows[0]) == "1.50");
  for (const char* column : {"log", "nodes", "canary_gemm", "canary_busbw"}) {
    CAPTURE(column);
    CHECK(cell(column, rows[1]).empty());
  }
}

TEST_CASE("what is only known of runs is fetched where a reader names it") {
  CHECK(wants_details({"log"}));
  CHECK(wants_details({"tp", "canary busbw"}));
  CHECK(wants_details({"node_names"}));
  CHECK_FALSE(wants_details({"tp", "median", "p99", "step_time"}));
  CHECK_FALSE(wants_details({}));
}
