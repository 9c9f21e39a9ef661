// SPDX-License-Identifier: Apache-2.0
// The example under the help of each command does what the help says.
#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::Call;
using test::Workplace;

TEST_CASE("the example of every command can be typed as it stands") {
  const Workplace here;
  const fs::path source = test::source_directory();
  fs::create_directory_symlink(source / "sweeps", here.path() / "sweeps");
  fs::create_directory_symlink(source / "tests/data/logs", here.path() / "logs");
  fs::copy_file(source / "tests/data/notes/gpt2.md", here.path() / "gpt2.md");
  const std::string commands = here.shell("\"$PIPPIN\" --complete -- '' | cut -f 1").out;
  REQUIRE(split(trim(commands), '\n').size() > 6);
  for (const auto command : split(trim(commands), '\n')) {
    if (command == "update") continue;  // has something to do on a cluster only: see tests/slurm
    if (command == "probes") continue;  // builds what an archive brings along: see tests/packaging
    const std::string help = here.shell("\"$PIPPIN\" " + std::string(command) + " --help").out;
    const auto begin = help.find("Example: pippin ");
    CAPTURE(help);
    REQUIRE(begin != std::string::npos);
    const std::string example(trim(help.substr(begin + std::string("Example: pippin").size())));
    const std::string until_served =
        " & while kill -0 $! && ! grep -q 'Ctrl-C ends it' out.txt; do sleep 0.1; done; "
        "kill -INT $!; wait $!";
    const Call call = here.shell("export HOME=\"$PWD\"; \"$PIPPIN\" " + example +
                                 (command == "serve" ? until_served : ""));
    CAPTURE(call.err);
    CHECK(call.exit_code == 0);
  }
  here.shell("\"$PIPPIN\" cancel replay");
}

TEST_CASE("every example sweep can be planned, and those of this machine measure every point") {
  const Workplace here;
  fs::create_directory_symlink(test::source_directory() / "sweeps", here.path() / "sweeps");
  fs::copy(here.path() / "sweeps/examples/train.sh", here.path());
  for (const auto& entry : fs::directory_iterator(here.path() / "sweeps/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().stem().string();
    const std::string file = "sweeps/examples/" + name + ".yaml";
    CAPTURE(name);
    const Call plan = here.pippin("plan " + file);
    CAPTURE(plan.err);
    CHECK(plan.exit_code == 0);
    CHECK(plan.err.empty());
    const std::string text = here.text(file);
    const bool elsewhere = Catch::contains(text, "cluster: ");
    if (elsewhere && !Catch::contains(text, "cluster: local")) continue;
    here.shell("sed 's/allocations: [0-9]*/allocations: 1/' " + file + " >once.yaml");
    const Call run = here.pippin("--quiet run once.yaml");
    CAPTURE(run.out, run.err);
    CHECK(run.exit_code == 0);
    CHECK(here.sql(
              "SELECT count(*) > 3 AND sum(state != 'ok') = 0 FROM run_overview WHERE sweep = '" +
              name + "'") == "1");
  }
}
