// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "db/migrate.h"
#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::add;
using test::log_of;
using test::runs_in;

TEST_CASE("a log collected again adds nothing wherever it lies") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const Added first = add(database, "a.out", log_of(1, 20));
  CHECK(first.logs == 1);
  CHECK(first.runs == 1);
  CHECK(first.iterations == 20);
  for (const char* path : {"a.out", "b.out", "/elsewhere/a.out"}) {
    const Added again = add(database, path, log_of(1, 20));
    CHECK(again.logs + again.runs + again.iterations == 0);
  }
  CHECK(runs_in(database) == 1);
}

TEST_CASE("a log that has grown adds what is new to the run it had") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string whole = log_of(1, 60) + test::dump() + test::row(3, 50);
  std::int64_t iterations = 0;
  for (const std::size_t size : {1400u, 3000u, 3001u, 9000u, 15000u}) {
    const Added added = add(database, "a.out", whole.substr(0, size));
    CHECK(added.logs == (size == 1400 ? 1 : 0));
    iterations += added.iterations;
  }
  CHECK(runs_in(database) == 1);
  const Added last = add(database, "a.out", whole);
  CHECK(last.runs == 1);
  CHECK(iterations + last.iterations == 61);
  const auto samples = database.samples();
  REQUIRE(samples.size() == 1);
  REQUIRE(samples[0].runs.size() == 2);
  CHECK(database.lines_of(samples[0].runs[0].id).size() == 60);
  CHECK(samples[0].runs[0].allocation == samples[0].runs[1].allocation);
  CHECK(samples[0].runs[0].run == "a");
  CHECK(samples[0].runs[1].run == "a-2");
}

TEST_CASE("a log that has grown is known again wherever it lies") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  // Of repeats, which share their header and more than its first 4 KiB.
  for (const double shift : {0.0, 0.25, 0.5})
    add(database, fmt::format("{}.out", shift), log_of(1, 40, shift));
  const Added grown = add(database, "copied/elsewhere.out", log_of(1, 60, 0.25));
  CHECK(grown.logs + grown.runs == 0);
  CHECK(grown.iterations == 20);
  CHECK(runs_in(database) == 3);
}

TEST_CASE("a log that had no line yet is known again when it has some") {
  for (const std::size_t filler : {0, 6000}) {
    const test::TemporaryDirectory folder;
    Database database(folder / "t.db");
    const std::string header = test::dump(test::argument("note", std::string(filler, 'x')));
    add(database, "a.out", header);
    const std::string other = test::dump(test::argument("note", std::string(filler, 'x') + "y"));
    add(database, "other.out", other + "RuntimeError: CUDA out of memory\n");
    CHECK(runs_in(database) == 2);
    CHECK(add(database, "copied/a.out", header + test::row(1, 100)).logs == 0);
    CHECK(runs_in(database) == 2);
    // And the copy of what it was is older than it.
    disk().write(folder / "a.out", header + test::row(1, 100) + test::row(2, 100));
    CHECK(add(database, folder / "a.out", header + test::row(1, 100) + test::row(2, 100)).logs ==
          0);
    CHECK(add(database, "b.out", header).logs == 0);
    // Another that failed with the same header is a run of its own.
    CHECK(add(database, "c.out", other + "RuntimeError: of its own\n").logs == 1);
  }
}

TEST_CASE("a log of an older database is known again when it has grown") {
  const test::TemporaryDirectory folder;
  constexpr std::size_t kBefore = 11;  // migrations
  {
    Database database(folder / "new.db");
    add(database, "a.out", log_of(1, 40));
  }
  {
    db::Connection old(folder / "t.db", true);
    for (std::size_t i = 0; i < kBefore; ++i) old.run(std::string(migrations()[i].text));
    old.run(fmt::format("PRAGMA application_id = 1885958256; PRAGMA user_version = {}", kBefore));
    old.run(fmt::format("ATTACH '{}' AS new", (folder / "new.db").string()));
    for (const char* table :
         {"points", "point_axes", "allocations", "logs", "runs", "iterations", "arguments"}) {
      const std::string columns = test::sql_text(
          old,
          fmt::format("SELECT group_concat(name) FROM pragma_table_info('{}', 'main')", table));
      old.run(fmt::format("INSERT INTO main.{0} ({1}) SELECT {1} FROM new.{0}", table, columns));
    }
  }
  Database database(folder / "t.db");
  const Added grown = add(database, "copied/a.out", log_of(1, 50));
  CHECK(grown.logs == 0);
  CHECK(grown.iterations == 10);
}

