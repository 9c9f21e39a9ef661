// The README's section on clusters, walked on a Slurm of this machine.
#include "tests/harness/cli/readme.h"

#include <cstdlib>

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

}  // namespace

TEST_CASE("each command of the readme's section on clusters prints what the readme says") {
  const Workplace here;
  if (here.shell("PATH=$PATH:/usr/sbin; command -v slurmctld slurmd slurmdbd mariadbd").exit_code !=
      0)
    return test::skip("Slurm is not installed");
  const fs::path file = test::source_directory() / "README.md";
  const std::string readme = read_input(file);
  const OneMachineSlurm slurm(here);
  here.write("layouts.yaml", test::block_of(readme, "# layouts.yaml"));
  const std::string today = test::walked(readme, "```console slurm\n", here, slurm.exports());
  if (std::getenv("PIPPIN_REWRITE_README")) disk().write(file, today);
}
