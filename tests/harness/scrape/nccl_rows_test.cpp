#include "harness/scrape/nccl_rows.h"

#include "harness/scrape/network.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

const std::string kBegun =
    "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 1 minBytes 8 maxBytes 128\n";

/// Source: a table of nccl-tests 2.x before 2.13, on DGX-1; NVIDIA's notes on Kubernetes.
const std::string kWithoutRoot =
    "#                                                       out-of-place                       "
    "in-place\n"
    "#       size         count      type   redop     time   algbw   busbw  error     time   algbw"
    "   busbw  error\n"
    "#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)"
    "  (GB/s)\n"
    "     1048576        262144     float     sum    127.9    8.20   15.38  5e-07    126.9    8.26"
    "   15.49  5e-07\n"
    "  4294967296    1073741824     float     sum   167263   25.68   48.15    N/A   167543   25.64"
    "   48.07    N/A\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 18.5822\n";

/// Columns as nccl-tests 2.19 print them with -I 1 and -S 1.
/// Source: github.com/NVIDIA/nccl-tests, src/util.cu.
const std::string kPerIteration =
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min"
    "    i_max    i_p99    i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99"
    "    i_cv%           timestamp\n"
    "     1048576        262144     float     sum      -1    91.20   11.50   21.56       0    88.00"
    "   120.50   119.50     4.10    90.11   11.64   21.82       0    80.00   110.50   109.50"
    "     4.20  2026-07-09 16:03:21\n";

std::vector<std::string> problems_of(const std::string& text) {
  return find_network_tables(text).problems;
}

}  // namespace

TEST_CASE("columns of nccl-tests are known by their names, with a root and without") {
  const auto tables = read_network(kBegun + kWithoutRoot);
  REQUIRE(tables.size() == 1);
  const auto& sizes = tables[0].all_reduce;
  REQUIRE(sizes.size() == 2);  // and none of the average over all sizes
  CHECK(sizes[0].bytes == 1048576);
  CHECK(sizes[0].median_us == 127.9);
  CHECK(sizes[0].median_busbw_gb_per_s == 15.38);
  CHECK(sizes[1].bytes == 4294967296);
  CHECK(sizes[1].median_us == 167263);
  CHECK(sizes[1].median_busbw_gb_per_s == 48.15);
}

TEST_CASE("a table with the spread of its iterations gives it") {
  const auto tables = read_network(kBegun + kPerIteration);
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].all_reduce.size() == 1);
  const auto& size = tables[0].all_reduce[0];
  CHECK(size.median_us == 91.2);
  CHECK(size.min_us == 88);
  CHECK(size.p99_us == 119.5);
  CHECK(size.median_busbw_gb_per_s == 21.56);
}

TEST_CASE("a row that lacks its figures out of place, or its end, is none") {
  const std::string head =
      "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n";
  const std::string whole = "1024 256 float sum -1 9.1 0.2 0.3 0 9.2 0.4 0.5 0\n";
  REQUIRE(read_network(kBegun + head + whole).size() == 1);
  CHECK(read_network(kBegun + whole).empty());
  CHECK(read_network(kBegun + head + "1024 256 float sum -1         9.2 0.4 0.5 0\n").empty());
  CHECK(read_network(kBegun + head + "1024 256 float sum -1 9.1 0.2 0.3 0 9.2 0.4\n").empty());
  CHECK(
      read_network(kBegun + head + "1024 256 float sum -1 N/A 0.2 0.3 0 9.2 0.4 0.5 0\n").empty());
}

TEST_CASE("tables of nccl-tests that cannot be kept are refused with a reason") {
  const std::string head = "# nThread 1 nGpus 1\n";
  CHECK(problems_of(kBegun + kWithoutRoot).empty());
  CHECK(problems_of(head + kWithoutRoot) ==
        std::vector<std::string>{"holds a table of nccl-tests, but neither the table nor a command "
                                 "says of which collective"});
  const auto on_host = find_network_tables(
      kBegun +
      "# size count type redop root cputime algbw busbw #wrong cputime algbw busbw #wrong\n"
      "1024 256 float sum -1 9.1 0.2 0.3 0 9.2 0.4 0.5 0\n");
  CHECK(on_host.tables.empty());
  REQUIRE(on_host.problems.size() == 1);
  CHECK_THAT(on_host.problems[0], Catch::Contains("-C"));
}

TEST_CASE("a table of nccl-tests gives each operation out of place and in place") {
  const auto tables = read_network(
      "$ ./build/reduce_scatter_perf\n# nThread 1 nGpus 1\n"
      "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
      "1024 256 float sum -1 9.1 0.11 0.00 0 9.2 0.12 0.10 3\n"
      "2048 512 float sum -1 9.3 0.22 0.20 N/A N/A N/A N/A N/A\n");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].all_reduce.empty());
  const auto& rows = tables[0].collectives;
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].operation == "reduce_scatter");
  CHECK(rows[0].bytes == 1024);
  CHECK(rows[0].in_place == false);
  CHECK(rows[0].number_type == "float");
  CHECK(rows[0].time_us == 9.1);
  CHECK(rows[0].algbw_gb_per_s == 0.11);
  CHECK_FALSE(rows[0].busbw_gb_per_s);  // it is below what the table can write
  CHECK(rows[0].wrong == 0);
  CHECK(rows[1].in_place == true);
  CHECK(rows[1].busbw_gb_per_s == 0.1);
  CHECK(rows[1].wrong == 3);
  CHECK(rows[2].bytes == 2048);
  CHECK_FALSE(rows[2].wrong);
}

TEST_CASE("ranks and hosts are those that nccl-tests list") {
  const auto tables =
      read_network(kBegun +
                   "# Using devices\n"
                   "#  Rank  0 Group  0 Pid  11 on      gpu-a device  0 [0000:07:00] NVIDIA H100\n"
                   "#  Rank  1 Group  0 Pid  12 on      gpu-a device  1 [0000:0a:00] NVIDIA H100\n"
                   "#   Rank  2 Pid  13 on      gpu-b device  0 [0x07] NVIDIA H100\n" +
                   kWithoutRoot);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 3);
  REQUIRE(tables[0].by_node.size() == 2);
  CHECK(tables[0].by_node[0].ranks == "0-1");
  CHECK(tables[0].by_node[1].name == "gpu-b");
}

TEST_CASE("a line names the collective of its program") {
  CHECK(nccl_collective("srun ./build/all_reduce_perf -b 8") == "all_reduce");
  CHECK(nccl_collective("./all_reduce_perf_mpi") == "all_reduce");
  CHECK(nccl_collective("reduce_perf") == "reduce");
  CHECK(nccl_collective("for t in all_reduce_perf all_gather_perf; do") == "");
  CHECK_FALSE(nccl_collective("all_reduce_performance"));
  CHECK_FALSE(nccl_collective("export max_perf=1"));
}