TEST_CASE("a log first read before its header was whole leaves no point behind") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string whole = log_of(1, 3);
  add(database, "a.out", whole.substr(0, whole.find("  pipeline_model")));
  add(database, "a.out", whole);
  db::Connection connection(folder / "t.db", false);
  CHECK(connection.number("SELECT count(*) FROM points") == 1);
  CHECK(connection.number("SELECT count(DISTINCT point) FROM point_axes") == 1);
}

TEST_CASE("an older copy of a log that is known adds nothing") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string whole = log_of(1, 60);
  add(database, "a.out", whole);
  for (const std::size_t size : {1400u, 3500u, 9000u, 15000u}) {
    CAPTURE(size);
    const Added added = add(database, "copy.out", whole.substr(0, size));
    CHECK(added.logs + added.runs + added.iterations == 0);
  }
  CHECK(runs_in(database) == 1);
}

TEST_CASE("logs with equal headers are runs of their own") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  add(database, "monday/main.out", log_of(1, 60));
  add(database, "friday/main.out", log_of(1, 20, 0.5));
  add(database, "sunday/main.out", log_of(1, 60, 0.7));
  const auto samples = database.samples();
  REQUIRE(samples.size() == 1);
  REQUIRE(samples[0].runs.size() == 3);
  CHECK(samples[0].runs[0].run == "main");
  CHECK(samples[0].runs[1].run.substr(0, 5) == "main-");
  CHECK(samples[0].runs[1].run != samples[0].runs[2].run);
  CHECK(samples[0].runs[0].allocation != samples[0].runs[1].allocation);
}

TEST_CASE("a shorter log that ended otherwise is no older copy") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  add(database, "a.out", log_of(1, 20));
  add(database, "b.out", log_of(1, 10) + "RuntimeError: CUDA out of memory. Tried to allocate\n");
  CHECK(runs_in(database) == 2);
}

TEST_CASE("an older copy whose launches had ended as they did adds nothing") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string first = log_of(1, 30) + "RuntimeError: CUDA out of memory. Tried to allocate\n";
  add(database, "a.out", first + log_of(1, 30, 0.5));
  const Added added = add(database, "copy.out", first + log_of(1, 10, 0.5));
  CHECK(added.logs + added.runs + added.iterations == 0);
  CHECK(runs_in(database) == 2);
}

TEST_CASE("short logs are told apart in whatever order of size they come") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  for (int rows = 4; rows > 0; --rows)
    CHECK(add(database, std::to_string(rows) + ".out", log_of(1, rows, rows / 10.0)).runs == 1);
  for (int rows = 1; rows <= 4; ++rows)
    CHECK(add(database, std::to_string(rows) + ".out", log_of(1, rows, rows / 10.0)).runs == 0);
}

TEST_CASE("a better scraper may read a known log again") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string log = log_of(1, 20);
  auto runs = scrape(log);
  runs[0].iterations = Iterations(runs[0].iterations.first(19));
  database.add_foreign_log({"a.out", log}, runs);
  runs = scrape(log);
  CHECK(database.add_foreign_log({"a.out", log}, runs).iterations == 0);
  runs[0].scraper_version += 1;
  CHECK(database.add_foreign_log({"a.out", log}, runs).iterations == 1);
  CHECK(runs_in(database) == 1);
}

TEST_CASE("a better scraper may see one launch where two were") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string log = log_of(1, 20) + log_of(1, 10);
  auto runs = scrape(log);
  REQUIRE(runs.size() == 2);
  database.add_foreign_log({"a.out", log}, runs);
  runs.pop_back();
  runs[0].scraper_version += 1;
  CHECK(database.add_foreign_log({"a.out", log}, runs).runs == 0);
  CHECK(runs_in(database) == 1);
  db::Connection connection(folder / "t.db", false);
  CHECK(connection.number("SELECT count(*) FROM iterations") == 20);
}

