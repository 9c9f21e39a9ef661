// SPDX-License-Identifier: Apache-2.0
#include "slurm/describe.h"

#include "core/base/text.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::slurm;
using Catch::Contains;

namespace {

/// Lines of sinfo with blanks between the fields, each of nodes n1 to n4.
std::vector<Nodes> nodes_in(const std::string& text) {
  std::string lines;
  for (std::string_view line : split(text, '\n'))
    lines += line.empty() ? "\n" : std::string(line) + " n[1-4]\n";
  std::replace(lines.begin(), lines.end(), ' ', '\x1f');
  return read_nodes(lines);
}

}  // namespace

TEST_CASE("the GPUs of a node are read from its Gres") {
  struct Case {
    std::string gres, type;
    std::int64_t count;
    bool mixed;
  };
  const std::vector<Case> cases{
      {"(null)", "", 0, false},
      {"", "", 0, false},
      {"gpu:4", "", 4, false},
      {"gpu", "", 1, false},
      {"gpu:0", "", 0, false},
      {"gpu:a100", "a100", 1, false},
      {"gpu:fake:4", "fake", 4, false},
      {"gpu:a100:4(S:0-1)", "a100", 4, false},
      {"gpu:a100:8(S:0,3)", "a100", 8, false},
      {"gpu:a100:no_consume:4", "a100", 4, false},
      {"nvme:1,gpu:nvidia_a100-sxm4-40gb:8(S:0-1)", "nvidia_a100-sxm4-40gb", 8, false},
      {"gpu:v100:2(S:0),gpu:a100:6(S:1)", "a100", 6, true},
      {"craynetwork:4,mps:400", "", 0, false},
      {"gpu:a100:2,gpu:a100_1g.5gb:14", "a100", 2, true},
      {"gpu:a100_1g.5gb:14,gpu:a100:2", "a100", 2, true},
      {"gpu:a100_1g.5gb:7,gpu:a100_3g.20gb:14", "a100_3g.20gb", 14, true},
  };
  for (const auto& one : cases) {
    CAPTURE(one.gres);
    const Gpus gpus = gpus_of(one.gres);
    CHECK(gpus.type == one.type);
    CHECK(gpus.count == one.count);
    CHECK(gpus.mixed == one.mixed);
  }
}

TEST_CASE("a line of sinfo is read, and one of another shape is refused") {
  const auto nodes = nodes_in("batch 4 idle 40 1 40 1 gpu:fake:4 (null) 16000\n");
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].partition == "batch");
  CHECK(nodes[0].count == 4);
  CHECK(nodes[0].cpus == 40);
  CHECK(nodes[0].sockets == 1);
  CHECK(nodes[0].features.empty());
  CHECK(nodes[0].memory_mb == 16000);
  CHECK(nodes[0].names == "n[1-4]");
  CHECK(nodes[0].usable());
  CHECK(read_nodes("").empty());
  CHECK_THROWS_WITH(read_nodes("PARTITION AVAIL\n"), Contains("cannot read: 'PARTITION AVAIL'"));
}

TEST_CASE("what a site keeps of a node for its system is read as scontrol prints it") {
  const auto nodes = nodes_in("batch 4 idle 80 2 20 2 gpu:4 (null) 16000");
  const std::string node =
      " Arch=x86_64 CoresPerSocket=20 CPUAlloc=0 CPUTot=80 CPULoad=0.10 Gres=gpu:4 "
      "OS=Linux 6.1.0 #1 SMP RealMemory=16000 Sockets=2 Boards=1 ";
  const auto all = with_reserved(
      nodes, "NodeName=n1" + node +
                 "CoreSpecCount=4 CPUSpecList=72-79 MemSpecLimit=2000 State=IDLE\n" +
                 "NodeName=n2" + node + "State=IDLE\nNodeName=n3" + node +
                 "CPUSpecList=0-3,40,79 State=IDLE\n\nNodeName=far" + node + "CoreSpecCount=9\n");
  REQUIRE(all.size() == 3);
  CHECK(all[0].names == "n2,n4");
  CHECK(all[0].count == 2);
  CHECK(all[0].reserved_cores == 0);
  CHECK(all[1].names == "n3");
  CHECK(all[1].count == 1);
  CHECK(all[1].reserved_cores == 4);  // two CPUs of each of 0 and 1, one of 20 and of 39
  CHECK(all[1].reserved_mb == 0);
  CHECK(all[2].names == "n1");
  CHECK(all[2].reserved_cores == 4);
  CHECK(all[2].reserved_mb == 2000);
  CHECK(all[2].memory_mb == 16000);
  CHECK(with_reserved(nodes, "").size() == 1);
}

