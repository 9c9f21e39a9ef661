// SPDX-License-Identifier: Apache-2.0
#include "pbs/directives.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {

Cluster cluster_with(const NamedValues& options) {
  Cluster cluster;
  cluster.scheduler = "pbs";
  cluster.accelerator.name = "a100-sxm4-40g";
  cluster.scheduler_options = options;
  return cluster;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a PBS job has name, bash, nodes of as many CPUs and GPUs as ranks, each on its own") {
  CHECK(pbs_directives(cluster_with({}), {"gpt-n2-s1", 2, 4}) ==
        Lines{"#PBS -N gpt-n2-s1", "#PBS -S /bin/bash", "#PBS -j oe",
              "#PBS -l select=2:ncpus=4:ngpus=4:mpiprocs=4", "#PBS -l place=scatter"});
  Cluster cpu = cluster_with({});
  cpu.accelerator.name = "cpu";
  CHECK(pbs_directives(cpu, {"g", 1, 8}).at(3) == "#PBS -l select=1:ncpus=8:mpiprocs=8");
}

TEST_CASE("letters of the cluster file are options, other words are resources, chunk is a node's") {
  const Cluster cluster = cluster_with({{"q", value_of("prod")},
                                        {"time", value_of("00:20:00")},
                                        {"filesystems", value_of("home:eagle")},
                                        {"chunk", value_of("ncpus=64:ngpus=4:system=polaris")},
                                        {"place", value_of("scatter:excl")},
                                        {"V", value_of("true")},
                                        {"r", value_of("y")},
                                        {"z", value_of("false")}});
  CHECK(pbs_directives(cluster, {"g", 3, 4}) ==
        Lines{"#PBS -N g", "#PBS -S /bin/bash", "#PBS -j oe",
              "#PBS -l select=3:ncpus=64:ngpus=4:system=polaris:mpiprocs=4",
              "#PBS -l walltime=00:20:00", "#PBS -q prod", "#PBS -l filesystems=home:eagle",
              "#PBS -l place=scatter:excl", "#PBS -V", "#PBS -r y"});
}

TEST_CASE("a job's own time goes before the cluster's") {
  const Cluster cluster = cluster_with({{"time", value_of("00:20:00")}});
  CHECK(pbs_directives(cluster, {"g", 1, 1, 4805}).at(4) == "#PBS -l walltime=01:20:05");
}

TEST_CASE("blanks are kept together, and a line break is refused") {
  const auto lines = pbs_directives(cluster_with({{"M", value_of("a b")}}), {"g", 1, 1});
  CHECK(lines.back() == "#PBS -M \"a b\"");
  CHECK_THROWS_WITH(pbs_directives(cluster_with({{"M", value_of("a\nb")}}), {"g", 1, 1}),
                    "pbs: M: a line break cannot stand in a #PBS line");
  CHECK_THROWS_WITH(pbs_directives(cluster_with({{"M", value_of("a\"'b")}}), {"g", 1, 1}),
                    "pbs: M: a #PBS line cannot hold both kinds of quotes");
}
