// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

const std::string kIterations =
    " iteration        1/       3 | consumed samples: 8 | elapsed time per iteration (ms): 900.0 | "
    "learning rate: 1.0E-04 | global batch size:     8 | number of skipped iterations:   0 | "
    "number "
    "of nan iterations:   0 |\n"
    " slowest rank: 0 on n1 | computing (ms): 90.00 | mean of all ranks (ms): 30.00\n"
    " iteration        2/       3 | consumed samples: 16 | elapsed time per iteration (ms): 100.0 "
    "| "
    "learning rate: 1.0E-04 | global batch size:     8 | number of skipped iterations:   0 | "
    "number "
    "of nan iterations:   0 |\n"
    " slowest rank: 5 on n2 | computing (ms): 44.00 | mean of all ranks (ms): 40.00\n"
    " iteration        3/       3 | consumed samples: 24 | elapsed time per iteration (ms): 100.0 "
    "| "
    "learning rate: 1.0E-04 | global batch size:     8 | number of skipped iterations:   0 | "
    "number "
    "of nan iterations:   0 |\n"
    " slowest rank: 5 on n2 | computing (ms): 46.00 | mean of all ranks (ms): 40.00\n";

const std::string kDump =
    "------------------------ arguments ------------------------\n"
    "  micro_batch_size ................................ 1\n"
    "-------------------- end of arguments ---------------------\n";

std::string nodes_of(const std::string& log, std::size_t run = 0) {
  const auto runs = scrape(log);
  std::string text;
  for (const auto& node : runs.at(run).nodes)
    text += (text.empty() ? "" : " ") + node.name + (node.ranks.empty() ? "" : ":" + node.ranks);
  return text;
}

}  // namespace

TEST_CASE("a log's nodes are those of the list that it prints") {
  CHECK(nodes_of("SLURM_JOB_NODELIST=n[08-10],x1\n" + kDump + kIterations) == "n08 n09 n10 x1");
  CHECK(nodes_of("+ export SLURM_NODELIST='n[1-2]'\n" + kDump + kIterations) == "n1 n2");
  CHECK(nodes_of("   ReqNodeList=n[1-9] ExcNodeList=(null)\n   NodeList=n[3,5]\n" + kDump +
                 kIterations) == "n3 n5");
  CHECK(nodes_of("NODELIST=$SLURM_JOB_NODELIST\n" + kDump + kIterations).empty());
  CHECK(nodes_of("NODELIST=(null)\n" + kDump + kIterations).empty());
  CHECK(nodes_of("NODELIST=n[1-\n" + kDump + kIterations).empty());
}

TEST_CASE("of many lists the newest that is one counts") {
  std::string lists = "NODELIST=n[1-2]\n";
  for (int i = 0; i < 4; ++i) lists += "NODELIST=n[1-" + std::to_string(i) + "\n";
  CHECK(nodes_of(lists + kDump + kIterations) == "n1 n2");
  CHECK(nodes_of(lists + "NODELIST=x\n" + kDump + kIterations) == "x");
}

TEST_CASE("launches of a job name a million nodes at most") {
  std::string log = "NODELIST=n[1-99999]\n";
  for (int i = 0; i < 12; ++i) log += kDump + kIterations;
  const auto runs = scrape(log);
  REQUIRE(runs.size() == 12);
  CHECK(runs.front().nodes.size() == 99999);
  CHECK(runs.back().nodes.empty());
}

TEST_CASE("a second launch is on the nodes of its job") {
  const std::string log = "SLURM_JOB_NODELIST=n[1-2]\n" + kDump + kIterations + kDump + kIterations;
  CHECK(nodes_of(log, 0) == "n1 n2");
  CHECK(nodes_of(log, 1) == "n1 n2");
}

TEST_CASE("without a list those count whose processes speak through NCCL") {
  const std::string spoken =
      "r6i4n5:36012:36012 [0] NCCL INFO Bootstrap : Using ib0\n"
      "r6i4n8:1200:1200 [3] NCCL INFO Bootstrap : Using ib0\n"
      "r6i4n5:36013:36013 [1] NCCL INFO Channel 00/04\n"
      "see r1:2:3 [0] NCCL INFO elsewhere\n";
  CHECK(nodes_of(spoken + kDump + kIterations) == "r6i4n5 r6i4n8");
  CHECK(nodes_of("NODELIST=n7\n" + spoken + kDump + kIterations) == "n7");
  const std::string twice = spoken + kDump + kIterations + kDump + kIterations;
  CHECK(nodes_of(twice, 0) == "r6i4n5 r6i4n8");
  CHECK(nodes_of(twice, 1).empty());
}

TEST_CASE("our probe's ranks say where they are") {
  CHECK(nodes_of("NODELIST=n[1-4]\n" + kDump + " > ranks: 0-3,8 on n1 | 4-7 on n2\n" +
                 kIterations) == "n1:0-3,8 n2:4-7");
}

TEST_CASE("who computed longest is summed up, but for the first lines") {
  const auto runs = scrape(kDump + kIterations);
  REQUIRE(runs.size() == 1);
  REQUIRE(runs[0].slowest_ranks.size() == 1);
  const SlowestRank& slowest = runs[0].slowest_ranks[0];
  CHECK(slowest.rank == 5);
  CHECK(slowest.node == "n2");
  CHECK(slowest.lines == 2);
  CHECK(slowest.computing_ms == 45);
  CHECK(slowest.mean_ms == 40);
}
