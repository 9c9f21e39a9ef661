// SPDX-License-Identifier: Apache-2.0
// What others have made, or hold, harms neither results nor files.
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

constexpr const char* kSweep = "sweep: s\ncommand: 'true {a}'\ngrid: {a: [1, 2]}\n";

}  // namespace

TEST_CASE("a database that SQLite would take for no file is refused") {
  const Workplace here;
  for (const char* name : {"", ":memory:", "file:t.db", "file:t.db?mode=memory"}) {
    CAPTURE(name);
    const auto call = here.shell(fmt::format("\"$PIPPIN\" --db '{}' report", name));
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains("--db"));
  }
  CHECK(here.shell("ls -A | grep -v txt").out.empty());
}

TEST_CASE("a database whose version is none is damaged, and says which it has") {
  const Workplace here;
  here.write("logs/a.log", test::dump() + test::row(1, 100));
  REQUIRE(here.pippin("collect logs").exit_code == 0);
  here.sql("PRAGMA user_version = -1");
  const auto call = here.pippin("list");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("t.db: is a damaged database, of version -1"));
}

TEST_CASE("two sweeps whose names make the same folder are told apart") {
  const Workplace here;
  here.write("one.yaml", std::string("sweep: 'a b'") + (kSweep + 8));
  CHECK(here.pippin("--quiet run one.yaml").exit_code == 1);  // true measures nothing
  const std::string folder = std::string(trim(here.shell("ls t.db.runs").out));
  here.write("two.yaml", "sweep: " + folder + (kSweep + 8));
  for (const char* again : {"", " --again"}) {
    const auto call = here.pippin(std::string("run two.yaml") + again);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains("is the folder of sweep 'a b', and that of '" + folder + "'"));
  }
  CHECK(here.pippin("--quiet run one.yaml --again").exit_code == 1);
}

TEST_CASE("a run that waits for another's jobs on this machine says for whose") {
  const Workplace here;
  here.write("s.yaml", kSweep);
  const auto call = here.shell(
      "mkdir -m 700 .pippin-$(id -u) && cd .pippin-$(id -u) && "
      "echo 'process 4711 on n1, the queue of /else' >machine.lock && exec 8<>machine.lock && "
      "flock 8 && cd .. && { \"$PIPPIN\" --db t.db run s.yaml 2>said 8<&- & } && "
      "until grep -q /else said || ! kill -0 $!; do sleep 0.02; done; cat said >&2; exec 8<&-; "
      "wait");
  CHECK_THAT(call.err, Contains("this machine is taken by process 4711 on n1, the queue of /else"));
}

TEST_CASE("a run whose times are none is named, and the others are recorded") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  REQUIRE(here.pippin("--quiet run s.yaml").exit_code == 0);
  const std::string record =
      std::string(trim(here.shell("grep -l started= t.db.runs/replayed/*/*/run | head -n 1").out));
  here.shell("sed -i 's/started=[0-9]*/started=100000000000000000/g' " + record + " && rm t.db*db");
  const auto call = here.pippin("collect");
  CHECK(call.exit_code != 0);
  CHECK_THAT(call.err, Contains("100000000000000000 is no time") &&
                           Contains(fs::path(record).parent_path().string()));
  const auto report = here.pippin("report --format csv");
  CHECK(report.exit_code == 0);
  CHECK_THAT(report.out, Contains("tp2"));
}

TEST_CASE("a campaign's file with counts that cannot be, or nested for ever, is one clear line") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  REQUIRE(here.pippin("--quiet run s.yaml").exit_code == 0);
  const std::string file = "t.db.runs/replayed/campaign-1.json", kept = here.text(file);
  const std::pair<std::string, const char*> cases[] = {
      {"sed -i 's/\"gpus\": 16/\"gpus\": 0/' ", "gpus 0 of point"},
      {"sed -i 's/\"gpus\": 16/\"gpus\": 9223372036854775807/' ", "gpus 9223372036854775807"},
      {"sed -i 's/\"allocation\": 1/\"allocation\": -1/' ", "allocation -1"},
      {"head -c 200000 /dev/zero | tr '\\0' '[' >", "is no campaign of pippin's"},
      {"yes '{\"format\":' | head -n 100000 >", "is no campaign of pippin's"},
  };
  for (const auto& [change, refusal] : cases) {
    CAPTURE(change);
    here.write(file, kept);
    here.shell(change + file);
    const auto call = here.pippin("run s.yaml");
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains("campaign-1.json: is") && Contains(refusal));
    CHECK_THAT(here.pippin("status").err, Contains(refusal));
  }
}