TEST_CASE("a node that no job can run on is known by its state") {
  for (const std::string state : {"idle", "mixed", "allocated", "idle~", "mixed-", "planned",
                                  "completing", "reserved", "allocated#", "powering_up"}) {
    CAPTURE(state);
    CHECK(nodes_in("p 1 " + state + " 4 1 4 1 (null) (null) 1")[0].usable());
  }
  for (const std::string state : {"down", "down*", "drained", "draining", "idle*", "drained*",
                                  "failing", "inval", "unknown*", "DOWN"}) {
    CAPTURE(state);
    CHECK_FALSE(nodes_in("p 1 " + state + " 4 1 4 1 (null) (null) 1")[0].usable());
  }
}

TEST_CASE("partitions are read as scontrol prints them") {
  // The first is of Slurm 22.05, the second of 23.11.
  const auto partitions = read_partitions(
      "PartitionName=batch AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL "
      "Default=YES QoS=N/A DefaultTime=00:10:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 "
      "Hidden=NO MaxNodes=UNLIMITED MaxTime=7-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED "
      "Nodes=n[1-4] State=UP TotalCPUs=160 TotalNodes=4 TRES=cpu=160,mem=62.50G,gres/gpu=16\n"
      "PartitionName=long AllowGroups=ALL Default=NO QoS=N/A DefaultTime=NONE ExclusiveTopo=NO "
      "MaxNodes=2 MaxTime=UNLIMITED MinNodes=0 MaxCPUsPerNode=32 MaxCPUsPerSocket=UNLIMITED\n");
  REQUIRE(partitions.size() == 2);
  CHECK(partitions[0].name == "batch");
  CHECK(partitions[0].is_default);
  CHECK(partitions[0].default_time == "00:10:00");
  CHECK(partitions[0].max_time == "7-00:00:00");
  CHECK_FALSE(partitions[0].max_nodes);
  CHECK_FALSE(partitions[0].max_cpus_per_node);
  CHECK_FALSE(partitions[1].is_default);
  CHECK(partitions[1].default_time.empty());
  CHECK(partitions[1].max_time.empty());
  CHECK(partitions[1].max_nodes == 2);
  CHECK(partitions[1].max_cpus_per_node == 32);
  CHECK(read_partitions("No partitions in the system\n").empty());
}

TEST_CASE("the partition is the one that is named, the default, or the only one") {
  std::vector<Partition> partitions(2);
  partitions[0].name = "a100";
  partitions[1].name = "v100";
  CHECK(choose_partition(partitions, "v100").name == "v100");
  CHECK_THROWS_WITH(choose_partition(partitions, ""),
                    "Slurm has no default partition: add --partition and one of a100, v100");
  CHECK_THROWS_WITH(choose_partition(partitions, "h100"), Contains("there are a100, v100"));
  partitions[1].is_default = true;
  CHECK(choose_partition(partitions, "").name == "v100");
  partitions.pop_back();
  CHECK(choose_partition(partitions, "").name == "a100");
  partitions.pop_back();
  CHECK_THROWS_WITH(choose_partition(partitions, ""), Contains("no partition"));
}

