// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/osu.h"

#include "harness/scrape/network.h"
#include "harness/scrape/scrape.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// Source: notes of the HiDL group of Ohio State University on MVAPICH2-GDR.
const std::string kTable =
    "# OSU MPI-CUDA Allreduce Latency Test v5.9\n"
    "# Size       Avg Latency(us)\n"
    "4                       1.98\n"
    "8                       2.04\n"
    "[a100-01.cluster:mpi_rank_0][dreg_register] [Performance Impact Warning]: Entries are being "
    "evicted from the InfiniBand registration cache. This can lead to degraded performance.\n"
    "[a100-01.cluster:mpi_rank_1][dreg_register] [Performance Impact Warning]: Entries are being "
    "evicted from the InfiniBand registration cache. This can lead to degraded performance.\n"
    "32                     13.30\n";

/// Source: Jülich Supercomputing Centre's tutorial on several GPUs, 03-Collectives.
const std::string kFull =
    "\n# OSU MPI-CUDA Allreduce Latency Test v7.0\n"
    "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
    "16777216             8630.58           8619.50           8642.46         10\n";

const std::string kFullCommand =
    "$ srun -n 4 osu_allreduce -M 16777216 -d cuda --full -r gpu -x 200 -i 100\n"
    "srun: job 9906524 has been allocated resources\n";

}  // namespace

TEST_CASE("an all-reduce of OSU gives its times, and the bus bandwidth of its ranks") {
  const auto tables = read_network(
      "$ mpirun_rsh --export-all -np 2 a100-01 a100-01 MV2_USE_CUDA=1 "
      "osu-micro-benchmarks/mpi/collective/osu_allreduce -d cuda\n" +
      kTable);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].ranks == 2);
  CHECK(tables[0].nodes == 0);
  const auto& sizes = tables[0].all_reduce;
  REQUIRE(sizes.size() == 3);
  CHECK(sizes[2].bytes == 32);
  CHECK(sizes[2].median_us == 13.3);
  CHECK(sizes[2].median_busbw_gb_per_s == Approx(32 / 13.3e-6 / 1e9));
}

TEST_CASE("the columns of OSU's --full are known by their names") {
  const auto tables = read_network(kFullCommand + kFull);
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].all_reduce.size() == 1);
  const auto& size = tables[0].all_reduce[0];
  CHECK(size.median_us == 8630.58);
  CHECK_FALSE(size.min_us);  // its Min is the mean of a rank
  CHECK(size.median_busbw_gb_per_s == Approx(16777216 / 8630.58e-6 / 1e9 * 2 * 3 / 4));
}

TEST_CASE("a size that OSU could not validate is left out") {
  const auto tables = read_network(
      "mpirun --np 2 ./osu_allreduce -c\n# OSU MPI-CUDA Allreduce Latency Test v7.5\n"
      "# Size       Avg Latency(us)        Validation\n"
      "4                      11.69              Pass\n"
      "8                      15.34              Fail\n");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].all_reduce.size() == 1);
}

TEST_CASE("tables of OSU that cannot be kept are refused with a reason") {
  const auto unknown = find_network_tables(kTable);
  CHECK(unknown.tables.empty());
  REQUIRE(unknown.problems.size() == 1);
  CHECK_THAT(unknown.problems[0], Catch::Contains("how many ranks"));

  const auto two_commands = find_network_tables(
      "mpirun -np 2 osu_allreduce\nmpirun -np 4 "
      "osu_allreduce\n" +
      kTable + kFull);
  CHECK(two_commands.tables.empty());
  CHECK(two_commands.problems.size() == 1);

  const auto bandwidth = find_network_tables(
      "# OSU MPI-CUDA Bandwidth Test v7.5\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n"
      "268435456          279573.25\n");
  CHECK(bandwidth.tables.empty());
  REQUIRE(bandwidth.problems.size() == 1);
  CHECK_THAT(bandwidth.problems[0], Catch::Contains("OSU's MPI-CUDA Bandwidth Test v7.5"));

  const auto later = find_network_tables(
      "mpirun -np 2 osu_allreduce\n# OSU MPI-CUDA Non-blocking Allreduce Latency Test v7.5\n"
      "# Size           Overall(us)       Compute(us)\n4 5.0 6.0\n");
  CHECK(later.tables.empty());
  CHECK(later.problems.size() == 1);
  CHECK(find_network_tables("# OSU MPI-CUDA Bandwidth Test v7.5\n").problems.empty());
}

TEST_CASE("tables of several programs stand in the order of the text") {
  const std::string nccl =
      "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 1\n"
      "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
      "1024 256 float sum -1 9.1 0.2 0.3 0 9.2 0.4 0.5 0\n";
  const auto tables = read_network(nccl + kFullCommand + kFull + nccl);
  REQUIRE(tables.size() == 3);
  CHECK(tables[0].all_reduce[0].bytes == 1024);
  CHECK(tables[1].all_reduce[0].bytes == 16777216);
  CHECK(tables[2].all_reduce[0].bytes == 1024);
}

TEST_CASE("a file of OSU alone is known to hold tables") {
  const auto scraped = scrape_parts([&](const auto& take) { take(kFullCommand + kFull); });
  CHECK(scraped.may_hold_tables);
  CHECK(scraped.runs.empty());
}
