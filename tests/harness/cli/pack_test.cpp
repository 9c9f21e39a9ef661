// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

/// A sweep of 12 runs in three jobs that are over, and was collected.
struct Finished : Workplace {
  explicit Finished(const std::string& sweep = test::replay_sweep("")) {
    write("s.yaml", sweep);
    pippin("run s.yaml --quiet");
    wait_for_queue();
  }
  /// A job is over a moment after its last run.
  void wait_for_queue() const {
    REQUIRE(shell("for i in $(seq 1200); do\n"
                  "  find t.db.runs/.local/waiting t.db.runs/.local/running -name '[0-9]*' | grep "
                  "-q . || exit 0\n"
                  "  sleep 0.1\n"
                  "done; false")
                .exit_code == 0);
  }
  /// Everything of runs and jobs that has to come back.
  std::string files() const {
    return shell(
               "cd t.db.runs/replayed && find . -mindepth 2 -printf '%p %y %m %n %T@ ' "
               "\\( -type f -exec cksum '{}' ';' -o -printf '\\n' \\) | grep -v packed/ | sort")
        .out;
  }
  std::string count() const {
    return std::string(trim(shell("find t.db.runs/replayed/*-a? | wc -l").out));
  }
  /// What a database that is new to the runs gets of them.
  std::string rows_of_new_database() const {
    shell("rm -f t.db t.db-wal t.db-shm");
    pippin("collect --quiet");
    return rows();
  }
  /// All that is stored, but when it was and which files need not be read again.
  std::string rows() const {
    return shell(
               "rm -f copy.db && sqlite3 t.db 'VACUUM INTO \"copy.db\"' && sqlite3 copy.db "
               "'UPDATE logs SET collected_at = 0; DELETE FROM read_files' .dump | sort")
        .out;
  }
};

}  // namespace

TEST_CASE("a packed sweep gives the same rows, status and logs, and comes back as it was") {
  const Finished here;
  const std::string rows = here.rows_of_new_database(), files = here.files();
  const std::string run = here.sql("SELECT min(name) FROM runs");
  const std::string status = here.pippin("status").out, log = here.pippin("tail " + run).out;
  REQUIRE_THAT(log, Contains("iteration"));
  const Call pack = here.pippin("pack replayed");
  CAPTURE(pack.err);
  CHECK(pack.exit_code == 0);
  CHECK(pack.out.empty());
  CHECK_THAT(pack.err, Contains("packed 12 runs: ") && Contains(" files and folders -> 2, "));
  CHECK(split(trim(pack.err), '\n').size() == 1);
  CHECK(here.count() == "0");
  CHECK(here.shell("ls t.db.runs/replayed/jobs").out.empty());
  CHECK(here.shell("ls t.db.runs/replayed/packed").out == "1.zip\n");
  CHECK(here.shell("cat t.db.runs/replayed/outcomes/* | wc -l").out == "12\n");
  CHECK(here.pippin("status").out == status);
  CHECK(here.pippin("tail " + run).out == log);
  CHECK_THAT(here.pippin("collect").err, Contains(": 0 runs, 0 iterations added"));
  CHECK(here.rows() == rows);
  CHECK(here.rows_of_new_database() == rows);
  CHECK_THAT(here.pippin("run s.yaml").err,
             Contains("campaign 1 of replayed was finished already"));
  CHECK(here.pippin("pack replayed").err == "nothing to pack\n");
  const Call undo = here.pippin("pack --undo replayed");
  CHECK(undo.exit_code == 0);
  CHECK_THAT(undo.err, Contains("unpacked "));
  CHECK(here.files() == files);
  CHECK(here.shell("ls t.db.runs/replayed").out.find("packed") == std::string::npos);
  CHECK_THAT(here.pippin("pack --undo replayed").err, Contains("nothing is packed"));
  CHECK(here.rows_of_new_database() == rows);
}

TEST_CASE("runs that were recorded before they were packed are not read again") {
  const Finished here;
  here.shell("find t.db.runs -exec touch -d '1 hour ago' {} +");
  here.pippin("collect --quiet");
  here.pippin("pack replayed");
  here.sql("UPDATE runs SET evidence = 'untouched'");
  here.pippin("collect --quiet");
  CHECK(here.sql("SELECT count(*) FROM runs WHERE evidence = 'untouched'") == "12");
}

TEST_CASE("pack says what it would do, what it leaves, and what it cannot do") {
  const Finished here;
  const std::string files = here.files();
  const Call would = here.pippin("pack replayed --dry-run");
  CHECK(would.exit_code == 0);
  CHECK_THAT(would.err, Contains("would pack 12 runs: "));
  CHECK(here.files() == files);
  here.shell("mv t.db aside.db");
  const Call unrecorded = here.pippin("pack replayed");
  CHECK(unrecorded.exit_code == 0);
  CHECK(unrecorded.err ==
        "nothing to pack\nleft as they are: 12 runs not in the database yet "
        "('pippin --db t.db collect' stores them)\n");
  CHECK(here.files() == files);
  here.shell("mv aside.db t.db");
  const Call held =
      here.shell("flock t.db.runs/replayed/lock bash -c '\"$PIPPIN\" --db t.db pack replayed'");
  CHECK(held.exit_code == 3);
  CHECK_THAT(held.err, Contains("t.db.runs/replayed/lock: held by"));
  CHECK(here.pippin("pack replayd").exit_code == 2);
  CHECK(here.pippin("pack replayed --undo --dry-run").exit_code == 2);
  CHECK(here.files() == files);
}

