// SPDX-License-Identifier: Apache-2.0
#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

TEST_CASE("unlike points of one name get their ids behind it") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  for (const char* fusion : {"True", "False"}) {
    test::add(database, fusion,
              test::dump(test::argument("bias_gelu_fusion", fusion)) + test::row(1, 100));
  }
  const auto samples = database.samples();
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].point.name != samples[1].point.name);
  CHECK(samples[0].point.name ==
        "l2-h64-tp2-pp2-dp1-mbs2-gas4-" + samples[0].point.id.substr(0, 4));
}

TEST_CASE("memory and recomputation come with the run") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "a",
            test::dump(test::argument("checkpoint_activations", "True")) + test::row(1, 100) +
                "[Rank 0] (after 1 iterations) memory (MB) | max allocated: 7.5 |\n"
                "[Rank 3] (after 1 iterations) memory (MB) | max allocated: 9.5 |\n");
  const auto run = database.samples()[0].runs[0];
  CHECK(run.memory_mib == 9.5);
  CHECK(run.recompute == "full");
  CHECK(run.day.empty());
}

TEST_CASE("runs stand by allocation and by their places in it, however they came") {
  const int others = GENERATE(0, 1, 6);  // foreign logs that came between two of them
  CAPTURE(others);
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(test::campaign_of());
  int foreign = 0;
  const auto put = [&](std::int64_t allocation, std::int64_t position) {
    auto run = test::run_of(fmt::format("run-a{}-{}", allocation, position), "");
    run.place.job = fmt::format("job-{}", allocation);
    run.place.allocation = allocation;
    run.place.position = position;
    database.put_run(run);
    for (int i = 0; i < others; ++i, ++foreign)
      test::add(database, std::to_string(foreign), test::dump("") + test::row(1, 100 + foreign));
  };
  put(1, 3);
  put(2, 1);
  put(1, 1);
  put(2, 2);
  put(1, 2);
  std::vector<std::string> names;
  const auto samples = database.samples();
  for (const auto& run : samples.at(0).runs) names.push_back(run.run);
  CHECK(names ==
        std::vector<std::string>{"run-a1-1", "run-a1-2", "run-a1-3", "run-a2-1", "run-a2-2"});
  std::size_t all = 0;
  for (const auto& point : samples) all += point.runs.size();
  CHECK(all == names.size() + static_cast<std::size_t>(foreign));
}

TEST_CASE("a hundred thousand iterations load as they were stored") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  LogRun run = scrape(test::dump() + test::row(1, 100)).at(0);
  run.iterations = Iterations(std::vector<Iteration>(10000, run.iterations[0]));
  for (int log = 0; log < 10; ++log)
    database.add_foreign_log({fmt::format("{}.out", log), std::to_string(log)}, {run});
  const auto samples = database.samples();
  REQUIRE(samples.size() == 1);
  REQUIRE(samples[0].runs.size() == 10);
  for (const auto& stored : samples[0].runs) CHECK(database.lines_of(stored.id).size() == 10000);
}

TEST_CASE("the queries of the readme run") {
  const test::TemporaryDirectory folder;
  const Database database(folder / "t.db");
  db::Connection connection(folder / "t.db", false);
  const std::string readme = read_input(test::source_directory() / "db/README.md");
  const std::string fence = "```sql\n";
  int queries = 0;
  for (auto at = readme.find(fence); at != std::string::npos; at = readme.find(fence, at + 1)) {
    const auto begin = at + fence.size();
    CHECK_NOTHROW(
        connection.prepare(readme.substr(begin, readme.find("```", begin) - begin)).step());
    ++queries;
  }
  CHECK(queries >= 5);
}

TEST_CASE("views join the tables as the readme shows") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "a.out", test::log_of(1, 4));
  db::Connection connection(folder / "t.db", false);
  CHECK(connection.number("SELECT count(*) FROM samples WHERE clean") == 3);
  CHECK(connection.number("SELECT clean_step_time_ms FROM run_overview") == 103);
  CHECK(connection.number("SELECT count(*) FROM samples WHERE first") == 1);
}
