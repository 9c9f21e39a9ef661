// SPDX-License-Identifier: Apache-2.0
#include "slurm/cluster_text.h"

#include "sweeps/cluster_file.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::slurm;
using Catch::Contains;

namespace {

ClusterFacts facts(const Gpus& gpus) {
  ClusterFacts facts;
  facts.cluster = "hpc";
  facts.version = "22.05.8";
  facts.asked_on = "2026-11-20";
  facts.partition.name = "batch";
  facts.partition.is_default = true;
  facts.partition.default_time = "00:10:00";
  facts.kind.node.partition = "batch";
  facts.kind.node.count = 64;
  facts.kind.node.cpus = 40;
  facts.kind.node.sockets = 2;
  facts.kind.node.cores = 20;
  facts.kind.node.threads = 1;
  facts.kind.node.gpus = gpus;
  facts.account = "six@gpu";
  facts.accounts = {"six@gpu"};
  facts.pmix = "pmix";
  return facts;
}

/// What a sweep with this cluster gets.
Cluster loaded(const ClusterFacts& facts) {
  const std::string text = cluster_text(facts);
  CAPTURE(text);
  return load_cluster(parse_yaml(text, "written.yaml"), "");
}

std::string option(const Cluster& cluster, const std::string& name) {
  const Value* value = find_value(cluster.scheduler_options, name);
  return value ? value->text : "(none)";
}

std::string device(const Gpus& gpus, const std::string& features = "", const std::string& own = "",
                   std::optional<double> own_memory_gib = {}) {
  ClusterFacts all = facts(gpus);
  all.kind.node.features = features;
  all.own_gpu = own;
  all.own_gpu_memory_gib = own_memory_gib;
  return loaded(all).accelerator.name;
}

}  // namespace

TEST_CASE("a partition becomes this file") {
  ClusterFacts all = facts({"a100", 4, false});
  all.kind.node.features = "a100-80g,ib";
  all.kind.node.threads = 2;
  all.kind.broken = 3;
  all.kind.node.cpus = 80;
  all.kind.node.memory_mb = 160000;
  all.kind.words = "64 with gpu:a100:4, 40 cores";
  all.kind.label = "a100";
  all.others = {"2 with gpu:v100:8"};
  all.accounts = {"other", "six@gpu"};
  all.qos = {"long", "normal"};
  CHECK(
      cluster_text(all) ==
      R"(# Partition batch of cluster hpc, as Slurm 22.05.8 described it on 2026-11-20. Change what you know better.
# Its nodes differ. This file is for the 64 with gpu:a100:4, 40 cores.
# Not for 2 with gpu:v100:8.
cluster: hpc-batch-a100
scheduler: slurm
nodes: 64                         # sinfo: nodes of this kind; 3 of them down or drained now
gpus_per_node: 4                  # sinfo: Gres gpu:a100:4
accelerator: a100-sxm4-80g        # sinfo: feature a100-80g of the nodes
# srun --mpi=list: pmix
launch: srun --mpi=pmix --kill-on-bad-exit=1 --nodes={nodes} --ntasks={ranks} --ntasks-per-node={ranks_per_node} --cpus-per-task=${SLURM_CPUS_PER_TASK:-1}
slurm:
  partition: batch                # scontrol: Slurm's default
  account: six@gpu                # sacctmgr: your default; yours too: other
  time: "00:10:00"                # scontrol: DefaultTime of the partition
  cpus-per-task: 10               # sinfo: 40 cores of a node / 4 GPUs
  hint: nomultithread             # one thread a core; sinfo: 80 CPUs
  gres: gpu:a100:4                # sinfo: the GPUs of a node
  # constraint: …                 # features of the nodes: a100-80g,ib
  # mem: 0                        # all memory of a node
  # exclusive: true               # no job of others on the same nodes, which would be measured
  # qos: …                        # yours: long, normal
# prolog: [module load cuda]      # bash before the first run of a job
# env: {NCCL_DEBUG: WARN}         # of each run
# links: {node: …, cluster: …}    # what joins GPUs, and nodes: nvlink3, infiniband-200
)");
}

