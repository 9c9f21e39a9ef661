// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

struct Stored {
  test::TemporaryDirectory folder;
  Database database{folder / "t.db"};

  Stored() {
    for (std::int64_t number : {1, 2}) database.put_campaign(test::campaign_of(number));
  }
  std::string selected(const std::string& name) {
    const auto filter = database.selection(name);
    if (!filter) return "none";
    return filter->sweep.value_or("-") + " " +
           (filter->campaign ? std::to_string(*filter->campaign) : "all");
  }
};

/// A table of rows of one point, as somebody wrote them down.
NotedSweep noted(const std::string& sweep, const std::vector<std::string>& notes) {
  NotedSweep table;
  table.campaign = test::campaign_of();
  table.campaign.sweep = sweep;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    NotedRecord record;
    record.run = test::run_of("f.md:" + std::to_string(i + 3), "");
    record.run.place = {sweep, 1, "f.md", 1, 1, static_cast<std::int64_t>(i) + 1};
    record.run.log = LogRun();
    record.run.log->arguments = {{"notes", value_of(notes[i])}};
    record.note = notes[i];
    table.runs.push_back(record);
  }
  return table;
}

}  // namespace

TEST_CASE("a campaign is named by its sweep and number, or by a tag, which moves") {
  Stored stored;
  CHECK(stored.selected("gpt") == "gpt all");
  CHECK(stored.selected("gpt/1") == "gpt 1");
  CHECK(stored.selected("gpt/2") == "gpt 2");
  CHECK(stored.selected("gpt/3") == "none");
  CHECK(stored.selected("base") == "none");
  stored.database.put_tag("base", {"gpt", 1});
  CHECK(stored.selected("base") == "gpt 1");
  stored.database.put_tag("base", {"gpt", {}});
  CHECK(stored.selected("base") == "gpt 2");
  CHECK_THROWS_WITH(stored.database.put_tag("gpt", {"gpt", 1}),
                    Catch::Contains("t.db: 'gpt' is the name of a sweep; choose another tag"));
  CHECK_THROWS_WITH(stored.database.put_tag("x", {"gpt", 9}),
                    Catch::Contains("t.db: there is no campaign 9 of a sweep 'gpt'"));
  CHECK_THROWS_WITH(stored.database.put_tag("x", {"no", {}}),
                    Catch::Contains("t.db: there is no campaign of a sweep 'no'"));
}

TEST_CASE("people's names of campaigns have their number behind the last stroke") {
  CHECK(campaign_name_of("gpt").sweep == "gpt");
  CHECK_FALSE(campaign_name_of("gpt").number);
  CHECK(campaign_name_of("gpt/12").sweep == "gpt");
  CHECK(campaign_name_of("gpt/12").number == 12);
  CHECK(campaign_name_of("a/b/2").sweep == "a/b");
  CHECK(campaign_name_of("a/b").sweep == "a/b");
  CHECK_FALSE(campaign_name_of("a/b").number);
}

TEST_CASE("a campaign's recorded runs are named, and why one of them ended as it did") {
  Stored stored;
  auto first = test::run_of("r", "", 1), again = test::run_of("r", "", 2);
  first.evidence = "killed";
  again.evidence = "out of memory";
  auto other = test::run_of("o", "");
  other.place.campaign = 2;
  for (const auto& run : {first, again, other}) stored.database.put_run(run);
  std::set<std::string> names;
  stored.database.each_recorded_run({"gpt", 1}, [&](const std::string& run) { names.insert(run); });
  CHECK(names == std::set<std::string>{"r"});
  CHECK(stored.database.recorded_evidence({"gpt", 1}, "r") == "out of memory");
  CHECK(stored.database.recorded_evidence({"gpt", 1}, "o").empty());
  CHECK(stored.database.recorded_evidence({"gpt", 2}, "r").empty());
}

