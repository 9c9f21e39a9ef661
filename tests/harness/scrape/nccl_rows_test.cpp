// SPDX-License-Identifier: Apache-2.0
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

const std::string kHead = "#  size  count  type  redop  root  time  algbw  busbw  #wrong\n";

/// rccl-tests 2025, of 16 ranks.
const std::string kOf16 =
    kHead +
    "  1073741824     268435456     float     sum      -1   5753.0  186.64  349.95      0\n"
    "  2147483648     536870912     float     sum      -1    11406  188.28  353.03      0\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 351.49\n"
    "#\n";

const std::string kOf2 = kHead + "1048576 262144 float sum -1 127.9 8.20 8.20 0\n";

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
  CHECK(problems_of(head + kOf2) ==
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

TEST_CASE("a table that was pasted without its '#' is read") {
  const auto tables = read_network(
      "mpirun -np 8 all_reduce_perf -b 32 -f 2 -e 8G\n"
      " nThread 1 nGpus 1 minBytes 32 maxBytes 8589934592 step: 2(factor) warmup iters: 5\n"
      "\n"
      " Using devices\n"
      "   Rank  0 Pid 1821213 on AI-A100-Beethoven01 device  0 [0x00] NVIDIA A100-SXM4-40GB\n"
      "   Rank  1 Pid 1821214 on AI-A100-Beethoven01 device  1 [0x00] NVIDIA A100-SXM4-40GB\n"
      "\n"
      "                                                     out-of-place                  "
      "in-place\n"
      "       size         count    type   redop     time   algbw   busbw  error     time   algbw  "
      " "
      "busbw  error\n"
      "        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  "
      "(GB/s)\n"
      "  1073741824     268435456   float     sum   8337.2  128.79  128.79  5e-07   8345.8  128.66 "
      " "
      "128.66  5e-07\n"
      " Out of bounds values : 0 OK\n"
      " Avg bus bandwidth    : 90.2\n"
      "Rank 12 died on node77 with code 3\n");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 2);
  REQUIRE(tables[0].collectives.size() == 2);
  CHECK(tables[0].collectives[0].operation == "all_reduce");
  CHECK(tables[0].collectives[0].time_us == 8337.2);
  CHECK(tables[0].collectives[1].busbw_gb_per_s == 128.66);
}

TEST_CASE("a table of one rank is refused, also where several ran side by side") {
  const std::string alone =
      "# nThread 1 nGpus 1 minBytes 1310720000 maxBytes 1310720000 step: 1048576(bytes)\n"
      "# nThread 1 nGpus 1 minBytes 1310720000 maxBytes 1310720000 step: 1048576(bytes)\n"
      "#   Rank  0 Pid   1320 on ip-172-31-20-228 device  0 [0x00] Tesla V100-SXM2-16GB\n"
      "#   Rank  0 Pid   2066 on ip-172-31-22-230 device  0 [0x00] Tesla V100-SXM2-16GB\n";
  const auto found = find_network_tables("mpirun -np 2 all_reduce_perf -g 1\n" + alone + kHead +
                                         "1048576 262144 float sum -1 7.9 132.73 0.00 0\n");
  CHECK(found.tables.empty());
  REQUIRE(found.problems.size() == 1);
  CHECK_THAT(found.problems[0], Catch::Contains("of one rank"));
}

TEST_CASE("a table without its beginning is of the command before it, or refused") {
  CHECK(problems_of(kOf2) ==
        std::vector<std::string>{"holds a table of nccl-tests, but neither the table nor a command "
                                 "says of which collective"});
  const auto tables = read_network("nccl-tests/build/alltoall_perf -b 1MB -n 100\n" + kWithoutRoot);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 0);
  REQUIRE(tables[0].collectives.size() == 4);
  CHECK(tables[0].collectives[0].operation == "alltoall");
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
                   kHead + "1048576 262144 float sum -1 127.9 8.20 10.93 0\n");
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

TEST_CASE("the last line of nccl-tests names the collective where the first is not there") {
  const auto tables = read_network(kOf16 + "# Collective test concluded: all_reduce_perf\n#\n");
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].collectives.size() == 2);
  CHECK(tables[0].collectives[0].operation == "all_reduce");
  REQUIRE(tables[0].all_reduce.size() == 2);
  CHECK(tables[0].all_reduce[1].median_us == 11406);
  CHECK(tables[0].all_reduce[1].median_busbw_gb_per_s == 353.03);
}

