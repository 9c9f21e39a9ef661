// SPDX-License-Identifier: Apache-2.0
// The archive for a login node without root: what is in it, and that its program needs only a
// kernel.
#include <unistd.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

/// The archive, unpacked in a folder with spaces.
struct Archive : Workplace {
  Archive() {
    REQUIRE(shell("mkdir 'a b' && tar -xzf '" PIPPIN_ARCHIVE "' -C 'a b' --strip-components=1 && "
                  "cp '" PIPPIN_SOURCE_DIR
                  "/tests/data/logs/megatron-2021-16-gpus.out' 'a b/log.out'")
                .exit_code == 0);
  }
  /// Run in a root that has nothing but the archive: no libraries, no /proc, no /tmp.
  Call alone(const std::string& arguments) const {
    return shell("env -i \"$(command -v chroot)\" 'a b' /bin/pippin " + arguments);
  }
};

}  // namespace

TEST_CASE("the archive has the program and what belongs to it, in one folder") {
  const Workplace here;
  const Call list = here.shell("tar -tzf '" PIPPIN_ARCHIVE "'");
  const std::string folder = list.out.substr(0, list.out.find('/') + 1);
  CHECK(folder == fs::path(PIPPIN_ARCHIVE).stem().stem().string() + "/");
  for (const auto line : split(trim(list.out), '\n')) CHECK(line.starts_with(folder));
  for (const std::string file :
       {"README", "LICENSE", "bin/pippin", "share/man/man1/pippin.1.gz",
        "share/bash-completion/completions/pippin", "share/zsh/vendor-completions/_pippin",
        "share/fish/vendor_completions.d/pippin.fish", "share/doc/pippin/examples/quickstart.yaml",
        "share/doc/pippin/linked/glibc", "share/doc/pippin/linked/sqlite3",
        "share/doc/pippin/linked/LGPL-2.1.txt", "share/pippin/probes/CMakeLists.txt",
        "share/pippin/probes/training/main.cpp", "share/pippin/probes/device/cuda/gpu.cpp"}) {
    CAPTURE(file);
    CHECK_THAT(list.out, Contains("\n" + folder + file + "\n"));
  }
  CHECK_THAT(list.out, !Contains("libexec"));
}

TEST_CASE("the archive's program needs no library and is stripped") {
  const Archive here;
  const Call ldd = here.shell("LC_ALL=C ldd 'a b/bin/pippin'");
  CHECK_THAT(ldd.out + ldd.err, Contains("not a dynamic executable"));
  CHECK_THAT(here.shell("LC_ALL=C nm 'a b/bin/pippin'").err, Contains("no symbols"));
}

TEST_CASE("the archive's program works in an empty root") {
  if (::geteuid() != 0) return test::skip("an empty root is entered by chroot, as root");
  const Archive here;
  CHECK_THAT(here.alone("--version").out, Contains("pippin "));
  CHECK_THAT(here.alone("--help").out, Contains("probes"));
  CHECK_THAT(here.alone("plan -L tp 1,2 -L mbs 1,2 --gpus 8 -- 'train {tp} {mbs}'").out,
             Contains("4 points"));
  CHECK_THAT(here.alone("plan share/doc/pippin/examples/quickstart.yaml").out,
             Contains("quickstart: "));
  CHECK(here.alone("--db t.db collect log.out").err == "1 log, 1 run, 20 iterations added\n");
  const Call report = here.alone("--db t.db report --format csv");
  CAPTURE(report.err);
  CHECK(report.exit_code == 0);
  CHECK_THAT(report.out, Contains("l40-h6144-tp4-pp4-dp1-mbs1-gas4"));
  const Call doctor = here.alone("doctor");
  CHECK(doctor.exit_code == 3);
  CHECK_THAT(doctor.out, Contains("MISSING  bash") && Contains("'pippin probes build' builds"));
  CHECK_THAT(here.alone("probes build").err, Contains("TMPDIR: no folder for temporary files"));
}

TEST_CASE("another user runs a sweep in a folder with spaces") {
  const Archive here;
  const bool root = ::geteuid() == 0;
  const std::string as_user = root ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  if (root) here.shell("chmod 755 . && mkdir 'a b/work' && chown -R 65534:65534 'a b'");
  const Call run = here.shell("mkdir -p 'a b/work' && cd 'a b/work' && TMPDIR=\"$PWD\" " + as_user +
                              "../bin/pippin run -L n 1,2 --poll 0.1 -- 'echo {n} >>seen; false'");
  CAPTURE(run.err);
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.err, Contains("2 of 2 runs done, 2 failed"));
}