TEST_CASE("names of files cannot steer a terminal") {
  const Workplace here;
  const auto call = here.shell(
      "name=$(printf 'a\\u202eb\\u009bc\\u200bd.log') && echo nothing >\"$name\" && "
      "\"$PIPPIN\" --db t.db collect \"$name\"; \"$PIPPIN\" --db \"$name\" report");
  CHECK_THAT(call.err, Contains("a\\u202eb\\u009bc\\u200bd.log"));
  CHECK_THAT(call.err, !Contains("\u202e") && !Contains("\u009b") && !Contains("\u200b"));
}

TEST_CASE("cells that a spreadsheet would compute are texts where that is asked for") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: s\ncommand: 'true {a}'\ngrid: {a: ['=1+1', '+x', '@SUM(A1)', '-y', '-5', 'x=1']}\n");
  const std::string plain = here.pippin("plan s.yaml --format csv").out;
  for (const char* cell : {",=1+1\n", ",+x\n", ",@SUM(A1)\n", ",-y\n", ",-5\n", ",x=1\n"})
    CHECK_THAT(plain, Contains(cell));
  const std::string safe = here.pippin("--safe-csv plan s.yaml --format csv").out;
  for (const char* cell : {",'=1+1\n", ",'+x\n", ",'@SUM(A1)\n", ",'-y\n", ",-5\n", ",x=1\n"})
    CHECK_THAT(safe, Contains(cell));
}

TEST_CASE("a document that is no file is refused, and holds nobody up") {
  const Workplace here;
  here.shell("mkfifo pipe && mkdir folder");
  for (const char* command : {"retable pipe", "retable /dev/zero", "import pipe", "plan /dev/zero",
                              "report --update pipe", "retable folder"}) {
    CAPTURE(command);
    const auto call = here.pippin(command);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains("is a FIFO") || Contains("is a device") ||
                             Contains("Is a directory") || Contains("no such database"));
  }
}

TEST_CASE("a pipe or a device among a campaign's files holds nobody up") {
  const Workplace here;
  here.write("s.yaml", kSweep);
  here.pippin("--quiet run s.yaml");
  for (const char* plant : {"mkfifo", "ln -s /dev/zero"}) {
    here.shell(
        std::string("handed=$(ls -d t.db.runs/s/jobs/*/handed | head -n 1); rm -f \"$handed\"; ") +
        plant + " \"$handed\"");
    for (const char* words : {"status", "collect", "tail s"}) {
      CAPTURE(plant, words);
      const auto call = here.pippin(words);
      CHECK(call.exit_code != 0);
      CHECK_THAT(call.err, Contains("handed: is no file; remove it"));
    }
  }
}

TEST_CASE("what is stored can be read on a full disk and on one that is read-only") {
  const Workplace here;
  if (here.shell("unshare --map-root-user --mount true").exit_code != 0)
    return test::skip("no disk can be mounted here");
  here.write("s.yaml", test::replay_sweep(""));
  REQUIRE(here.pippin("--quiet run s.yaml").exit_code == 0);
  const std::string wanted = here.pippin("report --format csv").out;
  here.write(
      "disk.bash",
      "set -e\nmkdir disk && mount -t tmpfs -o size=2m none disk && cp t.db disk && cd disk\n"
      "! dd if=/dev/zero of=rest bs=4k status=none\n"
      "\"$PIPPIN\" --db t.db report --format csv && \"$PIPPIN\" --db t.db list >&2\n"
      "mount -o remount,ro none .\n\"$PIPPIN\" --db t.db report --format csv\n");
  const auto call = here.shell("unshare --map-root-user --mount bash disk.bash");
  CHECK(call.exit_code == 0);
  CHECK(call.out == wanted + wanted);
  CHECK_THAT(call.err, Contains("replayed"));
}

TEST_CASE("a file that may not grow any further is an error that is told") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  const auto call = here.shell("ulimit -f 1; \"$PIPPIN\" --db t.db run s.yaml");
  CHECK(call.exit_code == 3);
  CHECK_THAT(call.err, Contains("pippin: "));
  CHECK_THAT(call.err, Contains("File too large") || Contains("the disk is full, or a quota"));
}

TEST_CASE("a file that needs more memory than there is is left out, and the others are stored") {
#ifdef __SANITIZE_ADDRESS__
  return test::skip("the sanitizers map more memory than any limit allows");
#endif
  const test::Workplace here;
  constexpr std::size_t kBlanks = 100'000'000;
  here.write(
      "logs/golden_values.json",
      R"({"iteration-time":{"start_step":0,"end_step":9,"step_interval":1,"values":[0.5,0.4]})" +
          std::string(kBlanks, ' ') + "}");
  here.write("logs/train.log", test::dump() + test::row(1, 100) + test::row(2, 100));
  const auto call = here.shell("ulimit -v 160000; \"$PIPPIN\" --db t.db collect logs");
  INFO(call.err);
  CHECK(call.exit_code == 3);
  CHECK_THAT(call.err, Contains("golden_values.json: needs more memory than there is"));
  CHECK(here.sql("SELECT count(*) FROM iterations") == "2");
}
