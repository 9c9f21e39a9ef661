// SPDX-License-Identifier: Apache-2.0
#include "slurm/directives.h"

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("a cluster's options become #SBATCH lines") {
  Cluster cluster;
  cluster.scheduler_options = {{"account", value_of(std::string("six@gpu"))},
                               {"time", value_of(std::string("00:20:00"))},
                               {"exclusive", value_of(std::string(""))},
                               {"partition", value_of(std::string("true"))},
                               {"requeue", value_of(std::string("false"))},
                               {"comment", value_of(std::string("two \"words\""))}};
  CHECK(sbatch_directives(cluster, {"gpt-a1-n16", 16, 4}) ==
        std::vector<std::string>{
            "#SBATCH --job-name=gpt-a1-n16", "#SBATCH --nodes=16", "#SBATCH --ntasks-per-node=4",
            "#SBATCH --account=six@gpu", "#SBATCH --time=00:20:00", "#SBATCH --exclusive",
            "#SBATCH --partition=true", "#SBATCH --comment=\"two \\\"words\\\"\"",
            "#SBATCH --signal=B:USR1@30"});
}

TEST_CASE("a line break cannot slip in a second directive") {
  Cluster cluster;
  cluster.scheduler_options = {{"comment", value_of(std::string("x\n#SBATCH --nodes=999"))}};
  CHECK_THROWS_WITH(sbatch_directives(cluster, {"j", 1, 1}), Catch::Contains("line break"));
}

TEST_CASE("a job's own time goes before the cluster's, in hours, minutes and seconds") {
  Cluster cluster;
  JobWishes job{"j", 1, 1};
  const auto time_of = [&] {
    std::string found;
    for (const auto& line : sbatch_directives(cluster, job)) {
      if (line.starts_with("#SBATCH --time")) found += line.substr(8);
    }
    return found;
  };
  CHECK(time_of().empty());
  job.time_s = 3600 * 27 + 62;
  CHECK(time_of() == "--time=27:01:02");
  cluster.scheduler_options = {{"time", value_of(std::string("20"))}};
  CHECK(time_of() == "--time=27:01:02");
  job.time_s = 59;
  CHECK(time_of() == "--time=00:00:59");
  job.time_s.reset();
  CHECK(time_of() == "--time=20");
}

TEST_CASE("a signal of the user's own goes before ours, and options stand as they are meant") {
  Cluster cluster;
  cluster.scheduler_options = {
      {"signal", value_of(std::string("TERM@60"))}, {"exclusive", value_of(std::string(""))},
      {"requeue", value_of(std::string("FALSE"))},  {"hold", value_of(std::string(""))},
      {"comment", value_of(std::string("a\\b#c"))}, {"reason", value_of(std::string("it's"))}};
  CHECK(sbatch_directives(cluster, {"a b", 2, 3}) ==
        std::vector<std::string>{"#SBATCH --job-name=\"a b\"", "#SBATCH --nodes=2",
                                 "#SBATCH --ntasks-per-node=3", "#SBATCH --signal=TERM@60",
                                 "#SBATCH --exclusive", "#SBATCH --hold",
                                 "#SBATCH --comment=\"a\\\\b#c\"", "#SBATCH --reason=\"it's\""});
  cluster.scheduler_options = {{"comment", value_of(std::string("x\ry"))}};
  CHECK_THROWS_WITH(sbatch_directives(cluster, {"j", 1, 1}),
                    "slurm: comment: a line break cannot stand in an #SBATCH line");
}
