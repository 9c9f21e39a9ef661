// SPDX-License-Identifier: Apache-2.0
// The console blocks of documents that need a cluster, run on a Slurm of this machine.
#include "tests/docs/documents.h"

#include "core/base/text.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace pippin;
using test::Workplace;

namespace {

/// Four nodes for as long as it lives.
class OneMachineSlurm {
 public:
  explicit OneMachineSlurm(const Workplace& here) : here_(here) {
    const auto call = here.shell("bash " + script() + " up \"$PWD/cluster\" --accounting");
    CAPTURE(call.err);
    REQUIRE(call.exit_code == 0);
    exports_ = std::string(trim(call.out)) + "; ";
  }
  ~OneMachineSlurm() { here_.shell("bash " + script() + " down \"$PWD/cluster\""); }
  OneMachineSlurm(const OneMachineSlurm&) = delete;
  OneMachineSlurm& operator=(const OneMachineSlurm&) = delete;

  const std::string& exports() const { return exports_; }

 private:
  static std::string script() { return (test::source_directory() / "slurm/cluster.bash").string(); }

  const Workplace& here_;
  std::string exports_;
};

void walk_on_slurm(const fs::path& document) {
  const Workplace here;
  if (here.shell("PATH=$PATH:/usr/sbin; command -v slurmctld slurmd slurmdbd mariadbd").exit_code !=
      0)
    return test::skip("Slurm is not installed");
  const OneMachineSlurm slurm(here);
  test::walk(document, test::kSlurmConsole, here, slurm.exports());
}

}  // namespace

TEST_CASE("each command of README.md for clusters prints what it says") {
  walk_on_slurm("README.md");
}

TEST_CASE("each command of docs/clusters.md prints what it says") {
  walk_on_slurm("docs/clusters.md");
}

TEST_CASE("no document with blocks for clusters is left out") {
  test::check_all_are_walked(test::kSlurmConsole, {"README.md", "docs/clusters.md"});
}
