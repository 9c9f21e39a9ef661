#include "slurm/directives.h"

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("a cluster's options become #SBATCH lines") {
  Cluster cluster;
  cluster.scheduler_options = {{"account", value_of(std::string("six@gpu"))},
                               {"time", value_of(std::string("00:20:00"))},
                               {"exclusive", value_of(std::string("true"))},
                               {"requeue", value_of(std::string("false"))},
                               {"comment", value_of(std::string("two \"words\""))}};
  CHECK(sbatch_directives(cluster, {"gpt-a1-n16", 16, 4}) ==
        std::vector<std::string>{
            "#SBATCH --job-name=gpt-a1-n16", "#SBATCH --nodes=16", "#SBATCH --ntasks-per-node=4",
            "#SBATCH --account=six@gpu", "#SBATCH --time=00:20:00", "#SBATCH --exclusive",
            "#SBATCH --comment=\"two \\\"words\\\"\"", "#SBATCH --signal=B:USR1@30"});
}

TEST_CASE("a line break cannot slip in a second directive") {
  Cluster cluster;
  cluster.scheduler_options = {{"comment", value_of(std::string("x\n#SBATCH --nodes=999"))}};
  CHECK_THROWS_WITH(sbatch_directives(cluster, {"j", 1, 1}), Catch::Contains("line break"));
}