TEST_CASE("a log that was moved is known where it lies now and a copy changes nothing") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string log = log_of(1, 5);
  const auto place = [&] { return test::sql_text(folder / "t.db", "SELECT path FROM logs"); };
  for (const char* name : {"a.out", "b.out"}) {
    disk().write(folder / name, log);
    add(database, folder / name, log);
  }
  CHECK(place() == (folder / "a.out").string());
  fs::remove(folder / "a.out");
  add(database, folder / "b.out", log);
  CHECK(place() == (folder / "b.out").string());
}

TEST_CASE("a launch that does not say how it ended is judged by its iterations") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  add(database, "a.out", log_of(1, 2));
  add(database, "b.out", "booting\n" + test::dump());
  add(database, "c.out", "late\n" + test::dump() + "[after training is done] datetime: today\n");
  const auto samples = database.samples();
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].runs[0].state == RunState::kOk);
  CHECK(samples[0].runs[1].state == RunState::kFailed);
  CHECK(samples[0].runs[2].state == RunState::kFailed);
  CHECK_THAT(samples[0].runs[2].evidence, Catch::StartsWith("the log has no step with a time"));
}

TEST_CASE("a run whose log has a line every so often came to its end where none was due") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const auto came_to = [&](const std::string& name, int interval, int last) {
    std::string log = test::dump();
    for (int number = interval; number <= last; number += interval)
      log += fmt::format(" iteration {:8}/ 100 | elapsed time per iteration (ms): {}.0 |\n", number,
                         last + number);
    add(database, name, log);
    db::Connection connection(folder / "t.db", false);
    return connection.number("SELECT last_iteration FROM runs ORDER BY id DESC LIMIT 1");
  };
  CHECK(came_to("whole.out", 30, 90) == 100);
  CHECK(came_to("cut.out", 30, 60) == 60);
  CHECK(came_to("each.out", 1, 99) == 99);
  CHECK(came_to("last.out", 1, 100) == 100);
}

TEST_CASE("a run that has one time for all its steps came to the last of them") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const auto came_to = [&](int last) {
    std::string log;
    for (const char* words :
         {"***** Running training *****", "  Num examples = 1,000", "  Num Epochs = 1",
          "  Instantaneous batch size per device = 4",
          "  Total train batch size (w. parallel, distributed & accumulation) = 64",
          "  Gradient Accumulation steps = 2", "  Total optimization steps = 40",
          "  Number of trainable parameters = 1,300,000,000"})
      log += fmt::format("[INFO|trainer.py:2134] 2026-06-01 10:00:00,284 >> {}\n", words);
    for (int step = 1; step <= last; ++step)
      log += fmt::format("\r {}%|###| {}/40 [00:{:02}<00:10,  2.00s/it]", step * 100 / 40, step,
                         6 + 2 * (step % 27));
    add(database, fmt::format("cut-at-{}.out", last), log + "\n");
    db::Connection connection(folder / "t.db", false);
    return connection.number("SELECT last_iteration FROM runs ORDER BY id DESC LIMIT 1");
  };
  CHECK(came_to(19) == 19);
  CHECK(came_to(26) == 26);
}

TEST_CASE("an interval or a step that no run has says nothing of its last iteration") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string rows = test::row(8, 100, 0, 20) + test::row(9, 101, 0, 20);
  add(database, "a.out", test::dump(test::argument("log_interval", "1e300")) + rows);
  add(database, "b.out",
      test::dump() +
          " iteration 9223372036854775806/ 9223372036854775807 | elapsed time per iteration (ms): "
          "100.0 |\n");
  CHECK(test::sql_text(folder / "t.db", "SELECT group_concat(last_iteration) FROM runs") ==
        "9,9223372036854775806");
}

TEST_CASE("a text without runs is not stored") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  CHECK(add(database, "a.md", "nothing").logs == 0);
  CHECK(database.samples().empty());
}
