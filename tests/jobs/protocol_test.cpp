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

TEST_CASE("a marker that was torn by a power cut counts as none") {
  for (const std::string& torn : {std::string(), std::string("exi"), std::string("exit=0"),
                                  std::string(27, '\0'), std::string("exit=0 ended=\n")}) {
    CAPTURE(torn);
    const test::TemporaryDirectory root;
    SweepFolder folder(disk(), root.path());
    disk().write(root / "run-a1/1-local-0/done", torn);
    REQUIRE(folder.attempts("run-a1").size() == 1);
    CHECK_FALSE(folder.attempts("run-a1")[0].done());
  }
}

TEST_CASE("attempts stand in the order of their submissions and other entries are none") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  for (const char* name : {"2-local-0", "10-local-0", "1-77-0", ".nfs0001", "notes"})
    disk().make_directory(root / "run-a1" / name);
  const auto attempts = folder.attempts("run-a1");
  REQUIRE(attempts.size() == 3);
  CHECK(attempts[0].name == "1-77-0");
  CHECK(counted(attempts)->name == "10-local-0");
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