TEST_CASE("what is written is read as it was meant") {
  const Cluster cluster = loaded(facts({"a100", 4, false}));
  CHECK(cluster.name == "hpc-batch");
  CHECK(cluster.scheduler == "slurm");
  CHECK(cluster.nodes == 64);
  CHECK(cluster.gpus_per_node == 4);
  CHECK(cluster.launch ==
        "srun --mpi=pmix --kill-on-bad-exit=1 --nodes={nodes} --ntasks={ranks} "
        "--ntasks-per-node={ranks_per_node} "
        "--cpus-per-task=${SLURM_CPUS_PER_TASK:-1}");
  CHECK(option(cluster, "partition") == "batch");
  CHECK(option(cluster, "account") == "six@gpu");
  CHECK(option(cluster, "time") == "00:10:00");
  CHECK(option(cluster, "cpus-per-task") == "10");
  CHECK(option(cluster, "gres") == "gpu:a100:4");
}

TEST_CASE("what nobody has said is left out, with a line that says so") {
  ClusterFacts all = facts({"", 4, false});
  all.account = "";
  all.accounts = {};
  all.partition.default_time = "";
  all.pmix = "";
  const Cluster cluster = loaded(all);
  CHECK(option(cluster, "account") == "(none)");
  CHECK(option(cluster, "time") == "(none)");
  CHECK(option(cluster, "gres") == "gpu:4");
  CHECK_THAT(cluster.launch, Catch::StartsWith("srun --kill-on-bad-exit=1 --nodes="));
  const std::string text = cluster_text(all);
  CHECK_THAT(text, Contains("# account: …                    # none is known"));
  CHECK_THAT(text, Contains("# time: \"01:00:00\"              # the partition has neither"));
  CHECK_THAT(text, Contains("no PMIx"));
  all.partition.max_time = "2-00:00:00";
  CHECK(option(loaded(all), "time") == "2-00:00:00");
}

TEST_CASE("the account is one that the partition is for") {
  ClusterFacts all = facts({"", 4, false});
  all.accounts = {"six@gpu", "seven"};
  all.partition.accounts = {"five", "seven"};
  CHECK(option(loaded(all), "account") == "seven");
  CHECK_THAT(cluster_text(all), Contains("yours; the partition is not for your default, six@gpu"));
  all.partition.accounts = {"five"};
  CHECK(option(loaded(all), "account") == "(none)");
  CHECK_THAT(cluster_text(all),
             Contains("# account: …") && Contains("scontrol: the partition is for accounts five"));
  all.partition.accounts = {};
  all.partition.denied_accounts = {"six@gpu", "seven"};
  CHECK_THAT(cluster_text(all), Contains("is for accounts other than six@gpu"));
}

TEST_CASE("the QOS is one that the partition takes, and a partition that is shut is said to be") {
  ClusterFacts all = facts({"a100", 4, false});
  all.qos = {"normal", "long"};
  CHECK_THAT(cluster_text(all), Contains("# qos: …") && Contains("yours: normal, long"));
  all.partition.qos = {"long"};
  CHECK(option(loaded(all), "qos") == "long");
  CHECK_THAT(cluster_text(all), Contains("\n  qos: long ") &&
                                    Contains("of yours (normal, long) the partition takes long"));
  all.partition.qos = {"vip"};
  CHECK_THAT(cluster_text(all), Contains("the partition takes none of yours: normal, long"));
  CHECK_THAT(cluster_text(all), !Contains("# Of the partition"));
  all.partition.root_only = true;
  CHECK_THAT(cluster_text(all), Contains("\n# Of the partition: only root may submit jobs to it"));
  all.partition.state = "DOWN";
  CHECK_THAT(cluster_text(all),
             Contains("\n# Of the partition: it is DOWN, so that no job begins"));
}

TEST_CASE("limits of a partition lower what a job can have") {
  ClusterFacts all = facts({"a100", 4, false});
  all.partition.max_nodes = 8;
  all.partition.max_cpus_per_node = 32;
  CHECK(loaded(all).nodes == 8);
  CHECK(option(loaded(all), "cpus-per-task") == "8");
  all.partition.max_cpus_per_node = 2;
  CHECK(option(loaded(all), "cpus-per-task") == "1");
}

TEST_CASE("cores and memory that a site keeps are told, and not asked for") {
  ClusterFacts all = facts({"a100", 4, false});
  all.kind.node.memory_mb = 32000;
  all.kind.memory_mb = 24000;
  all.kind.node.reserved_cores = 4;
  all.kind.node.reserved_mb = 8000;
  CHECK(option(loaded(all), "cpus-per-task") == "9");
  const std::string text = cluster_text(all);
  CHECK_THAT(text, Contains("# sinfo: 36 cores of a node, 4 more are reserved, / 4 GPUs"));
  CHECK_THAT(text, Contains("# of a node's 32000 MB, 8000 of them reserved, which"));
}

