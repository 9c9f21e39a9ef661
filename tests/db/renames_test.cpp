// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "tests/db/dying_disk.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"

using namespace pippin;
using Catch::Contains;
using Folders = std::map<std::string, std::string>;

namespace {

struct Filled {
  Filled() : path(folder / "t.db"), database(path) {
    database.put_campaign(test::campaign_of());
    database.put_run(test::run_of("a", test::log_of(1, 3)));
    database.put_tag("good", {"gpt", 1});
  }

  test::TemporaryDirectory folder;
  fs::path path;
  Database database;
};

}  // namespace

TEST_CASE("a sweep that is renamed keeps its runs, its kept rows and its folder") {
  Filled here;
  Summary row;
  row.sweep = "gpt";
  row.point = test::point_named("52b-tp2", 2);
  here.database.put_rows({"gpt", {}}, {row}, 1, here.database.moment());
  CHECK(here.database.rename("gpt", "gpt/autumn"));
  CHECK(here.database.samples({"gpt/autumn", 1})[0].runs.size() == 1);
  CHECK_FALSE(here.database.selection("gpt"));
  CHECK(test::sql_text(here.path, "SELECT sweep FROM point_summaries") == "gpt/autumn");
  CHECK(here.database.folders() == Folders{{"gpt/autumn", "gpt"}});
  here.database.rename("gpt/autumn", "third");
  CHECK(here.database.folders() == Folders{{"third", "gpt"}});
  here.database.rename("third", "gpt");
  CHECK(here.database.folders() == Folders{{"gpt", "gpt"}});
}

TEST_CASE("a tag is renamed, a name that is taken or unknown is not") {
  Filled here;
  CHECK(here.database.rename("good", "better"));
  CHECK(here.database.selection("better")->campaign == 1);
  CHECK_FALSE(here.database.selection("good"));
  CHECK_FALSE(here.database.rename("good", "best"));
  CHECK_THROWS_WITH(here.database.rename("better", "gpt"), Contains("there is a sweep 'gpt'"));
  CHECK_THROWS_WITH(here.database.rename("gpt", "better"), Contains("there is a tag 'better'"));
}

TEST_CASE("a kill at any step of a rename leaves before or after") {
  Filled here;
  db::Connection(here.path, false).run("PRAGMA wal_checkpoint(TRUNCATE)");
  test::check_kills(here.path, [](Database& database) { database.rename("gpt", "new"); });
}
