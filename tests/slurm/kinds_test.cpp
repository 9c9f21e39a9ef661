// SPDX-License-Identifier: Apache-2.0
#include "slurm/kinds.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::slurm;

namespace {

Partition partition_called(const std::string& name) {
  Partition partition;
  partition.name = name;
  return partition;
}

/// Lines of sinfo with blanks between the fields, and no names of nodes.
std::vector<Nodes> nodes_in(const std::string& text) {
  std::string lines;
  for (std::string_view line : split(trim(text), '\n')) lines += std::string(line) + " \n";
  std::replace(lines.begin(), lines.end(), ' ', '\x1f');
  return read_nodes(lines);
}

/// The kinds of partition gpu.
std::vector<Kind> kinds_in(const std::string& text,
                           const Partition& partition = partition_called("gpu")) {
  return kinds_of(nodes_in(text), partition);
}

JobShape shape(std::int64_t cpus, std::int64_t sockets, std::int64_t cores, std::int64_t threads,
               std::int64_t gpus, std::optional<std::int64_t> limit = {}) {
  Nodes node;
  node.cpus = cpus, node.sockets = sockets, node.cores = cores, node.threads = threads;
  node.gpus.count = gpus;
  Partition partition;
  partition.max_cpus_per_node = limit;
  return shape_of(node, partition);
}

}  // namespace

TEST_CASE("nodes in several states are one kind, and the broken ones are counted") {
  const auto kinds = kinds_in(
      "gpu 10 idle 64 2 32 1 gpu:a100:4(S:0-1) a100,ib 512000\n"
      "gpu 3 down* 64 2 32 1 gpu:a100:4 ib,a100 512000\n"
      "gpu 2 drained 64 2 32 1 gpu:a100:4(S:0-1) a100,ib 500000\n"
      "other 99 idle 8 1 8 1 (null) (null) 1\n"
      "gpu 0 n/a 0 0 0 0 (null) (null) 0\n");
  REQUIRE(kinds.size() == 1);
  CHECK(kinds[0].node.count == 15);
  CHECK(kinds[0].broken == 5);
  CHECK(kinds[0].node.memory_mb == 500000);
  CHECK(kinds[0].node.features == "a100,ib");
  CHECK(kinds[0].words == "15 with gpu:a100:4, 64 cores, 500 GB, a100, ib");
  CHECK(kinds[0].label.empty());
  CHECK(kinds[0].constraint.empty());
  CHECK(kinds_in("other 1 idle 8 1 8 1 (null) (null) 1\n").empty());
}

TEST_CASE("kinds differ in GPUs, processors, memory or features, but not in where they stand") {
  const std::string one = "gpu 3 idle 40 2 20 1 gpu:4 v100-32g,rack1 160000\n";
  for (const std::string other :
       {"gpu 2 idle 40 2 20 1 gpu:8 v100-32g 160000",
        "gpu 2 idle 40 2 20 1 gpu:v:4 v100-32g 160000",
        "gpu 2 idle 40 1 40 1 gpu:4 v100-32g 160000", "gpu 2 idle 80 2 20 2 gpu:4 v100-32g 160000",
        "gpu 2 idle 48 2 24 1 gpu:4 v100-32g 160000", "gpu 2 idle 40 2 20 1 gpu:4 v100-32g 80000",
        "gpu 2 idle 40 2 20 1 gpu:4 v100-16g 160000", "gpu 2 idle 40 2 20 1 gpu:4 (null) 160000"}) {
    CAPTURE(other);
    CHECK(kinds_in(one + other + "\n").size() == 2);
  }
  const auto same = kinds_in(one + "gpu 2 idle 40 2 20 1 gpu:4 Rack-2,v100-32g,switch07 158000\n");
  REQUIRE(same.size() == 1);
  CHECK(same[0].node.count == 5);
  CHECK(same[0].node.features == "v100-32g");
  const auto with = [&](const std::string& feature) {
    return kinds_in(fmt::format("{}gpu 1 idle 40 2 20 1 gpu:4 v100-32g,{} 160000\n", one, feature));
  };
  for (const std::string place : {"r07", "pdu-a1", "rackB4", "s3", "pod12", "i101"}) {
    CAPTURE(place);
    CHECK(with(place).size() == 1);
  }
  for (const std::string kind : {"zen3", "v100", "roomy", "rowhammer2", "ib"}) {
    CAPTURE(kind);
    CHECK(with(kind).size() == 2);
  }
}