TEST_CASE("a log that was packed may be named, and what was deleted of it comes back") {
  const Finished here;
  const std::string run = here.sql("SELECT min(name) FROM runs"),
                    log(trim(here.shell("ls t.db.runs/replayed/" + run + "/*/log").out));
  here.pippin("pack replayed");
  CHECK_THAT(here.pippin("collect --explain " + log).out, Contains("iteration"));
  here.pippin("drop --forever --yes " + run);
  here.pippin("collect --quiet");
  CHECK(here.sql("SELECT count(*) FROM runs") == "11");
  here.pippin("collect --quiet " + log);
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
}

TEST_CASE("a damaged archive is one line that names it, for whoever looks into it") {
  const Finished here;
  here.pippin("pack replayed");
  here.shell("truncate -s 1000 t.db.runs/replayed/packed/1.zip");
  for (const char* words : {"status", "collect", "pack replayed", "pack --undo replayed"}) {
    const Call call = here.pippin(words);
    CAPTURE(words, call.err);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains("t.db.runs/replayed/packed/1.zip: the archive is damaged"));
    CHECK(split(trim(call.err), '\n').size() == 1);
  }
  CHECK(here.pippin("report").exit_code == 0);
}

TEST_CASE("what failed and was packed is run again on demand") {
  const Finished here(
      "sweep: replayed\ncluster: local\ngrid: {k: [1, 2]}\ngpus: 1\nrepeats: {allocations: 2}\n"
      "command: \"[ {k} = 1 ] || test -e mended && echo ' iteration 1/ 1 | elapsed time per "
      "iteration (ms): 5.0 | global batch size: 1 |'\"\n");
  REQUIRE(here.sql("SELECT sum(state = 'ok'), count(*) FROM runs") == "2|4");
  const std::string status = here.pippin("status").out;
  here.pippin("pack replayed");
  CHECK(here.count() == "0");
  CHECK(here.pippin("status").out == status);
  here.shell("touch mended");
  const Call again = here.pippin("run s.yaml --retry-failed");
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
  CHECK(here.sql("SELECT sum(state = 'ok'), count(*) FROM runs") == "4|4");
  here.wait_for_queue();
  const std::string rows = here.rows_of_new_database();
  CHECK(here.shell("ls -d t.db.runs/replayed/*-a? | wc -l").out == "2\n");
  here.pippin("pack replayed");
  CHECK(here.count() == "0");
  CHECK(here.rows_of_new_database() == rows);
  here.pippin("pack --undo replayed");
  CHECK(here.shell("ls -d t.db.runs/replayed/*/*/run | wc -l").out == "6\n");
  CHECK(here.rows_of_new_database() == rows);
}

TEST_CASE("while jobs run what is over is packed, and the rest later") {
  const Finished here;
  here.pippin("run s.yaml --again --quiet");
  here.wait_for_queue();
  // The second campaign's last job has its claim alone: the queue is to say that it runs.
  CHECK(here.shell("job=$(ls -d t.db.runs/replayed/jobs/* | tail -n 1) &&\n"
                   "ended=$(ls t.db.runs/.local/ended/*\"$(head -n 1 \"$job/journal\")\") &&\n"
                   "mv \"$ended\" t.db.runs/.local/running/ &&\n"
                   "flock \"t.db.runs/.local/running/${ended##*/}\" "
                   "\"$PIPPIN\" --db t.db pack replayed")
            .exit_code == 0);
  CHECK(here.shell("ls t.db.runs/replayed/jobs | wc -l").out == "1\n");
  CHECK(here.shell("ls -d t.db.runs/replayed/*-a? | wc -l").out == "4\n");
  here.shell("mv t.db.runs/.local/running/[0-9]* t.db.runs/.local/ended/");
  CHECK(here.pippin("pack replayed").exit_code == 0);
  CHECK(here.count() == "0");
  CHECK(here.sql("SELECT count(*) FROM runs") == "24");
  const std::string both = here.rows_of_new_database();
  here.pippin("pack --undo replayed");
  CHECK(here.rows_of_new_database() == both);
}

TEST_CASE("kills of pack and of its undo lose nothing") {
  const Finished here;
  const std::string rows = here.rows_of_new_database(), files = here.files();
  // Delays from 1 to 60 ms, so that kills fall into reading, writing and removing.
  for (const std::string words : {"pack replayed", "pack --undo replayed"}) {
    here.shell(
        "for i in $(seq 20); do\n"
        "  \"$PIPPIN\" --db t.db " +
        words +
        " >kill.txt 2>&1 & p=$!\n"
        "  sleep 0.0$(printf %02d $((i * 37 % 60 + 1))); kill -9 $p; wait $p\n"
        "done");
    CHECK(here.rows_of_new_database() == rows);
  }
  here.pippin("pack replayed");
  CHECK(here.count() == "0");
  CHECK(here.rows_of_new_database() == rows);
  here.pippin("pack --undo replayed");
  CHECK(here.files() == files);
}

TEST_CASE("another database takes over what a packed sweep measured") {
  const Finished here;
  here.pippin("pack replayed");
  CHECK(here.shell("\"$PIPPIN\" --db other.db merge t.db").exit_code == 0);
  CHECK(here.shell("sqlite3 other.db 'SELECT count(*) FROM runs'").out == "12\n");
  CHECK(here.shell("\"$PIPPIN\" --db t.db merge other.db").exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
}
