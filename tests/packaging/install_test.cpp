// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

TEST_CASE("an installed tree runs a sweep wherever it lies") {
  const Workplace here;
  const Call install = here.shell("DESTDIR=\"$PWD/root\" cmake --install '" PIPPIN_BUILD
                                  "' --prefix /opt/p && mv root/opt/p moved");
  CAPTURE(install.err);
  REQUIRE(install.exit_code == 0);
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1, 2]}\niterations: 3\nmodel: {size: tiny}\nwarmup: 0\n");
  const Call run = here.shell("PATH=\"$PWD/moved/bin:$PATH\" pippin --db t.db run s.yaml");
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "2|2");
  CHECK_THAT(here.sql("SELECT command FROM runs LIMIT 1"),
             Contains("moved/libexec/pippin/training"));
}

TEST_CASE("what is installed lies where it is looked for") {
  const Workplace here;
  REQUIRE(here.shell("cmake --install '" PIPPIN_BUILD "' --prefix \"$PWD/p\"").exit_code == 0);
  for (const std::string file :
       {"bin/pippin", "libexec/pippin/training", "libexec/pippin/replay",
        "share/man/man1/pippin.1.gz", "share/bash-completion/completions/pippin",
        "share/zsh/vendor-completions/_pippin", "share/fish/vendor_completions.d/pippin.fish",
        "share/doc/pippin/README.md", "share/doc/pippin/docs/reports.md",
        "share/doc/pippin/docs/quickstart.svg", "share/doc/pippin/examples/quickstart.yaml",
        "share/doc/pippin/copyright", "share/doc/pippin/changelog.gz",
        "share/pippin/probes/CMakeLists.txt"}) {
    CAPTURE(file);
    CHECK(disk().exists(here.path() / "p" / file));
  }
  CHECK(here.shell("find p -type f -perm -o+w").out.empty());
}

TEST_CASE("installed programs are stripped") {
  const Workplace here;
  REQUIRE(here.shell("cmake --install '" PIPPIN_BUILD "' --prefix \"$PWD/p\"").exit_code == 0);
  const Call sections =
      here.shell("for file in p/bin/* p/libexec/pippin/*; do readelf -SW $file; done");
  CHECK(sections.exit_code == 0);
  CHECK_THAT(sections.out, Contains(" .text ") && !Contains(" .symtab ") && !Contains(" .debug_"));
}