TEST_CASE("a kind is told by a feature of its own, that of its device first") {
  const auto kinds = kinds_in(
      "gpu 3 idle 40 2 20 1 gpu:4 ib,cascade,v100-32g 160000\n"
      "gpu 2 idle 40 2 20 1 gpu:4 ib,sky,v100-16g 160000\n");
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].constraint == "v100-32g");
  CHECK(kinds[0].label == "v100-32g");
  CHECK(kinds[1].constraint == "v100-16g");
  CHECK(kinds[1].label == "v100-16g");
  CHECK_FALSE(kinds[0].memory_mb);
  CHECK(kinds[0].also.empty());
}

TEST_CASE("where no feature is a kind's own as few as will do tell it together") {
  const auto kinds = kinds_in(
      "gpu 4 idle 40 2 20 1 gpu:4 big,fast,ib 160000\n"
      "gpu 3 idle 40 2 20 1 gpu:4 big,ib 160000\n"
      "gpu 2 idle 40 2 20 1 gpu:4 fast,ib 160000\n");
  REQUIRE(kinds.size() == 3);
  CHECK(kinds[0].constraint == "big&fast");
  CHECK(kinds[0].label == "big-fast");
  CHECK(kinds[0].also.empty());
  CHECK(kinds[1].constraint == "big");
  CHECK(kinds[1].also == std::vector<std::string>{"4 with gpu:4, 40 cores, 160 GB, big, fast, ib"});
}

TEST_CASE("without features more memory is asked for, and less cannot be") {
  const auto kinds = kinds_in(
      "gpu 3 idle 40 1 40 1 gpu:4 (null) 32000\ngpu 2 idle 40 1 40 1 gpu:4 (null) 16000\n");
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].memory_mb == 28800);
  CHECK(kinds[0].also.empty());
  CHECK(kinds[0].label == "32GB");
  CHECK(kinds[1].label == "16GB");
  CHECK_FALSE(kinds[1].memory_mb);
  CHECK(kinds[1].also == std::vector<std::string>{"3 with gpu:4, 40 cores, 32 GB"});
}

TEST_CASE("memory that a partition does not give is not asked for") {
  const std::string nodes =
      "gpu 3 idle 40 1 40 1 gpu:4 (null) 32000\ngpu 2 idle 40 1 40 1 gpu:4 (null) 16000\n";
  Partition partition = partition_called("gpu");
  const auto asked = [&] { return kinds_in(nodes, partition).at(0).memory_mb; };
  partition.max_mb_per_node = 28800;
  CHECK(asked() == 28800);
  partition.max_mb_per_node = 20000;
  CHECK_FALSE(asked());
  CHECK(kinds_in(nodes, partition).at(0).also.size() == 1);
  partition.max_mb_per_node = {};
  partition.max_mb_per_cpu = 400;  // of 40 CPUs
  CHECK_FALSE(asked());
  partition.max_mb_per_cpu = 720;
  CHECK(asked() == 28800);
}

TEST_CASE("what a site keeps of its nodes is not asked for, and tells kinds") {
  auto nodes = nodes_in(
      "gpu 3 idle 40 2 20 1 gpu:4 (null) 32000\ngpu 2 idle 40 2 20 1 gpu:4 (null) 32000\n");
  nodes[0].reserved_cores = 4;
  const auto kinds = kinds_of(nodes, partition_called("gpu"));
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].words == "3 with gpu:4, 40 cores (4 reserved), 32 GB");
  CHECK(kinds[0].label == "36cores");
  CHECK(shape_of(kinds[0].node, {}).cpus_a_rank == 9);
  CHECK(kinds[0].also.size() == 1);  // of the others' 40 cores 36 fit
  CHECK(kinds[1].also.empty());
}

