// SPDX-License-Identifier: Apache-2.0
// It writes nothing, and lives with a database that goes and comes.
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/serve/served.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Served;
using test::Workplace;

namespace {

/// Each file below the folder with its bytes, mode and time; without what the server itself prints.
std::string all_of(const Workplace& here) {
  const auto call = here.shell(
      "find . -mindepth 1 ! -name out.txt ! -name err.txt ! -name 'serve.*' -printf '%p %M %s "
      "%T@ %i\\n' | sort; find . -type f ! -name out.txt ! -name err.txt ! -name 'serve.*' "
      "-exec sha256sum {} + | sort");
  CHECK(call.err.empty());
  return call.out;
}

const std::vector<std::string>& pages() {
  static const std::vector<std::string> kPages{"/",
                                               "/report",
                                               "/report/replayed",
                                               "/report/replayed/1",
                                               "/report/collected",
                                               "/noise",
                                               "/noise/replayed",
                                               "/status/replayed",
                                               "/compare?base=replayed/1&new=replayed/2",
                                               "/compare",
                                               "/show/1",
                                               "/show/replayed",
                                               "/show/none",
                                               "/report/none",
                                               "/status/none",
                                               "/none"};
  return kPages;
}

/// A sweep that is begun and not finished, runs that were never summed up, and logs.
void fill(const Workplace& here) {
  std::string sweep = test::replay_sweep("");
  here.write("s.yaml", sweep.replace(sweep.find("0.005"), 5, "0"));
  here.pippin("--quiet run s.yaml");
  here.pippin("--quiet run s.yaml --again");
  here.pippin("--quiet collect '" + (test::source_directory() / "tests/data/logs").string() + "'");
}

}  // namespace

TEST_CASE("nothing is written when every page is visited, though there is something to sum up") {
  const Workplace here;
  fill(here);
  here.shell("sqlite3 t.db 'DELETE FROM point_summaries; DELETE FROM run_digests'");
  here.shell(
      "cd t.db.runs; touch .x.pippin-abcdefabcdef replayed/jobs/.x.pippin-abcdefabcdef "
      "replayed/.x.pippin-abcdefabcdef .local/ended/.x.pippin-abcdefabcdef");
  const std::string node = "/show/" + here.sql("SELECT name FROM nodes LIMIT 1");
  const std::string before = all_of(here);
  const Served served(here);
  CHECK(served.get(node).status == 200);
  for (int round = 0; round < 2; ++round) {
    for (const auto& page : pages()) {
      CAPTURE(page);
      CHECK(served.get(page).is_whole);
    }
  }
  CHECK(all_of(here) == before);
}

TEST_CASE("a large campaign's plan is not kept by who only shows it") {
  const Workplace here;
  here.pippin("--quiet collect '" + (test::source_directory() / "tests/data/logs").string() + "'");
  here.write("s.yaml", "sweep: s\ncommand: 'true {a} {b}'\ngrid: {a: [1, 2, 3, 4, 5], b: [" +
                           here.shell("seq --separator=, 1000").out + "]}\n");
  here.shell(
      "mkdir -m 700 .pippin-$(id -u); flock --close .pippin-$(id -u)/machine.lock bash -c "
      "'\"$PIPPIN\" --db t.db submit s.yaml && \"$PIPPIN\" --db t.db --yes cancel s'; "
      "sleep 3.2");  // until the manifest is old enough to be kept
  const std::string before = all_of(here);
  const Served served(here);
  CHECK(served.get("/status/s").status == 200);
  CHECK(all_of(here) == before);
}

TEST_CASE("a database that is gone is told, and one that comes back is shown") {
  const Workplace here;
  fill(here);
  const Served served(here);
  CHECK(served.get("/report/replayed").status == 200);
  here.shell("mv t.db away.db");
  for (const char* page : {"/report/replayed", "/", "/status/replayed"}) {
    const auto gone = served.get(page);
    CHECK(gone.status == 503);
    CHECK_THAT(gone.body, Contains("t.db: no such database"));
  }
  here.shell("echo 'no database' >t.db");
  const auto wrong = served.get("/report/replayed");
  CHECK(wrong.status == 503);
  CHECK_THAT(wrong.body, Contains("is no database"));
  here.shell("mv -f away.db t.db");
  CHECK(served.get("/report/replayed").status == 200);
}

TEST_CASE("a database that another takes the place of is shown as it is then") {
  const Workplace here;
  fill(here);
  const Served served(here);
  CHECK(served.get("/report/replayed").status == 200);
  here.shell("mkdir new; cd new; \"$PIPPIN\" --db t.db --quiet collect '" +
             (test::source_directory() / "tests/data/trainers/verl.log").string() +
             "'; mv t.db ../t.db");
  CHECK(served.get("/report/replayed").status == 404);
  CHECK_THAT(served.get("/report/collected").body, Contains("verl"));
}

TEST_CASE("a database that may only be read is served") {
  const Workplace here;
  fill(here);
  here.shell("chmod 400 t.db; chmod 500 .");
  {
    // root may write all the same; what counts is that nothing is
    const auto before = here.shell("sha256sum t.db").out;
    here.shell("chmod 700 .");
    const Served served(here);
    here.shell("chmod 500 .");
    for (const auto& page : pages()) CHECK(served.get(page).is_whole);
    here.shell("chmod 700 .");
    CHECK(here.shell("sha256sum t.db").out == before);
  }
}
