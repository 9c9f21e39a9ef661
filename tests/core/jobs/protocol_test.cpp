#include "core/jobs/protocol.h"

#include "tests/support/catch.h"
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
  const Attempt* attempt = attempt_that_counts(attempts);
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

TEST_CASE("an attempt that was ended from outside says whether its job's time was up") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  const auto attempt = [&](const std::string& marker) {
    disk().write(root / "r/1-5-0/interrupted", marker);
    return folder.attempts("r").at(0);
  };
  for (const char* marker : {"signal=TERM time_up=1\n", "signal= time_up=1"}) {
    CHECK(attempt(marker).interrupted);
    CHECK(attempt(marker).time_up);
  }
  for (const char* marker :
       {"signal=TERM time_up=0\n", "signal=TERM\n", "signal=TERM time_up=\n"}) {
    CHECK(attempt(marker).interrupted);
    CHECK_FALSE(attempt(marker).time_up);
  }
  disk().write(root / "r/1-5-0/done", "exit=0 ended=900\n");
  CHECK(attempt("signal=TERM time_up=1\n").done());
  CHECK_FALSE(attempt("signal=TERM time_up=1\n").interrupted);
  CHECK_FALSE(attempt("signal=TERM time_up=1\n").time_up);
}

TEST_CASE("attempts stand in the order of their submissions and other entries are none") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  for (const char* name : {"2-local-0", "10-local-0", "1-77-0", ".nfs0001", "notes"})
    disk().make_directory(root / "run-a1" / name);
  const auto attempts = folder.attempts("run-a1");
  REQUIRE(attempts.size() == 3);
  CHECK(attempts[0].name == "1-77-0");
  CHECK(attempt_that_counts(attempts)->name == "10-local-0");
}

TEST_CASE("of attempts that succeeded the one that ended first counts, and no failure before it") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  disk().write(root / "r/1-5-0/done", "exit=0 ended=900\n");  // a zombie, later than its heir
  disk().write(root / "r/2-6-0/done", "exit=0 ended=800\n");
  disk().write(root / "r/3-7-0/done", "exit=1 ended=100\n");
  CHECK(attempt_that_counts(folder.attempts("r"))->name == "2-6-0");
}

TEST_CASE("the journal reads back in the order of its submissions") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  CHECK(folder.submissions().empty());
  for (std::int64_t number : {2, 10, 1}) {
    Submission one;
    one.number = number;
    one.name = "job-s" + std::to_string(number);
    one.token = one.name + "-token";
    one.owner = "me";
    one.sender = "host 12";
    one.journaled_at = 1700000000;
    one.tasks = {{"job", {"a", "b c"}}, {"next", {"d"}}};
    folder.journal(one);
  }
  disk().make_directory(root / "jobs/died-s11");
  auto submissions = folder.submissions();
  REQUIRE(submissions.size() == 3);
  folder.mark_handed(submissions[1], "4711");
  folder.mark_ended(submissions[1], {{2, {End::kInfrastructure, "NODE_FAIL\ton n3"}}});
  submissions = folder.submissions();
  CHECK(submissions[0].number == 1);
  CHECK(submissions[2].number == 10);
  CHECK(folder.newest_submission() == 11);
  CHECK(submissions[1].handed == "4711");
  CHECK_FALSE(submissions[2].handed);
  CHECK(submissions[1].token == "job-s2-token");
  CHECK(submissions[1].owner == "me");
  CHECK(submissions[1].sender == "host 12");
  CHECK(submissions[1].journaled_at == 1700000000);
  REQUIRE(submissions[1].tasks.size() == 2);
  CHECK(submissions[1].tasks[0].runs == std::vector<std::string>{"a", "b c"});
  CHECK(submissions[1].ended.at(2).end == End::kInfrastructure);
  CHECK(submissions[1].ended.at(2).evidence == "NODE_FAIL\\ton n3");
}

TEST_CASE("a damaged journal is named with what to do about it") {
  const test::TemporaryDirectory root;
  disk().write(root / "jobs/job-s1/journal", "token\nta");
  CHECK_THROWS_WITH(SweepFolder(disk(), root.path()).submissions(),
                    Catch::Contains("jobs/job-s1/journal: a damaged journal; remove"));
}
