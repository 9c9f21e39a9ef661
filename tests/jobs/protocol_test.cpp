#include "harness/jobs/protocol.h"

#include <catch2/catch.hpp>

#include "tests/support/temporary.h"

using namespace pippin;

TEST_CASE("the attempt that is done first counts") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("run-a1").empty());
  disk().write(root / "run-a1/1-local-0/started", "1700000000\n");
  disk().write(root / "run-a1/2-local-0/started", "1700000100\n");
  disk().write(root / "run-a1/2-local-0/done", "exit=7 ended=1700000200\n");
  const auto attempts = folder.attempts("run-a1");
  REQUIRE(attempts.size() == 2);
  CHECK_FALSE(attempts[0].done());
  CHECK(attempts[0].started == 1700000000);
  const Attempt* attempt = counted(attempts);
  REQUIRE(attempt);
  CHECK(attempt->name == "2-local-0");
  CHECK(attempt->exit_code == 7);
  CHECK(attempt->ended == 1700000200);
}

TEST_CASE("a damaged marker is an error that names the file") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  disk().write(root / "run-a1/1-local-0/done", "exi");
  CHECK_THROWS_WITH(folder.attempts("run-a1"),
                    Catch::Contains("1-local-0/done: damaged marker 'exi'"));
}

TEST_CASE("the journal reads back in the order of its submissions") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  CHECK(folder.submissions("job").empty());
  for (std::int64_t number : {2, 10, 1})
    folder.journal("job", {number, "token-" + std::to_string(number), {"a", "b c"}, false, false});
  folder.mark_handed("job", 2);
  const auto submissions = folder.submissions("job");
  REQUIRE(submissions.size() == 3);
  CHECK(submissions[0].number == 1);
  CHECK(submissions[2].number == 10);
  CHECK(submissions[1].handed);
  CHECK_FALSE(submissions[2].handed);
  CHECK(submissions[1].token == "token-2");
  CHECK(submissions[1].runs == std::vector<std::string>{"a", "b c"});
}