TEST_CASE("the controller's configuration says what matters to pippin") {
  const Controller controller = controller_of(
      "Configuration data as of 1795183802\n"
      "AccountingStorageType   = accounting_storage/slurmdbd\n"
      "AuthInfo                = socket=/run/munge,cred_expire=5,ttl=20\n"
      "ClusterName             = one_machine\n"
      "MaxArraySize            = 1001\n"
      "MaxJobCount             = 10000\n"
      "MinJobAge               = 300 sec\n"
      "SLURM_VERSION           = 22.05.8\n");
  CHECK(controller.clock == 1795183802);
  CHECK(controller.has_accounting);
  CHECK(controller.credential_life_s == 20);
  CHECK(controller.cluster == "one_machine");
  CHECK(controller.array_size == 1001);
  CHECK(controller.job_count == 10000);
  CHECK(controller.keeps_jobs_s == 300);
  CHECK(controller.version == "22.05.8");
  const Controller other = controller_of(
      "Configuration data as of 2026-11-20T14:07:56\n"
      "AccountingStorageType   = (null)\n");
  CHECK_FALSE(other.clock);
  CHECK_FALSE(other.has_accounting);
  CHECK(other.credential_life_s == 300);
}

TEST_CASE("srun's plugin for PMIx is found in every version's list") {
  CHECK(pmix_of("MPI plugin types are...\n\tpmix\n\tnone\n\tpmi2\nspecific pmix plugin versions "
                "available: pmix_v4\n") == "pmix");
  CHECK(pmix_of("srun: MPI types are...\nsrun: pmi2\nsrun: pmix_v2\nsrun: pmix_v3\nsrun: none\n") ==
        "pmix_v3");
  CHECK(pmix_of("MPI plugin types are...\n\tnone\n\tpmi2\n").empty());
  CHECK(pmix_of("").empty());
}

TEST_CASE("a version is the last word of what a program says of itself") {
  CHECK(version_of("slurm-wlm 22.05.8\n") == "22.05.8");
  CHECK(version_of("slurm 23.11.4\n") == "23.11.4");
  CHECK(version_of("").empty());
}

TEST_CASE("nodes are of use in every state but those that break them") {
  const auto usable = [](const std::string& state) {
    Nodes nodes;
    nodes.state = state;
    return nodes.usable();
  };
  for (const char* state : {"idle", "mixed", "allocated", "completing", "reserved", "planned", ""})
    CHECK(usable(state));
  for (const char* state : {"down", "DOWN", "drained", "draining", "fail", "failing", "error",
                            "inval", "unknown", "idle*"})
    CHECK_FALSE(usable(state));
}

TEST_CASE("resources stand between commas, and their sockets in parentheses") {
  CHECK(gpus_of("gpu:a:2(S:0,1),gpu:b:1").type == "a");
  CHECK(gpus_of("gpu:a:2(S:0,1),gpu:b:1").mixed);
  CHECK(gpus_of("gpu:b:2,gpu:a:2").type == "b");  // of as many the first
  CHECK_FALSE(gpus_of("gpu:a:2,gpu:b:0").mixed);
  CHECK(gpus_of("nvme:9,gpu:a:2,x").count == 2);
  CHECK(gpus_of(" gpu : a : 3 ").count == 3);
}

TEST_CASE("a version and a plugin are found among other words") {
  CHECK(version_of("slurm 22.05.8\n") == "22.05.8");
  CHECK(version_of("22.05.8") == "22.05.8");
  CHECK(version_of("\n slurm-wlm 23.11.4 \nmore 1\n") == "23.11.4");
  CHECK(version_of("").empty());
  CHECK(pmix_of("none, pmix_v3, pmix_v4, pmix_v2\n") == "pmix_v4");
  CHECK(pmix_of("pmix_v4,\npmix,\n") == "pmix");
  CHECK(pmix_of("cray_shasta pmi2 xpmix\n").empty());
}

TEST_CASE("numbers that no node has are none") {
  const auto nodes = nodes_in("batch 4 idle 80 2 20 2 gpu:4 (null) 9223372036854775807");
  CHECK(nodes.at(0).memory_mb == 0);
  const auto kept =
      with_reserved(nodes,
                    "NodeName=n1 CPUTot=80 Sockets=9223372036854775807 "
                    "CoresPerSocket=9223372036854775807 CPUSpecList=0-9223372036854775807,2\n");
  REQUIRE(kept.size() == 2);
  CHECK(kept[1].names == "n1");
  CHECK(kept[1].reserved_cores == 1);
}

TEST_CASE("a time of a partition that is none is not taken for one") {
  const auto partitions =
      read_partitions("PartitionName=a DefaultTime=00:1sPerNode=UNLIMITED MaxTime=soon\n");
  REQUIRE(partitions.size() == 1);
  CHECK(partitions[0].default_time.empty());
  CHECK(partitions[0].max_time.empty());
}

