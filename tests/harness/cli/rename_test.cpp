// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

struct Used : Workplace {
  Used() {
    write("s.yaml", test::replay_sweep(""));
    pippin("run s.yaml --quiet");
    pippin("tag replayed good --quiet");
  }
};

}  // namespace

TEST_CASE("a sweep is renamed, its logs stay where they are, and its new name goes on with it") {
  const Used here;
  const Call rename = here.pippin("rename replayed autumn");
  CAPTURE(rename.err);
  CHECK(rename.exit_code == 0);
  CHECK_THAT(rename.err, Contains("'replayed' is called 'autumn' now") &&
                             Contains("write 'sweep: autumn' in its file"));
  CHECK(here.shell("sqlite3 t.db 'SELECT path FROM logs' | xargs -n 1 test -e").exit_code == 0);
  CHECK_THAT(here.pippin("status").out, Contains("autumn campaign 1"));
  CHECK_THAT(here.pippin("status autumn").out, Contains("autumn campaign 1"));
  here.pippin("collect --quiet");
  CHECK(here.sql("SELECT group_concat(name) FROM sweeps") == "autumn");
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
  const Call old = here.pippin("run s.yaml");
  CHECK(old.exit_code == 2);
  CHECK_THAT(old.err, Contains("'replayed' is called 'autumn' now: write 'sweep: autumn'"));
  here.shell("sed -i 's/sweep: replayed/sweep: autumn/' s.yaml");
  CHECK_THAT(here.pippin("run s.yaml").err, Contains("campaign 1 of autumn was finished already"));
  CHECK(here.pippin("run s.yaml --again --quiet").exit_code == 0);
  CHECK(here.sql("SELECT group_concat(number) FROM campaigns") == "1,2");
  CHECK(here.pippin("rename autumn replayed").exit_code == 0);
  here.pippin("collect --quiet");
  CHECK(here.sql("SELECT count(*) FROM runs") == "24");
  CHECK(here.sql("SELECT group_concat(name) FROM sweeps") == "replayed");
}

TEST_CASE("rename refuses what is taken, unknown or no name, in one line") {
  const Used here;
  here.shell("mkdir t.db.runs/begun");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"rename replayed good", "there is a tag 'good' already"},
      {"rename good replayed", "there is a sweep 'replayed' already"},
      {"rename replayd new", "no sweep or tag is named 'replayd', did you mean 'replayed'?"},
      {"rename replayed/1 new", "'pippin tag replayed/1 NAME' gives it one"},
      {"rename replayed new/2", "a name is no number behind a '/'"},
      {"rename replayed ''", "a name is no number behind a '/'"},
      {"rename replayed begun", "is of another sweep"},
  };
  for (const auto& [words, message] : cases) {
    const Call call = here.pippin(words);
    CAPTURE(words, call.err);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains(message));
    CHECK(split(trim(call.err), '\n').size() == 1);
  }
  CHECK(here.pippin("rename good better").err == "'good' is called 'better' now\n");
  CHECK(here.pippin("report better").exit_code == 0);
}
