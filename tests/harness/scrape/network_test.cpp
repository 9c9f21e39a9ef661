// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/network.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {

const std::string kPairs =
    " > probe: pippin collective 1\n"
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 128 step: 16(factor) warmup iters: 5 iters: 20\n"
    "#\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid  23284 on         n1 device  0 [0x00] AMD EPYC\n"
    "#  Rank  1 Group  0 Pid  23285 on         n1 device  1 [0x00] AMD EPYC\n"
    "#  Rank  2 Group  0 Pid  23286 on         n2 device  0 [0x00] AMD EPYC\n"
    "#  Rank  3 Group  0 Pid  23287 on         n3 device  0 [0x00] AMD EPYC\n"
    "#  Rank  4 Group  0 Pid  23288 on         n1 device  2 [0x00] AMD EPYC\n"
    "#\n"
    "# Library              : Open MPI v4.1.4\n"
    "# Pairs: 33554432 bytes each way at once, median of 20, GB/s each way\n"
    "#                       n1          n2          n3\n"
    "#           n1           -       2.074       1.827\n"
    "#           n2       2.074           -       2.442\n"
    "#           n3       1.827       2.442           -\n"
    "# Slowest pair         : n1 n3, 1.827 GB/s\n"
    "# Suspect              : none\n"
    "#\n";

/// Lines of nccl-tests 2.13 after its list of devices.
const std::string kNcclRows =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time"
    "   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)"
    "  (GB/s)  (GB/s)       \n"
    "     1048576        262144     float     sum      -1    91.20   11.50   11.50      0    90.11"
    "   11.64   11.64      0\n"
    "    67108864      16777216     float     sum      -1   1500.0   44.74   44.74      0   1501.0"
    "   44.71   44.71      0\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 45.1\n";

}  // namespace

TEST_CASE("a table of pairs is read with its nodes, ranks and messages") {
  const auto tables = read_network(kPairs);
  REQUIRE(tables.size() == 1);
  const CanaryFigures& table = tables[0];
  CHECK(table.ranks == 5);
  CHECK(table.nodes == 3);
  CHECK(table.library == "Open MPI v4.1.4");
  CHECK(table.gemm.m == 0);
  REQUIRE(table.pairs.size() == 3);
  CHECK(table.pairs[1].a == "n1");
  CHECK(table.pairs[1].b == "n3");
  CHECK(table.pairs[1].gb_per_s == 1.827);
  CHECK(table.pairs[1].bytes == 33554432);
  CHECK(table.pairs[1].repetitions == 20);
  REQUIRE(table.by_node.size() == 3);
  CHECK(table.by_node[0].ranks == "0-1,4");
  CHECK(table.by_node[2].ranks == "3");
}

TEST_CASE("rows of nccl-tests are read, each as its operation") {
  const std::string devices =
      "#  Rank  0 Group  0 Pid  7 on  gpu-a device  0 [0x07] NVIDIA A100\n"
      "#  Rank  1 Group  0 Pid  8 on  gpu-b device  0 [0x07] NVIDIA A100\n";
  const std::string head = "# nThread 1 nGpus 1 minBytes 8 maxBytes 128\n";
  const auto tables =
      read_network("# Collective test starting: all_reduce_perf\n" + head + devices + kNcclRows);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 2);
  CHECK(tables[0].nodes == 2);
  REQUIRE(tables[0].all_reduce.size() == 2);
  CHECK(tables[0].all_reduce[1].bytes == 67108864);
  CHECK(tables[0].all_reduce[1].median_us == 1500);
  CHECK(tables[0].all_reduce[1].median_busbw_gb_per_s == 44.74);
  CHECK_FALSE(tables[0].all_reduce[1].p99_us);

  CHECK(read_network("+ srun ./build/all_reduce_perf -b 8\n" + head + devices + kNcclRows).size() ==
        1);
  const auto both =
      read_network("+ srun ./build/all_reduce_perf -b 8\n" + head + devices + kNcclRows +
                   "+ srun ./build/all_gather_perf -b 8\n" + head + devices + kNcclRows);
  REQUIRE(both.size() == 2);
  CHECK(both[1].all_reduce.empty());
  REQUIRE_FALSE(both[1].collectives.empty());
  CHECK(both[1].collectives[0].operation == "all_gather");
  CHECK(read_network(head + devices + kNcclRows).empty());
  const auto gathers = read_network(head + "# Operation            : all_gather\n" + kNcclRows);
  REQUIRE(gathers.size() == 1);
  CHECK(gathers[0].all_reduce.empty());
  CHECK(gathers[0].collectives.front().operation == "all_gather");
}

TEST_CASE("the statistics below a row are its own") {
  const auto tables = read_network(
      "# nThread 1 nGpus 1\n# Operation            : all_reduce\n" +
      kNcclRows.substr(0, kNcclRows.find("    67108864")) +
      "#      out  call (us) min 45.6 median 45.6 p99 99.5 cv 9.0%  barrier (us) min 0.5\n"
      "#       in  call (us) min 1.1 median 1.2 p99 1.3 cv 9.0%  barrier (us) min 0.5\n");
  REQUIRE(tables.size() == 1);
  const CanaryAllReduce& row = tables[0].all_reduce.at(0);
  CHECK(row.min_us == 45.6);
  CHECK(row.median_us == 45.6);
  CHECK(row.p99_us == 99.5);
  CHECK(row.median_busbw_gb_per_s == Approx(2 * 11.5));
}

TEST_CASE("records of pairs and all-reduces are read as the tables are") {
  const auto tables = read_network(
      R"({"record":"collective","operation":"all_reduce","in_place":false,"ranks":2,"bytes":1024,)"
      R"("library":"none","call_us_min":1.5,"call_us_median":2,"call_us_p99":9,"busbw_gbs_median":4})"
      "\n"
      R"({"record":"collective","operation":"all_reduce","in_place":true,"ranks":2,"bytes":2048,)"
      R"("call_us_median":2,"busbw_gbs_median":4})"
      "\n"
      R"({"record":"pair","device":"cpu","library":"NCCL 2.28.9","a":"x","b":"y","bytes":64,)"
      R"("iterations":3,"gbs":1.25})"
      "\n"
      R"({"record":"pair","a":"x","b":"z","gbs":-1})"
      "\n"
      R"({"record":"pair","a":"x","b":)"
      "\n");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 2);
  CHECK(tables[0].nodes == 2);
  CHECK(tables[0].library == "NCCL 2.28.9");
  REQUIRE(tables[0].all_reduce.size() == 1);
  CHECK(tables[0].all_reduce[0].p99_us == 9);
  REQUIRE(tables[0].pairs.size() == 1);
  CHECK(tables[0].pairs[0].gb_per_s == 1.25);
}

TEST_CASE("several tables of one text stay apart, and other texts have none") {
  CHECK(read_network(kPairs + kPairs).size() == 2);
  CHECK(read_network("").empty());
  CHECK(read_network("iteration 1 | elapsed time per iteration (ms): 12.1 |\n").empty());
  CHECK(read_network("# Pairs: of shoes\n# left right\n").empty());
}
