// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

/// A sweep of 12 runs that ended an hour ago, and was collected since.
struct Collected : Workplace {
  Collected() {
    write("s.yaml", test::replay_sweep(""));
    pippin("run s.yaml --quiet");
    log = trim(shell("ls t.db.runs/replayed/*-a1/*/log | head -n 1").out);
    age();
    CHECK(collect() == "t.db.runs: 0 runs, 0 iterations added");
  }
  /// As if all files had been written an hour ago.
  void age() const { shell("find t.db.runs -exec touch -d '1 hour ago' {} +"); }
  std::string collect() const {
    const std::string words(trim(pippin("collect").err));
    return words.substr(words.rfind('/') + 1);
  }
  std::string known() const { return sql("SELECT count(*), sum(log IS NOT NULL) FROM read_files"); }

  std::string log;
};

}  // namespace

TEST_CASE("runs that are recorded and did not change are not read again") {
  const Collected here;
  CHECK(here.known() == "13|12");  // with the file of the campaign
  // What is read again would be seen.
  here.sql("UPDATE runs SET evidence = 'untouched'");
  CHECK(here.collect() == "t.db.runs: 0 runs, 0 iterations added");
  CHECK(here.sql("SELECT count(*) FROM runs WHERE evidence = 'untouched'") == "12");
}

TEST_CASE("a log that has grown, and the runs beside it that did not") {
  const Collected here;
  here.sql("UPDATE runs SET evidence = 'untouched'");
  here.shell("grep -h iteration '" + here.log +
             "' | tail -n 1 | sed 's/iteration  *[0-9]*/iteration 99/' >line && "
             "cat line >>'" +
             here.log + "' && touch -d '30 minutes ago' '" + here.log + "'");
  CHECK(here.collect() == "t.db.runs: 0 runs, 1 iteration added");
  CHECK(here.sql("SELECT count(*) FROM runs WHERE evidence = 'untouched'") == "11");
  CHECK(here.known() == "13|12");
  CHECK(here.collect() == "t.db.runs: 0 runs, 0 iterations added");
}

TEST_CASE("another attempt, another exit code and a changed campaign are noticed") {
  const Collected here;
  const auto count_touched = [&] {
    const std::string touched =
        here.sql("SELECT count(*) FROM runs WHERE evidence IS NOT 'untouched'");
    here.sql("UPDATE runs SET evidence = 'untouched'");
    return touched;
  };
  count_touched();
  here.shell("sed -i 's/exit=0/exit=1/' \"$(dirname '" + here.log + "')/run\"");
  here.collect();
  CHECK(count_touched() == "1");
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'failed'") == "1");
  here.age();
  here.collect();
  CHECK(count_touched() == "12");  // all of them have another time now
  here.shell("d=$(dirname '" + here.log + "'); cp -r \"$d\" \"${d%/*}/9-local-0\"");
  here.collect();
  CHECK(count_touched() == "1");
  here.age();
  here.collect();
  count_touched();
  here.shell("touch t.db.runs/replayed/campaign-1.json");
  here.collect();
  CHECK(count_touched() == "0");  // the plan is stored again, the runs are known
}

TEST_CASE("what was deleted stays so, though its files did not change, until it is named") {
  const Collected here;
  const std::string run =
      here.log.substr(0, here.log.find('/', std::string("t.db.runs/replayed/").size()));
  here.pippin("drop --forever --yes " + run.substr(run.rfind('/') + 1));
  CHECK(here.known() == "12|11");
  here.collect();
  CHECK(here.sql("SELECT count(*) FROM runs") == "11");
  here.pippin("collect --quiet '" + here.log + "'");
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
}

TEST_CASE("a folder around the runs does not stand for them") {
  const Collected here;
  here.shell("rm -f t.db t.db-wal t.db-shm");
  here.pippin("collect --quiet .");
  CHECK(here.sql("SELECT count(*) FROM read_files WHERE path LIKE '%t.db.runs%'") == "0");
  here.collect();
  CHECK(here.sql("SELECT count(*) FROM runs JOIN allocations ON allocations.id = runs.allocation "
                 "WHERE campaign IS NOT NULL") == "12");
}

TEST_CASE("an attempt that turns out to have measured nothing hides no later one") {
  const Collected here;
  here.shell("cd \"$(dirname '" + here.log +
             "')\" && cp -r . ../9-local-0 && echo nothing >log && "
             "echo \"$(sed 's/ended=[0-9]*/ended=1/' done)\" >done");
  here.age();
  here.sql("DELETE FROM read_files");
  here.collect();
  here.collect();
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == "12");
}

TEST_CASE("a database that is new to its runs reads them all") {
  const Collected here;
  here.shell("rm -f t.db t.db-wal t.db-shm");
  CHECK_THAT(here.collect(), Contains("t.db.runs: 12 runs, "));
}
