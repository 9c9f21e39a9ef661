// SPDX-License-Identifier: Apache-2.0
// The probes of the archive, built by the compiler of this machine: minutes.
#include "core/base/text.h"
#include "tests/packaging/unpacked.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::StartsWith;
using test::Call;
using test::Unpacked;

TEST_CASE("probes build of an unpacked archive gives a sweep its probes") {
  const Unpacked here;
  REQUIRE(here.shell("rm -r unpacked && mkdir unpacked && "
                     "tar -xzf '" PIPPIN_ARCHIVE "' -C unpacked --strip-components=1")
              .exit_code == 0);
  // Kernels for GPUs would take minutes more.
  const std::string cmake(trim(here.shell("command -v cmake").out));
  here.program("cmake", "case $1 in -S) exec '" + cmake +
                            "' \"$@\" -DPROBES_USE_CUDA=OFF ;; *) exec '" + cmake +
                            "' \"$@\" ;; esac");
  const Call build = here.with_bin("unpacked/bin/pippin probes build");
  CAPTURE(build.err, here.shell("tail -n 20 pippin-probes-*/log").out);
  REQUIRE(build.exit_code == 0);
  CHECK_THAT(build.out, StartsWith("the probes are in ") && Contains("\ntraining: MPI ") &&
                            Contains("CUDA none"));
  here.write("s.yaml", test::replay_sweep(""));
  const Call run = here.with_bin("unpacked/bin/pippin --db t.db run s.yaml --poll 0.1");
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(here.sql("SELECT count(*) > 0 AND sum(state = 'ok') = count(*) FROM runs") == "1");
  const Call training = here.with_bin(
      "unpacked/libexec/pippin/training --iterations 2 && unpacked/libexec/pippin/canary --seconds "
      "1");
  CHECK(training.exit_code == 0);
  CHECK_THAT(training.out, Contains("iteration        2/       2"));
}