TEST_CASE("a partition's limits are numbers, and words for none are none") {
  const auto all = read_partitions(
      "PartitionName=a Default=NO DefaultTime=NONE MaxTime=UNLIMITED MaxNodes=UNLIMITED "
      "MaxCPUsPerNode=UNLIMITED\nrubbish\n"
      "PartitionName=b Default=YES DefaultTime=01:00:00 MaxTime=2-00:00:00 MaxNodes=4 "
      "MinNodes=2 MaxCPUsPerNode=8 MaxNodes=9\n"
      "PartitionName=c DefaultTime=N/A MaxTime=INFINITE\nPartitionName=d MaxTime=(null)\n");
  REQUIRE(all.size() == 4);
  CHECK(all[0].name == "a");
  CHECK_FALSE(all[0].is_default);
  CHECK(all[0].default_time.empty());
  CHECK(all[0].max_time.empty());
  CHECK_FALSE(all[0].max_nodes);
  CHECK_FALSE(all[0].max_cpus_per_node);
  CHECK(all[1].is_default);
  CHECK(all[1].default_time == "01:00:00");
  CHECK(all[1].max_time == "2-00:00:00");
  CHECK(all[1].max_nodes == 4);
  CHECK(all[1].min_nodes == 2);
  CHECK_FALSE(all[0].min_nodes);
  CHECK(all[1].max_cpus_per_node == 8);
  CHECK(all[2].default_time.empty());
  CHECK(all[2].max_time.empty());
  CHECK(all[3].max_time.empty());
}

TEST_CASE("who may use a partition, and what it gives a job, is read") {
  const auto all = read_partitions(
      "PartitionName=a AllowAccounts=ALL State=UP MaxMemPerNode=UNLIMITED\n"
      "PartitionName=b AllowAccounts=six,seven State=DOWN MaxMemPerNode=20000 AllowQos=long,x "
      "RootOnly=YES\n"
      "PartitionName=c DenyAccounts=six State=UP MaxMemPerCPU=400\n");
  REQUIRE(all.size() == 3);
  CHECK(all[0].may_use("six"));
  CHECK_FALSE(all[0].max_mb_per_node);
  CHECK(all[1].may_use("seven"));
  CHECK_FALSE(all[1].may_use("eight"));
  CHECK(all[1].state == "DOWN");
  CHECK(all[1].takes_qos("long"));
  CHECK_FALSE(all[1].takes_qos("normal"));
  CHECK(all[0].takes_qos("normal"));
  CHECK(all[1].root_only);
  CHECK(all[0].why_shut().empty());
  CHECK(all[1].max_mb_per_node == 20000);
  CHECK_FALSE(all[2].may_use("six"));
  CHECK(all[2].may_use("eight"));
  CHECK(all[2].max_mb_per_cpu == 400);
}

TEST_CASE("a controller is what its configuration says") {
  const Controller controller = controller_of(
      "Configuration data as of 1795184227\nClusterName = c1\nSLURM_VERSION = 22.05.8\n"
      "AccountingStorageType = accounting_storage/slurmdbd\nMinJobAge = 300 sec\n"
      "MaxArraySize = 1001\nMaxJobCount = 10000\nAuthInfo = ttl=20\n");
  CHECK(controller.clock == 1795184227);
  CHECK(controller.cluster == "c1");
  CHECK(controller.version == "22.05.8");
  CHECK(controller.has_accounting);
  CHECK(controller.keeps_jobs_s == 300);
  CHECK(controller.array_size == 1001);
  CHECK(controller.job_count == 10000);
  CHECK(controller.credential_life_s == 20);
  const Controller bare = controller_of("");
  CHECK_FALSE(bare.clock);
  CHECK_FALSE(bare.has_accounting);
  CHECK_FALSE(bare.keeps_jobs_s);
}

TEST_CASE("empty lines of sinfo are none, and more may follow") {
  CHECK(
      nodes_in("\nbatch 4 idle 40 1 40 1 gpu:4 x 1\n\nbatch 5 idle 40 1 40 1 gpu:4 x 1\n").size() ==
      2);
}
