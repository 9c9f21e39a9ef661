// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

std::string notes() { return read_input(test::source_directory() / "tests/data/notes/gpt2.md"); }

constexpr const char* kRetable = "retable n.md --seq 1024 --factor 4";
constexpr const char* kChanges =
    "n.md:180: 46.7 → 49.7\n"
    "n.md:213: 48.8 → 49.7\n"
    "n.md:231: 49.1 → 49.2\n"
    "n.md:250: 49.1 → 49.2\n"
    "n.md:433: 38.3 → 43.1\n"
    "n.md:466: 14.0 → 14.1\n";
constexpr const char* kContradictions =
    "n.md:77: GBS 4 is not MBS 1 × GAS 4 × DP 4 = 16\n"
    "n.md:181: GBS 1536 is not MBS 4 × GAS 256 × DP 1 = 1024\n"
    "n.md:182: GBS 2048 is not MBS 4 × GAS 256 × DP 1 = 1024\n";

ino_t inode(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

}  // namespace

TEST_CASE("retable mends the numbers of kept notes in place and says which") {
  const Workplace here;
  here.write("n.md", notes());
  const Call first = here.pippin(kRetable);
  CHECK(first.exit_code == 0);
  CHECK(first.out == std::string(kChanges) + kContradictions);
  CHECK(first.err == "6 of 83 rows changed, 3 contradict themselves\n");
  const ino_t before = inode(here.path() / "n.md");
  const Call second = here.pippin(kRetable);
  CHECK(second.out == kContradictions);
  CHECK(second.err == "0 of 83 rows changed, 3 contradict themselves\n");
  CHECK(inode(here.path() / "n.md") == before);
  CHECK_FALSE(fs::exists(here.path() / "t.db"));
}

TEST_CASE("a dry retable writes nothing and prints what patch takes") {
  const Workplace here;
  for (const bool dos : {false, true}) {
    here.write("n.md", notes());
    if (dos) here.shell("sed -i 's/$/\\r/' n.md");
    here.shell("cp n.md kept.md");
    const Call dry = here.pippin(std::string(kRetable) + " --dry-run");
    CHECK(dry.exit_code == 0);
    CHECK_THAT(dry.err, Contains(kContradictions) && Contains("6 of 83 rows would change"));
    CHECK(here.text("n.md") == here.text("kept.md"));
    here.write("n.patch", dry.out);
    CHECK(here.shell("patch --binary kept.md n.patch").exit_code == 0);
    here.pippin(std::string(kRetable) + " --quiet");
    CHECK(here.text("n.md") == here.text("kept.md"));
    CHECK(here.shell("diff -u kept.md n.md").out.empty());
  }
}

TEST_CASE("retable keeps a file's mode, and a link a link") {
  const Workplace here;
  here.write("notes/n.md", notes());
  here.shell("chmod 640 notes/n.md && ln -s notes/n.md link.md && ln -s link.md far.md");
  CHECK(here.pippin("retable far.md --seq 1024 --factor 4").exit_code == 0);
  CHECK(here.shell("stat -c %a notes/n.md; readlink far.md link.md; ls -A notes").out ==
        "640\nlink.md\nnotes/n.md\nn.md\n");
  CHECK_THAT(here.text("notes/n.md"), Contains("|   49.7 | 06-10 |"));
}

TEST_CASE("retable refuses what it cannot read in one line") {
  const Workplace here;
  here.write("empty.md", "");
  here.write("plain.md", "# Notes\n\n```\n| a | b |\n|---|---|\n```\n");
  here.write("other.md", "| a | b |\n|---|---|\n| 1 | 2 |\n");
  here.write("doubt.md",
             "| GPUs | Size | GBS | Speed | Time | TFLOPS |\n|-|-|-|-|-|-|\n|1|1B|1|1s|2s|3|\n");
  here.write("good.md", notes());
  const std::vector<std::pair<std::string, std::string>> cases{
      {"none.md", "pippin: none.md: cannot read: No such file or directory\n"},
      {".", "pippin: .: cannot read: Is a directory\n"},
      {"empty.md", "pippin: empty.md: has no Markdown table that is kept by hand\n"},
      {"plain.md", "pippin: plain.md: has no Markdown table that is kept by hand\n"},
      {"other.md",
       "pippin: other.md: no table has columns for all of size, GBS, step time, GPUs and TFLOPS\n"},
      {"doubt.md",
       "pippin: doubt.md:1: two columns may be step_time: 'Speed' and 'Time'; rename one, the "
       "table is left as it is\n"},
      {"good.md --seq 0",
       "pippin: --seq: '0' is no number from 1 to 1000000000; see pippin --help\n"},
      {"good.md --factor 5", "pippin: --factor: 5 not in {3,4}; see pippin --help\n"}};
  for (const auto& [arguments, message] : cases) {
    const Call call = here.pippin("retable " + arguments);
    CHECK(call.exit_code == 2);
    CHECK(call.out.empty());
    CHECK(call.err == message);
  }
  CHECK(here.text("good.md") == notes());
}
