// SPDX-License-Identifier: Apache-2.0
#include "db/names.h"

#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

/// "NAME (what), …".
std::string names_of(const fs::path& path, NameKind kind, std::string_view prefix = "") {
  std::string text;
  for (const auto& known : names_in(path, kind, prefix))
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", known.name, known.what);
  return text;
}

}  // namespace

TEST_CASE("everything that has a name can be listed while it is written to") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "a?b#%.db";
  Database database(path);
  database.put_campaign(test::campaign_of());
  database.put_campaign(test::campaign_of(2));
  database.put_tag("good", {"gpt", 2});
  database.put_run(test::run_of("52b-tp2-a1", test::log_of(1, 3)));
  CHECK(names_of(path, NameKind::kSweeps) == "gpt (sweep)");
  CHECK(names_of(path, NameKind::kCampaigns) ==
        "gpt/1 (campaign of 2024-04-06), gpt/2 (campaign of 2024-04-06)");
  CHECK(names_of(path, NameKind::kTags) == "good (tag of gpt/2)");
  CHECK(names_of(path, NameKind::kSelections, "g") ==
        "gpt (sweep), gpt/1 (campaign of 2024-04-06), gpt/2 (campaign of 2024-04-06), good (tag of "
        "gpt/2)");
  CHECK(names_of(path, NameKind::kRuns) == "52b-tp2-a1 (ok)");
  CHECK(names_of(path, NameKind::kPoints, "52b-tp2") == "52b-tp2 ()");
  CHECK(names_of(path, NameKind::kAxes) == "offload (axis), zero (axis)");
  CHECK(names_of(path, NameKind::kRuns, "%").empty());
}

TEST_CASE("names of what cannot be read are none") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "text", "no database");
  db::Connection(folder / "other.db", true).run("CREATE TABLE sweeps (x)");
  for (const char* name : {"none.db", "text", "other.db", "."}) {
    CAPTURE(name);
    CHECK(names_in(folder / name, NameKind::kSelections, "").empty());
  }
  CHECK(disk().list(folder.path()) == std::vector<std::string>{"other.db", "text"});
}

TEST_CASE("names of a database at rest are read without a file beside it") {
  const test::TemporaryDirectory folder;
  Database(folder / "t.db").put_campaign(test::campaign_of());
  CHECK(names_of(folder / "t.db", NameKind::kSweeps) == "gpt (sweep)");
  CHECK(disk().list(folder.path()) == std::vector<std::string>{"t.db"});
}