TEST_CASE("memory that a site keeps is neither asked for nor a rival's") {
  auto nodes = nodes_in(
      "gpu 3 idle 40 1 40 1 gpu:4 (null) 32000\ngpu 2 idle 40 1 40 1 gpu:4 (null) 16000\n");
  nodes[0].reserved_mb = 8000;
  const auto kinds = kinds_of(nodes, partition_called("gpu"));
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].memory_mb == 24000);
  nodes[0].reserved_mb = 20000;
  CHECK_FALSE(kinds_of(nodes, partition_called("gpu"))[0].memory_mb);
}

TEST_CASE("what a job asks for on a node tells kinds without a constraint") {
  const auto types = kinds_in(
      "gpu 3 idle 64 2 32 1 gpu:a100:4 (null) 512000\ngpu 2 idle 64 2 32 1 gpu:v100:4 (null) "
      "512000\n");
  CHECK(types[0].label == "a100");
  CHECK(types[1].label == "v100");
  const auto counts =
      kinds_in("gpu 3 idle 64 2 32 1 gpu:8 x 512000\ngpu 2 idle 64 2 32 1 gpu:4 y 512000\n");
  CHECK(counts[0].constraint.empty());
  CHECK(counts[0].label == "8gpus");
  CHECK(counts[1].constraint == "y");
  const auto cores =
      kinds_in("gpu 3 idle 64 2 32 1 (null) x 512000\ngpu 2 idle 40 2 20 1 (null) x 512000\n");
  CHECK(cores[0].also.empty());
  CHECK(cores[0].label == "64cores");
  CHECK(cores[1].also == std::vector<std::string>{"3 with no GPUs, 64 cores, 512 GB, x"});
  for (const auto* kinds : {&types, &counts, &cores}) CHECK((*kinds)[0].also.empty());
}

TEST_CASE("no two kinds have one name, whatever it is made of") {
  const auto kinds = kinds_in(
      "gpu 4 idle 40 2 20 1 gpu:v100:4 a100 160000\ngpu 3 idle 40 2 20 1 gpu:v100:4 b/c 160000\n"
      "gpu 2 idle 40 2 20 1 gpu:a100:4 b/c 160000\n");
  REQUIRE(kinds.size() == 3);
  CHECK(kinds[0].constraint == "a100");
  CHECK(kinds[0].label != "a100");
  CHECK(kinds[1].label == "b-c");
  CHECK(kinds[2].label != "a100");
  CHECK(kinds[2].label != kinds[0].label);
  const auto alike = kinds_in(
      "gpu 4 idle 40 2 20 1 gpu:4 (null) 160000\ngpu 3 idle 80 2 20 2 gpu:4 (null) 160000\n");
  CHECK(alike[0].label == "kind1");
  CHECK(alike[1].label == "kind2");
  CHECK(alike[1].words == "3 with gpu:4, 40 cores, 160 GB, sockets × cores × threads 2 × 20 × 2");
}

TEST_CASE("nodes with GPUs of two types may be given to jobs of either") {
  const auto kinds = kinds_in(
      "gpu 3 idle 64 2 32 1 gpu:v100:4 (null) 512000\n"
      "gpu 2 idle 64 2 32 1 gpu:a100:6,gpu:v100:4 (null) 512000\n");
  CHECK(kinds[0].also.size() == 1);
  CHECK(kinds[1].also.empty());
}

TEST_CASE("what gets no file says why, and one kind always gets one") {
  Partition partition = partition_called("gpu");
  partition.min_nodes = 2;
  const auto kinds = kinds_in(
      "gpu 90 idle 40 2 20 1 (null) x 1\ngpu 3 idle 40 2 20 1 gpu:4 a 1\n"
      "gpu 1 idle 40 2 20 1 gpu:4 b 1\ngpu 5 down 40 2 20 1 gpu:4 c 1\n",
      partition);
  REQUIRE(kinds.size() == 4);
  CHECK(kinds[0].left_out.empty());
  CHECK(kinds[0].node.features == "a");
  CHECK(kinds[0].label.empty());
  CHECK(kinds[0].constraint == "a");
  CHECK(kinds[1].left_out == "a job has at least 2 nodes (MinNodes)");
  CHECK(kinds[2].left_out == "all down or drained");
  CHECK(kinds[3].left_out == "others have GPUs");
  const auto down = kinds_in("gpu 5 down 40 2 20 1 gpu:4 c 1\ngpu 9 idle 40 2 20 1 (null) x 1\n");
  CHECK(down[0].left_out.empty());
  CHECK(down[1].left_out == "others have GPUs");
}

