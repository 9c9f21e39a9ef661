// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/all_reduce_bench.h"

#include "core/base/files.h"
#include "harness/scrape/network.h"
#include "harness/scrape/scrape.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

std::string sizes_of(int ranks) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) text += fmt::format("{} data size: 4.0 GB\n", rank);
  return text;
}

/// Of 4 GB, by its seconds.
std::string record(const std::string& label, double seconds, int ranks) {
  const double algo = 4e9 * 2 * 8 / seconds, busbw = algo * (ranks - 1) / ranks;
  return fmt::format(
      "{}:\n duration: {:.4f} sec\n algo throughput: {:.4f} bps, {:.4f} Gbps\n busbw: {:.4f}  "
      "Gbps\n",
      label, seconds, algo, algo / 1e9, busbw / 1e9);
}

std::string trial(int number, double seconds) {
  return fmt::format("\n\n\n-----------trial-{}----------------\n", number) +
         record("gpu-a:0", seconds, 4) + record("gpu-a:1", seconds, 4) +
         record("gpu-b:0", seconds, 4) + record("gpu-b:1", seconds, 4);
}

/// Source: github.com/bigscience-workshop/bigscience,
/// experiments/bandwidth/n1_16gb_all_reduce_bench.txt.
const std::string kOneNode =
    "0 data size: 4.0 GB\n2 data size: 4.0 GB\n1 data size: 4.0 GB\n3 data size: 4.0 GB\n"
    "r10i4n8:38029:38029 [0] NCCL INFO Using network IB\n"
    "NCCL version 2.7.8+cuda10.2\n"
    "ignore me 496\n"
    "3:\n"
    " duration: 0.0480 sec\n"
    " algo throughput: 1333082662016.4126 bps, 1333.0827 Gbps\n"
    " busbw: 999.8120  Gbps\n"
    "1:\n"
    " duration: 0.0481 sec\n"
    " algo throughput: 1330394518818.0288 bps, 1330.3945 Gbps\n"
    " busbw: 997.7959  Gbps\n"
    "0:\n"
    " duration: 0.0481 sec\n"
    " algo throughput: 1329424219916.1433 bps, 1329.4242 Gbps\n"
    " busbw: 997.0682  Gbps\n";

}  // namespace

TEST_CASE("all_reduce_bench.py gives bits a second, which are kept as bytes") {
  const auto tables = read_network(kOneNode);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 4);
  CHECK(tables[0].nodes == 0);
  CHECK(tables[0].by_node.empty());
  CHECK(tables[0].library == "NCCL 2.7.8+cuda10.2");
  REQUIRE(tables[0].all_reduce.size() == 1);
  const auto& size = tables[0].all_reduce[0];
  CHECK(size.bytes == 4000000000);
  CHECK(size.median_us == Approx(48100));
  CHECK(size.min_us == Approx(48000));
  CHECK_FALSE(size.p99_us);
  CHECK(size.median_busbw_gb_per_s == Approx(997.7959 / 8));
  CHECK(scrape_parts([&](const auto& take) { take(kOneNode); }).may_hold_tables);
}

TEST_CASE("the trial that warms up is left out where trials are announced") {
  const std::string size = "gpu-a:0 data size: 4.0 GB\n";
  const auto tables =
      read_network(size + trial(0, 4) + trial(1, 1.5) + trial(2, 1.6) + trial(3, 1.7));
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].all_reduce.at(0).median_us == Approx(1.6e6));
  CHECK(tables[0].ranks == 4);
  REQUIRE(tables[0].by_node.size() == 2);
  CHECK(tables[0].by_node[1].name == "gpu-b");

  const auto warm_up_alone = find_network_tables(size + trial(0, 4));
  CHECK(warm_up_alone.tables.empty());
  CHECK(warm_up_alone.problems.size() == 1);
}

TEST_CASE("all trials count where they cannot be told apart") {
  const std::string unannounced =
      sizes_of(2) + record("0", 4, 2) + record("1", 4, 2) + record("0", 1, 2) + record("1", 1, 2);
  CHECK(read_network(unannounced).at(0).all_reduce.at(0).median_us == Approx(2.5e6));

  const std::string uneven = trial(0, 4) + record("gpu-a:0", 4, 4) + trial(1, 1) + trial(2, 1.5);
  CHECK(read_network("gpu-a:0 data size: 4.0 GB\n" + uneven).at(0).all_reduce.at(0).median_us ==
        Approx(1.5e6));
}

TEST_CASE("a second run of all_reduce_bench.py is another table") {
  const std::string run = sizes_of(2) + record("0", 1, 2) + record("1", 1, 2);
  CHECK(read_network(run + run).size() == 2);
  const std::string late =
      "0 data size: 4.0 GB\n" + record("0", 1, 2) + "1 data size: 4.0 GB\n" + record("1", 1, 2);
  const auto tables = read_network(late);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 2);
}

TEST_CASE("ranks that were not all seen are not counted") {
  const auto tables = read_network(sizes_of(3) + record("0", 1, 8) + record("1", 1, 8));
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 0);
}

TEST_CASE("figures of all_reduce_bench.py that cannot be kept are refused with a reason") {
  const auto no_size = find_network_tables(record("0", 1, 2) + record("1", 1, 2));
  CHECK(no_size.tables.empty());
  REQUIRE(no_size.problems.size() == 1);
  CHECK_THAT(no_size.problems[0], Catch::Contains("data size"));

  const auto means = find_network_tables(
      "The average bandwidth of all_reduce over 4 ranks (5 warmups / 20 trials):\n\n"
      "| payload |    busbw   |    algbw   |\n| ------: | ---------: | ---------: |\n"
      "|   32KiB |   1.18GBps |   0.79GBps |\n");
  CHECK(means.tables.empty());
  REQUIRE(means.problems.size() == 1);
  CHECK_THAT(means.problems[0], Catch::Contains("without times"));
  CHECK(find_network_tables(sizes_of(4)).problems.empty());
}

TEST_CASE("the whole files of all_reduce_bench.py read as their authors saw them") {
  const fs::path files = test::source_directory() / "../shared/data/logs/bandwidth";
  if (!fs::exists(files)) return test::skip(files.string() + " is not here");
  const auto one_node = read_network(read_input(files / "n1_16gb_all_reduce_bench.txt"));
  REQUIRE(one_node.size() == 1);
  CHECK(one_node[0].ranks == 4);
  CHECK(one_node[0].all_reduce.at(0).median_us == Approx(48050));
  CHECK(one_node[0].all_reduce.at(0).median_busbw_gb_per_s == Approx(998.80395 / 8));
  const auto four_nodes = read_network(read_input(files / "all_reduce_bench-a100-n4.txt"));
  REQUIRE(four_nodes.size() == 1);
  CHECK(four_nodes[0].ranks == 32);
  CHECK(four_nodes[0].library == "NCCL 2.10.3+cuda11.3");
  CHECK(four_nodes[0].all_reduce.at(0).min_us == Approx(1.5186e6));
  CHECK(four_nodes[0].all_reduce.at(0).median_us == Approx(1.5292e6));
  CHECK(four_nodes[0].all_reduce.at(0).median_busbw_gb_per_s == Approx(40.54305 / 8));
}

TEST_CASE("a size of all_reduce_bench.py that no payload has is none") {
  std::string table = kOneNode;
  for (auto at = table.find("4.0 GB"); at != std::string::npos; at = table.find("4.0 GB"))
    table.replace(at, 3, "1e300");
  CHECK(read_network(table).empty());
}