TEST_CASE("of a node's threads a job gets one a core, and all CPUs where Slurm counts cores only") {
  ClusterFacts all = facts({"", 4, false});
  all.kind.node.threads = 2;
  CHECK(option(loaded(all), "cpus-per-task") == "10");  // 40 CPUs of 2 × 20 cores
  CHECK(option(loaded(all), "hint") == "(none)");
  all.kind.node.cpus = 80;
  CHECK(option(loaded(all), "cpus-per-task") == "10");
  CHECK(option(loaded(all), "hint") == "nomultithread");
  all.kind.node.threads = 1;
  all.kind.node.cpus = 40;
  CHECK(option(loaded(all), "hint") == "(none)");
}

TEST_CASE(
    "a kind of nodes is asked for by its features and its memory, and who else may come is told") {
  ClusterFacts all = facts({"", 4, false});
  all.kind.constraint = "v100-32g&ib";
  all.kind.memory_mb = 28800;
  all.kind.also = {"2 with gpu:8"};
  CHECK(option(loaded(all), "constraint") == "v100-32g&ib");
  CHECK(option(loaded(all), "mem") == "28800M");
  CHECK_THAT(cluster_text(all),
             Contains("# No option of sbatch keeps its jobs off the 2 with gpu:8"));
}

TEST_CASE("without GPUs a rank has a socket, or a node that knows no sockets") {
  ClusterFacts all = facts({});
  CHECK(loaded(all).gpus_per_node == 2);
  CHECK(loaded(all).accelerator.name == "cpu");
  CHECK(option(loaded(all), "cpus-per-task") == "20");
  CHECK(option(loaded(all), "gres") == "(none)");
  all.kind.node.cores = 1;
  all.kind.node.sockets = 40;  // described by CPUs=40 alone
  CHECK(loaded(all).gpus_per_node == 1);
  CHECK(option(loaded(all), "cpus-per-task") == "40");
}

TEST_CASE("the GPU is known by its type, a feature of the nodes, or that of this machine") {
  CHECK(device({"h100", 4, false}) == "h100-sxm5-80g");
  CHECK(device({"nvidia_a100-sxm4-40gb", 4, false}) == "a100-sxm4-40g");
  CHECK(device({"v100", 4, false}, "ib,v100-32g") == "v100-sxm2-32g");
  CHECK(device({"", 4, false}, "v100-16g") == "v100-sxm2-16g");
  CHECK(device({"a100", 4, false}, "", "NVIDIA A100-SXM4-80GB") == "a100-sxm4-80g");
  CHECK(device({"", 4, false}, "", "NVIDIA A100-SXM", 79.2) == "a100-sxm4-80g");
}

TEST_CASE("a GPU that nothing tells is to be filled in, and never guessed") {
  CHECK(device({"fake", 4, false}) == "fake");
  CHECK(device({"", 4, false}) == "gpu");
  CHECK(device({"a100", 4, false}) == "a100");
  CHECK(device({"a100", 4, false}, "", "NVIDIA H200") == "a100");
  CHECK(device({"tesla", 4, false}, "", "Tesla V100-SXM2-16GB") == "tesla");
  CHECK(device({"nvidia_a100_80gb_pcie", 4, false}) == "nvidia_a100_80gb_pcie");
  CHECK_THAT(cluster_text(facts({"a100", 4, false})),
             Contains("fill in a100-sxm4-40g or a100-sxm4-80g: Slurm says only 'a100'"));
}

TEST_CASE("names that YAML would take for something else are quoted") {
  for (const std::string name : {"true", "null", "123", "1e3", "a: b", "a #b", "- x", "\"q\"",
                                 "it's", "{x}", "*all", "~", "back\\slash", "ü", "tab\tin"}) {
    ClusterFacts all = facts({name, 4, false});
    all.partition.name = name;
    all.account = name;
    CAPTURE(name);
    CHECK(option(loaded(all), "partition") == name);
    CHECK(option(loaded(all), "account") == name);
    CHECK(loaded(all).name == "hpc-" + name);
    CHECK(loaded(all).accelerator.name == name);
  }
}

TEST_CASE("a name whose bytes are no text is written as one that can be read") {
  CHECK(device({"a\xff", 4, false}) == "a\\xff");
  CHECK(device({std::string("a\0b", 3), 4, false}) == "a\\x00b");
}

TEST_CASE("a line break in a name cannot slip in a second line") {
  ClusterFacts all = facts({"a100", 4, false});
  all.kind.node.features = "x\nnodes: 99";
  all.account = "x\nnodes: 99";
  CHECK(loaded(all).nodes == 64);
  CHECK(option(loaded(all), "account") == "x\nnodes: 99");
}
