// SPDX-License-Identifier: Apache-2.0
// What the real probes say that they can do, and what becomes of a sweep that asks for more.
#include "sweeps/probes.h"

#include <algorithm>
#include <set>

#include "core/base/process.h"
#include "core/base/text.h"
#include "harness/scrape/probe_capabilities.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

/// A copy of the program with a probe of its own beside it: `script` is bash, $REAL the real one.
void put_probe(const Workplace& here, const std::string& name, const std::string& script) {
  here.shell("mkdir -p here/probes; cp \"$PIPPIN\" here/pippin");
  here.write("here/probes/" + name,
             "#!/usr/bin/env bash\nREAL=" + std::string(PROBES) + "/" + name + "\n" + script);
  here.shell("chmod +x here/probes/" + name);
}

}  // namespace

TEST_CASE("the options of probes.yaml are those of the probes' own tables") {
  for (const auto& name : probe_names()) {
    CAPTURE(name);
    const Outcome outcome = run_program({PROBES "/" + name, "--capabilities"});
    const auto abilities = read_probe_abilities(outcome.output);
    REQUIRE(abilities);
    std::set<std::string> own, listed;
    for (const auto& [option, accepted] : abilities->options) own.insert(option);
    const Probe probe = *find_probe(name);
    for (const auto& axis : probe.options) listed.insert(probe.option_of(axis));
    listed.insert(probe.given.begin(), probe.given.end());
    listed.insert(probe.without.begin(), probe.without.end());
    CHECK(listed == own);
  }
}

TEST_CASE("a value that the real probe does not take is refused by plan, run and submit") {
  const Workplace here;
  here.write("s.yaml", "sweep: s\ngrid: {mbs: [1]}\nfixed:\n  precision: fp8\n");
  for (const std::string command : {"plan", "run", "submit"}) {
    const Call call = here.pippin(command + " s.yaml");
    CHECK(call.exit_code == 2);
    CHECK(call.err == "pippin: s.yaml:4: precision: training knows fp32, bf16, fp16, not 'fp8'\n");
  }
  CHECK_FALSE(fs::exists(here.path() / "t.db.runs"));
}

TEST_CASE("a probe too old to say what it can do is one remark, and its own line the evidence") {
  const Workplace here;
  put_probe(here, "training",
            "if [ \"$1\" = --capabilities ]; then\n"
            "  echo \"training: unknown option '--capabilities'; --help lists them\" >&2\n"
            "  exit 2\nfi\nexec \"$REAL\" \"$@\"\n");
  here.write("s.yaml", "sweep: s\ngrid: {precision: [fp32, fp8]}\nfixed: {dp: 2}\niterations: 2\n");
  const Call plan = here.shell("here/pippin --db t.db plan s.yaml");
  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.err, Contains("/training does not say what it can do; it says: training: unknown "
                                "option '--capabilities'"));
  CHECK(std::count(plan.err.begin(), plan.err.end(), '\n') == 1);
  CHECK(here.shell("here/pippin --quiet --db t.db plan s.yaml").err.empty());
  const Call run = here.shell("here/pippin --db t.db run s.yaml");
  CAPTURE(run.err);
  CHECK(run.exit_code == 1);
  CHECK(here.sql("SELECT group_concat(state || ': ' || evidence) FROM runs WHERE state != 'ok'") ==
        "failed: exit 2: training: --precision wants one of fp32, bf16, fp16, not 'fp8'");
}

TEST_CASE("a probe that is not here is asked nothing") {
  const Workplace here;
  here.shell("mkdir -p here/probes; cp \"$PIPPIN\" here/pippin");
  here.write("s.yaml", "sweep: s\ngrid: {precision: [fp8]}\n");
  const Call plan = here.shell("here/pippin --db t.db plan s.yaml");
  CHECK(plan.exit_code == 0);
  CHECK(plan.err.empty());
}