TEST_CASE("the last line of nccl-tests names the table above it and none below") {
  const std::string row = "1048576 262144 float sum -1 127.9 8.20 8.20 0\n";
  const std::string ends = "# Collective test concluded: ";
  const auto several = find_network_tables(kHead + row + ends + "reduce_perf\n" + kHead + row +
                                           ends + "broadcast_perf_mpi\n" + kHead + row);
  REQUIRE(several.tables.size() == 2);
  CHECK(several.tables[0].collectives.at(0).operation == "reduce");
  CHECK(several.tables[1].collectives.at(0).operation == "broadcast");
  REQUIRE(several.problems.size() == 1);
  CHECK_THAT(several.problems[0], Catch::Contains("of which collective"));

  const auto after_another =
      read_network("# Collective test starting: all_gather_perf\n# nThread 1 nGpus 1\n" + kHead +
                   "1048576 262144 float none -1 127.9 8.20 4.10 0\n" + ends + "all_gather_perf\n" +
                   kOf16 + ends + "all_reduce_perf\n");
  REQUIRE(after_another.size() == 2);
  CHECK(after_another[0].collectives.at(0).operation == "all_gather");
  CHECK(after_another[1].collectives.at(0).operation == "all_reduce");
}

TEST_CASE("the last line of nccl-tests counts more than a command, and less than its first") {
  const std::string ends = "# Collective test concluded: all_reduce_perf\n";
  const auto by_command = read_network("$ ./build/all_gather_perf -b 1G\n" + kOf16 + ends);
  REQUIRE(by_command.size() == 1);
  CHECK(by_command[0].collectives.at(0).operation == "all_reduce");
  CHECK(by_command[0].all_reduce.size() == 2);
  const auto by_first = read_network(
      "# Collective test starting: reduce_scatter_perf\n# nThread 1 nGpus 1\n" + kOf16 + ends);
  REQUIRE(by_first.size() == 1);
  CHECK(by_first[0].collectives.at(0).operation == "reduce_scatter");
}

TEST_CASE("a table of which one rank is quoted is of as many as its bandwidths say") {
  const std::string begun =
      kBegun + "#  Rank  0 Group  0 Pid  78515 on  gpu-a device  0 [0000:05:00] AMD MI355X\n";
  const auto tables = read_network(begun + kOf16);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 16);
  CHECK(tables[0].nodes == 0);  // of one the name is known
  CHECK(tables[0].by_node.size() == 1);
  CHECK(read_network(kBegun + kOf16).at(0).ranks == 16);
  const auto gather = read_network("$ ./build/all_gather_perf\n" + kHead +
                                   "1048576 262144 float none -1 127.9 80.00 70.00 0\n");
  CHECK(gather.at(0).ranks == 8);
}

TEST_CASE("of a list of ranks that lost its beginning the nodes are unknown") {
  const auto tables = read_network(
      kBegun + "#  Rank 15 Group  0 Pid  14840 on  gpu-b device  7 [0x01] NVIDIA H100\n" + kOf16);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 16);
  CHECK(tables[0].nodes == 0);
}

TEST_CASE("ranks that bandwidths of few digits leave open are unknown") {
  const std::string rank = "#  Rank  0 Group  0 Pid  7 on  gpu-a device  0 [0x05] AMD MI355X\n";
  const auto tables =
      read_network(kBegun + rank + kHead + "1024 256 float sum -1 20.1 0.05 0.10 0\n" +
                   "2048 512 float sum -1 20.2 0.10 0.19 0\n");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 0);
  const auto found =
      find_network_tables("$ ./build/broadcast_perf\n# nThread 1 nGpus 1 minBytes 8\n" + rank +
                          kHead + "1048576 262144 float none 0 127.9 8.20 8.20 0\n");
  CHECK(found.tables.empty());
  CHECK(found.problems ==
        std::vector<std::string>{"holds a table of nccl-tests that lists one rank alone, and does "
                                 "not say whether there were more"});
}

TEST_CASE("groups of ranks that nccl-tests split are all of the table's") {
  std::string devices;
  for (int rank = 0; rank < 4; ++rank)
    devices += fmt::format("#  Rank {:2} Group {:2} Pid  7 on  gpu-a device  0 [0x05] NVIDIA\n",
                           rank, rank / 2);
  const auto tables =
      read_network(kBegun + devices + kHead + "1024 256 float sum -1 9 8.20 8.20 0\n");
  CHECK(tables.at(0).ranks == 4);
  CHECK(tables.at(0).nodes == 1);
}

TEST_CASE("a table of nccl-tests to which a column was added is refused by its name") {
  const std::string row = "   2  1048576 262144 float sum -1 127.9 8.20 8.20 0\n";
  for (const std::string_view begin : {"", "# "}) {
    const auto found = find_network_tables(
        kBegun + std::string(begin) +
        "Nodes  size  count  type  redop  root  time   algbw   busbw  #wrong\n" + row);
    CHECK(found.tables.empty());
    CHECK(found.problems ==
          std::vector<std::string>{"holds a table of nccl-tests, but with 'Nodes' "
                                   "before its column 'size'"});
  }
}