TEST_CASE("of very many kinds the largest get a file") {
  std::string lines;
  for (int i = 1; i <= 10; ++i)
    lines += "gpu " + std::to_string(i) + " idle 40 2 20 1 gpu:4 kind" + std::to_string(i) + " 1\n";
  const auto kinds = kinds_in(lines);
  REQUIRE(kinds.size() == 10);
  CHECK(kinds[0].node.features == "kind10");
  CHECK(kinds[7].left_out.empty());
  CHECK(kinds[8].left_out == "more than 8 kinds");
}

TEST_CASE("a rank gets none of the cores that are kept for the system") {
  struct Case {
    std::int64_t cpus, sockets, cores, gpus, reserved;
    std::optional<std::int64_t> limit;
    std::int64_t cpus_a_rank;
    bool one_thread;
  };
  const std::vector<Case> cases{
      {40, 2, 20, 4, 4, {}, 9, false}, {80, 2, 20, 4, 4, {}, 9, true},
      {40, 0, 0, 4, 4, {}, 9, false},  {40, 2, 20, 0, 4, {}, 18, false},
      {40, 2, 20, 4, 4, 38, 9, false}, {40, 2, 20, 4, 4, 20, 5, false},
      {80, 2, 20, 4, 4, 40, 5, true},  {8, 1, 4, 4, 1, {}, 1, false},
  };
  for (const auto& one : cases) {
    CAPTURE(&one - cases.data());
    Nodes node;
    node.cpus = one.cpus, node.sockets = one.sockets, node.cores = one.cores;
    node.gpus.count = one.gpus, node.reserved_cores = one.reserved;
    Partition partition;
    partition.max_cpus_per_node = one.limit;
    const JobShape shape = shape_of(node, partition);
    CHECK(shape.cpus_a_rank == one.cpus_a_rank);
    CHECK(shape.one_thread == one.one_thread);
  }
}

TEST_CASE("a rank gets cores, and the hint where Slurm counts threads") {
  struct Case {
    JobShape shape;
    std::int64_t ranks, cpus_a_rank;
    bool one_thread;
  };
  const std::vector<Case> cases{
      {shape(40, 2, 20, 1, 4), 4, 10, false},      {shape(80, 2, 20, 2, 4), 4, 10, true},
      {shape(40, 2, 20, 2, 4), 4, 10, false},  // CPUTot counts cores only
      {shape(256, 2, 64, 2, 8), 8, 16, true},      {shape(52, 2, 26, 1, 8), 8, 6, false},
      {shape(160, 2, 20, 4, 4), 4, 10, true},      {shape(40, 40, 1, 1, 4), 4, 10, false},
      {shape(40, 0, 0, 0, 4), 4, 10, false},       {shape(80, 2, 20, 2, 0), 2, 20, true},
      {shape(40, 40, 1, 1, 0), 1, 40, false},      {shape(80, 2, 20, 2, 4, 40), 4, 5, true},
      {shape(80, 2, 20, 2, 4, 1000), 4, 10, true}, {shape(40, 2, 20, 1, 4, 16), 4, 4, false},
      {shape(4, 1, 2, 2, 4), 4, 1, false},  // as many threads as GPUs, and fewer cores
      {shape(2, 1, 2, 1, 4), 4, 1, false},
  };
  for (const auto& one : cases) {
    CAPTURE(&one - cases.data());
    CHECK(one.shape.ranks == one.ranks);
    CHECK(one.shape.cpus_a_rank == one.cpus_a_rank);
    CHECK(one.shape.one_thread == one.one_thread);
  }
}
