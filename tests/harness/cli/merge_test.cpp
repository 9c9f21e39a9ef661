// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

/// A colleague's database, o.db, of a sweep that has run there, and is called as ours.
struct Two : Workplace {
  Two() {
    write("s.yaml", test::replay_sweep(""));
    shell("\"$PIPPIN\" --db o.db run s.yaml --quiet");
  }
};

}  // namespace

TEST_CASE("a colleague's results are there after a merge, once") {
  const Two here;
  const Call merge = here.pippin("merge o.db");
  CHECK(merge.exit_code == 0);
  CHECK(merge.err == "o.db: 1 campaign, 12 runs, 60 iterations added\n");
  CHECK(here.pippin("report").out == here.shell("\"$PIPPIN\" --db o.db report").out);
  CHECK(here.pippin("merge o.db").err == "o.db: nothing added\n");
  CHECK(here.pippin("merge t.db").err == "t.db: nothing added\n");
}

TEST_CASE("own campaigns go on beside those of a colleague") {
  const Two here;
  here.pippin("merge o.db --quiet");
  CHECK(here.pippin("run s.yaml --quiet").exit_code == 0);
  CHECK(here.sql("SELECT group_concat(number) FROM campaigns") == "1,2");
  CHECK(here.sql("SELECT count(*) FROM runs") == "24");
  // With another seed, as what is begun and run within one second is told apart by its plan alone.
  here.write("other.yaml", test::replay_sweep("seed: 2\n"));
  here.shell("\"$PIPPIN\" --db o.db run other.yaml --again --quiet");
  const Call merge = here.pippin("merge o.db");
  CHECK(merge.err ==
        "o.db: 1 campaign, 12 runs, 60 iterations added\n"
        "o.db: replayed/2 is replayed/3 here; another campaign has that number\n");
  CHECK(here.pippin("merge o.db").err == "o.db: nothing added\n");
  CHECK(here.pippin("collect").exit_code == 0);
  CHECK(here.pippin("run s.yaml --again --quiet").exit_code == 0);
  CHECK(here.sql("SELECT group_concat(number) FROM campaigns") == "1,2,3,4");
  CHECK(here.sql("SELECT count(*) FROM runs") == "48");
}

TEST_CASE("what cannot be merged is one line, and makes or changes nothing") {
  const Two here;
  here.write("text.db", "no database");
  for (const std::string other : {"none.db", "text.db"}) {
    const Call merge = here.pippin("merge " + other);
    CHECK(merge.exit_code == 2);
    CHECK_THAT(merge.err, Contains("pippin: " + other + ": "));
    CHECK(split(trim(merge.err), '\n').size() == 1);
  }
  CHECK(here.sql("SELECT count(*) FROM campaigns") == "0");
}