TEST_CASE("a table whose bus is faster than its algorithm is of an all-reduce, named or not") {
  const auto tables = read_network(kWithoutRoot);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 16);
  REQUIRE(tables[0].all_reduce.size() == 2);
  CHECK(tables[0].all_reduce[1].median_busbw_gb_per_s == 48.15);
  CHECK(tables[0].collectives.at(0).operation == "all_reduce");
  const auto by_command = read_network("$ ./build/alltoall_perf\n" + kWithoutRoot);
  CHECK(by_command.at(0).collectives.at(0).operation == "alltoall");
  const std::string halves = "1048576 262144 float sum -1 127.9 8.20 7.69 0\n";
  CHECK(read_network(kHead + halves).empty());
  CHECK(read_network(kHead + "1048576 262144 float sum -1 127.9 8.20 17.69 0\n").empty());
}

namespace {

/// Of a note that left out all above the rows.
const std::string kBareRows =
    "   [1,0]<stdout>:     1048576        262144     float     sum      -1    239.3    4.38    8.22"
    "      0    245.5    4.27    8.01      0\n"
    "   [1,0]<stdout>:  2147483648     536870912     float     sum      -1   9197.5  233.49  437.79"
    "      0   9195.2  233.54  437.89      0\n";

const std::string kNameless = "holds rows of nccl-tests without the line that names their columns";

}  // namespace

TEST_CASE("rows of nccl-tests without a header are read where their bandwidths say what they are") {
  const auto tables = read_network(kBareRows);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 16);
  REQUIRE(tables[0].collectives.size() == 4);
  CHECK(tables[0].collectives[0].operation == "all_reduce");
  CHECK(tables[0].collectives[3].time_us == 9195.2);
  CHECK(tables[0].collectives[3].busbw_gb_per_s == 437.89);
  REQUIRE(tables[0].all_reduce.size() == 2);
  CHECK(tables[0].all_reduce[1].median_us == 9197.5);
  const auto old =
      read_network("1048576 262144 float sum 127.9 8.20 15.38 5e-07 126.9 8.26 15.49 5e-07\n");
  REQUIRE(old.size() == 1);
  CHECK(old[0].collectives.at(1).busbw_gb_per_s == 15.49);
}

TEST_CASE("rows of nccl-tests without a header whose bandwidths do not fit are refused") {
  const std::string other_time =
      "  4194304 1048576 float sum -1 305.7 23.72 44.48 0 302.2 13.88 26.02 0\n";
  const std::string other_ranks =
      "  4194304 1048576 float sum -1 305.7 13.72 24.01 0 302.2 13.88 24.29 0\n";
  for (const auto& strange : {other_time, other_ranks}) {
    const auto found = find_network_tables(kBareRows + strange);
    CHECK(found.tables.empty());
    CHECK(found.problems == std::vector<std::string>{kNameless});
  }
  const std::string gather =
      "  4194304 131072 float none -1 305.7 13.72 12.86 0 302.2 13.88 13.01 0\n";
  CHECK(read_network(gather).empty());
  CHECK(read_network("$ ./build/all_gather_perf\n" + gather).at(0).collectives.size() == 2);
  CHECK(read_network(kBareRows + "# Avg bus bandwidth    : 52.9753\n\n" + kBareRows).size() == 2);
}

TEST_CASE("rows of nccl-tests that others' lines have torn are refused as such") {
  const std::string head =
      "# nThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) validation: 1\n"
      "#  Rank  0 Pid  657 on  mew0 device  0 [0x17] NVIDIA A100\n"
      "#  Rank  1 Pid  657 on  mew0 device  1 [0x65] NVIDIA A100\n"
      "#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\n"
      "#  (B)  (elements)  (us)  (GB/s)  (GB/s)  (us)  (GB/s)  (GB/s)\n";
  const NetworkTables found = find_network_tables(
      head +
      " 8388608  2097152  float  sum  -1mew0:657:704 [1] NCCL INFO AllReduce: opCount 0\n"
      "  314.7  26.66  26.66  0mew0:657:704 [0] NCCL INFO AllReduce: opCount 1\n"
      "  310.8  26.99  26.99  0\n");
  CHECK(found.tables.empty());
  REQUIRE(found.problems.size() == 1);
  CHECK_THAT(found.problems[0], Catch::StartsWith("holds the head of a table of nccl-tests, but no "
                                                  "row that is whole"));
}