TEST_CASE(
    "the good runs of a campaign are those of that beginning alone, whatever their attempts") {
  Stored stored;
  auto lost = test::run_of("r", "", 1001), good = test::run_of("r", "", 2);
  auto failed = test::run_of("f", "");
  lost.state = RunState::kMissing;
  good.state = RunState::kOk;
  failed.state = RunState::kFailed;
  for (const auto& run : {lost, good, failed}) stored.database.put_run(run);
  const auto names = [&](const std::string& started) {
    std::set<std::string> all;
    stored.database.each_good_run({"gpt", 1}, started,
                                  [&](const std::string& run) { all.insert(run); });
    return all;
  };
  CHECK(names("2024-04-06T03:02:12Z") == std::set<std::string>{"r"});
  CHECK(names("2025-04-06T03:02:12Z").empty());
}

TEST_CASE("runs are found by name or number, with the campaign that they are of") {
  Stored stored;
  stored.database.put_run(test::run_of("r", ""));
  auto second = test::run_of("r", "");
  second.place.campaign = 2;
  stored.database.put_run(second);
  test::add(stored.database, "r.out", test::log_of(1, 2));
  const auto runs = stored.database.runs_named("r");
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].campaign.sweep == "gpt");
  CHECK(runs[0].campaign.number == 1);
  CHECK(runs[1].campaign.number == 2);
  CHECK(runs[2].campaign.sweep.empty());
  CHECK_FALSE(runs[2].campaign.number);
  const auto by_number = stored.database.runs_named(std::to_string(runs[1].id));
  REQUIRE(by_number.size() == 1);
  CHECK(by_number[0].id == runs[1].id);
  CHECK(by_number[0].name == "r");
  CHECK(stored.database.runs_named("none").empty());
}

TEST_CASE("noted results replace what their document said before and keep what people added") {
  Stored stored;
  stored.database.put_noted({noted("f", {"one", "two"})});
  using Notes = std::vector<std::vector<std::string>>;
  const auto notes_of = [&] {
    Notes notes;
    const auto samples = stored.database.samples({"f", {}});
    for (const auto& run : samples.at(0).runs) notes.push_back(run.notes);
    return notes;
  };
  CHECK(notes_of() == Notes{{"one"}, {"two"}});
  stored.database.put_note({stored.database.runs_named("f.md:4").at(0).id}, "mine");
  stored.database.put_noted({noted("f", {"three", "four"})});
  CHECK(notes_of() == Notes{{"three"}, {"four", "mine"}});
  stored.database.put_noted({noted("f", {"three"})});
  CHECK(notes_of() == Notes{{"three"}});
}

TEST_CASE("of noted runs that are replaced no allocation is left") {
  Stored stored;
  stored.database.put_noted({noted("f", {"one", "two"}), noted("g", {"three"})});
  const std::string empty =
      "SELECT count(*) FROM allocations WHERE id NOT IN (SELECT allocation FROM runs)";
  stored.database.put_noted({noted("g", {"four"}), noted("f", {"five"})});
  CHECK(test::sql_text(stored.folder / "t.db", empty) == "0");
  test::sql_text(stored.folder / "t.db",
                 "INSERT INTO allocations (name) VALUES ('of something else') RETURNING id");
  CHECK(test::sql_text(stored.folder / "t.db", empty) == "1");
  stored.database.put_noted({noted("f", {"six"})});
  CHECK(test::sql_text(stored.folder / "t.db", empty) == "0");
}

TEST_CASE("what was measured and what was noted share no sweep") {
  Stored stored;
  CHECK_THROWS_WITH(stored.database.put_noted({noted("f", {"a"}), noted("gpt", {"b"})}),
                    Catch::Contains("t.db: a sweep 'gpt' was measured; noted results"));
  CHECK(stored.selected("f") == "none");  // all or nothing
  stored.database.put_noted({noted("f", {"a"})});
  auto campaign = test::campaign_of(2);
  campaign.sweep = "f";
  CHECK_THROWS_WITH(stored.database.put_campaign(campaign),
                    Catch::Contains("t.db: the results of a sweep 'f' were noted by hand"));
}
