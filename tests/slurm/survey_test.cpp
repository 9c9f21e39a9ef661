// SPDX-License-Identifier: Apache-2.0
#include "slurm/survey.h"

#include "slurm/ask.h"
#include "tests/slurm/fake_slurm.h"

using namespace pippin;
using namespace pippin::slurm;
using Catch::Contains;
using test::FakeSlurm;

namespace {

const std::string kConfig =
    "Configuration data as of 2024-04-06T03:02:12\nClusterName = c1\n"
    "AccountingStorageType = accounting_storage/slurmdbd\nSLURM_VERSION = 22.05.8\n";

/// One whose controller tells its configuration, and which release it is.
struct AnsweringSlurm : FakeSlurm {
  AnsweringSlurm() {
    says_as_it_is("scontrol.config", kConfig);
    says_as_it_is("sinfo.--version", "slurm 22.05.8\n");
  }
};

Controller with_accounting() {
  Controller controller;
  controller.has_accounting = true;
  controller.cluster = "c1";
  return controller;
}

}  // namespace

TEST_CASE("programs that are not on PATH are named and nothing is asked") {
  FakeSlurm some({"sbatch", "squeue", "sinfo"});
  const Survey found = survey(false);
  CHECK(found.missing == std::vector<std::string>{"scancel", "scontrol"});
  CHECK(found.has_programs());
  CHECK(some.calls("sinfo").empty());
  const FakeSlurm none(std::vector<std::string>{});
  CHECK_FALSE(survey(false).has_programs());
}

TEST_CASE("a controller that is silent is asked once, and one without a configuration is named") {
  FakeSlurm fake;
  fake.fails("scontrol", "slurm_load_ctl_conf error: Unable to contact slurm controller\n");
  const Survey silent = survey(false);
  CHECK(silent.trouble == "slurm_load_ctl_conf error: Unable to contact slurm controller");
  CHECK(fake.calls("scontrol").size() == 1);
  CHECK(fake.calls("sinfo").empty());
  fake.fails("scontrol", "scontrol: fatal: Could not establish a configuration source\n");
  CHECK(survey(false).trouble == "no slurm.conf is found");
}

TEST_CASE("hidden partitions are asked for only where they are wanted") {
  AnsweringSlurm fake;
  const Survey found = survey(false);
  CHECK(found.trouble.empty());
  CHECK(found.version == "22.05.8");
  CHECK(found.controller.has_accounting);
  const auto calls = fake.calls("scontrol");
  REQUIRE(calls.size() == 3);
  CHECK_THAT(calls[1], Contains("[--oneliner] [show] [partition]") && !Contains("--all"));
  CHECK_THAT(calls[2], Contains("[--oneliner] [show] [node]") && !Contains("--all"));
  CHECK_THAT(fake.calls("sinfo").at(1), Contains("[--noheader] [--exact]") && !Contains("--all"));
  survey(true);
  CHECK_THAT(fake.calls("scontrol").at(1), Contains("scontrol [--all]"));
  CHECK_THAT(fake.calls("sinfo").at(1), Contains("sinfo [--all]"));
}

TEST_CASE("nodes are asked what their site keeps of them") {
  AnsweringSlurm fake;
  fake.says("sinfo", "batch|2|idle|40|2|20|1|gpu:4|(null)|16000|n[1-2]\n");
  fake.says_as_it_is("scontrol.node", "NodeName=n2 CPUTot=40 CoreSpecCount=4 MemSpecLimit=900\n");
  const Survey found = survey(false);
  REQUIRE(found.nodes.size() == 2);
  CHECK(found.nodes[0].reserved_cores == 0);
  CHECK(found.nodes[1].reserved_cores == 4);
  CHECK(found.nodes[1].reserved_mb == 900);
}

TEST_CASE("a banner of the site is no node") {
  AnsweringSlurm fake;
  fake.says("sinfo", "** welcome **\nbatch|2|idle|40|2|20|1|gpu:4|(null)|16000|n[1-2]\n");
  const Survey found = survey(false);
  CHECK(found.trouble.empty());
  CHECK(found.nodes.size() == 1);
}

TEST_CASE("nodes that cannot be read are told and the rest stands") {
  AnsweringSlurm fake;
  fake.says_as_it_is("sinfo", "rubbish\n");
  const Survey found = survey(false);
  CHECK_THAT(found.trouble, Contains("sinfo"));
  CHECK(found.controller.cluster == "c1");
}

TEST_CASE("accounting tells the user's accounts, QOS and the lowest limit") {
  FakeSlurm fake;
  fake.says_as_it_is("sacctmgr.user", "** Welcome | to c1 **\nsix|six|normal|\n");
  fake.says_as_it_is("sacctmgr.assoc",
                     "six||normal,long|40\nseven|p1||\nbroken|line\nsix|p2|debug|\n");
  fake.says_as_it_is("sacctmgr.qos", "normal||40||\n");
  fake.says_as_it_is("scontrol.assoc_mgr", "QOS=normal(1)\n  User Limits\n    No Users\n");
  const OwnPlace place = own_place(with_accounting());
  CHECK(place.trouble.empty());
  CHECK(place.account == "six");
  CHECK(place.accounts == std::vector<std::string>{"seven", "six"});
  CHECK(place.qos == std::vector<std::string>{"debug", "long", "normal"});
  const auto calls = fake.calls("sacctmgr");
  REQUIRE(calls.size() == 3);
  CHECK_THAT(calls[2], Contains("[user=" + own_user() + "] [cluster=c1]"));
  CHECK(place.limit.words == "MaxSubmitJobsPerUser of QOS normal is 40, and 0 were there");
}

TEST_CASE("accounting that is not there or does not answer leaves the place empty") {
  FakeSlurm fake;
  CHECK(own_place({}).trouble.empty());
  CHECK(fake.calls("sacctmgr").empty());
  fake.fails("sacctmgr", "sacctmgr: error: no daemon\n");
  CHECK(own_place(with_accounting()).trouble == "sacctmgr: error: no daemon");
  CHECK(fake.calls("sacctmgr").size() == 1);
  const FakeSlurm without({"sbatch"});
  CHECK(own_place(with_accounting()).trouble == "sacctmgr is not on PATH");
}

TEST_CASE("the plugin for PMIx is what srun lists, on either stream") {
  FakeSlurm fake;
  fake.says_as_it_is("srun", "MPI plugin types are...\n\tnone\n\tpmix\n\tpmix_v4\n");
  CHECK(own_pmix() == "pmix");
  fake.fails("srun", "srun: MPI types are...\nsrun: pmix\n", 0);
  CHECK(own_pmix() == "pmix");
  fake.fails("srun", "srun: none\n", 0);
  CHECK(own_pmix().empty());
  const FakeSlurm without({"sbatch"});
  CHECK(own_pmix().empty());
}
