// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/protocol.h"

#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
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

TEST_CASE("the marker of a run that its job stopped says why and after how long") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  disk().write(root / "r/1-5-0/done", "exit=124 ended=900 stopped=stalled after=300\n");
  disk().write(root / "r/2-5-0/done", "exit=1 ended=900\n");
  const auto attempts = folder.attempts("r");
  CHECK(attempts.at(0).exit_code == 124);
  CHECK(attempts.at(0).stopped == "stalled");
  CHECK(attempts.at(0).stopped_after_s == 300);
  CHECK(attempts.at(1).stopped.empty());
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
    disk().write(root / "run-a1" / name / "started", "");
  const auto attempts = folder.attempts("run-a1");
  REQUIRE(attempts.size() == 3);
  CHECK(attempts[0].name == "1-77-0");
  CHECK(attempt_that_counts(attempts)->name == "10-local-0");
}

TEST_CASE("a folder that a job has made for a run that it has not come to is no attempt") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  disk().make_directory(root / "r/1-local-0");
  CHECK(folder.attempts("r").empty());
  disk().write(root / "r/1-local-0/started", "");  // torn by a power cut
  CHECK(folder.attempts("r").size() == 1);
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

TEST_CASE("a journal that was copied from another submission is refused") {
  const test::TemporaryDirectory root;
  for (const char* name : {"job-s1", "job-s2", "job-s1-a-s3"})
    disk().write(root / "jobs" / name / "journal", "job-s1-a-s3-0123\ntask\tjob\ta\n");
  CHECK_THROWS_WITH(SweepFolder(disk(), root.path()).submissions(),
                    Catch::Contains("job-s1/journal: the journal of another submission, "
                                    "job-s1-a-s3-0123; if ") ||
                        Catch::Contains("job-s2/journal: the journal of another submission"));
  fs::remove_all(root / "jobs/job-s1");
  fs::remove_all(root / "jobs/job-s2");
  CHECK(SweepFolder(disk(), root.path()).submissions().size() == 1);
}

TEST_CASE("a time in a journal that no clock shows is none") {
  const test::TemporaryDirectory root;
  const std::string begin = "job-s1-token\ntask\tjob\trun\nat\t";
  disk().write(root / "jobs/job-s1/journal", begin + "9223372036854775807\ntried_until\t-1\n");
  const Submission read = SweepFolder(disk(), root.path()).submissions().at(0);
  CHECK(read.journaled_at == 0);
  CHECK(read.tried_until == 0);
}

TEST_CASE("every end of a task is stored under its own word and read back") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  Submission one;
  one.name = "job-s1";
  one.token = "job-s1-t";
  one.tasks = {{"job", {"a"}}};
  folder.journal(one);
  const std::vector<std::pair<End, std::string>> words{
      {End::kCompleted, "completed"}, {End::kApplication, "application"},
      {End::kLimit, "limit"},         {End::kInfrastructure, "infrastructure"},
      {End::kUser, "user"},           {End::kUnknown, "unknown"}};
  for (std::size_t i = 0; i < words.size(); ++i)
    folder.mark_ended(one, {{static_cast<std::int64_t>(i) + 1, {words[i].first, "why"}}});
  CHECK(disk().read(root / "jobs/job-s1/ended") ==
        "1\tcompleted\twhy\n2\tapplication\twhy\n3\tlimit\twhy\n4\tinfrastructure\twhy\n"
        "5\tuser\twhy\n6\tunknown\twhy\n");
  const auto back = folder.submissions().at(0);
  REQUIRE(back.ended.size() == words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    CHECK(back.ended.at(static_cast<std::int64_t>(i) + 1).end == words[i].first);
  disk().write(root / "jobs/job-s1/ended",
               "1\tnewfangled\tx\ntorn\nx\tuser\ty\n2\tuser\n3\tuser\tz\n");
  const auto torn = folder.submissions().at(0).ended;
  CHECK(torn.size() == 2);
  CHECK(torn.at(1).end == End::kUnknown);
  CHECK(torn.at(3).evidence == "z");
}

TEST_CASE("what became of a submission stands beside its journal") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  Submission one;
  one.name = "job-s1";
  one.token = "job-s1-t";
  one.journaled_at = 5;
  one.tried_until = 7;
  one.tasks = {{"job", {"a"}}};
  folder.journal(one);
  Submission back = folder.submissions().at(0);
  CHECK_FALSE(back.handed);
  CHECK_FALSE(back.refused);
  CHECK_FALSE(back.cancelled);
  CHECK(back.ended.empty());
  CHECK(back.journaled_at == 5);
  CHECK(back.tried_until == 7);
  folder.mark_refused(one, "no such account");
  folder.mark_cancelled(one);
  folder.mark_handed(one, "4711");
  CHECK(one.refused == "no such account");
  CHECK(one.cancelled);
  CHECK(one.handed == "4711");
  back = folder.submissions().at(0);
  CHECK(back.refused == "no such account");
  CHECK(back.cancelled);
  CHECK(back.handed == "4711");
  CHECK(disk().read(root / "jobs/job-s1/refused") == "no such account\n");
}

TEST_CASE("a submission has begun once one of its jobs has made its claim") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  Submission one;
  one.name = "job-s1";
  CHECK_FALSE(folder.has_begun(one));
  one.token = "job-s1-t";
  one.tasks = {{"job", {"a"}}};
  folder.journal(one);
  disk().make_directory(root / "jobs/job-s1/claims");
  CHECK_FALSE(folder.has_begun(one));
  disk().write(root / "jobs/job-s1/claim-7-0", "");
  CHECK(folder.has_begun(one));
}

TEST_CASE("a submission has begun once one of its runs has a folder, where jobs have one run") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  Submission one;
  one.number = 1;
  one.name = "job-s1";
  one.tasks = {{"job", {"a"}}, {"job", {"b"}}};
  disk().make_directory(root / "b/12-7-0");
  CHECK_FALSE(folder.has_begun(one));
  disk().make_directory(root / "b/1-7-0");
  CHECK(folder.has_begun(one));
  one.tasks = {{"job", {"a", "b"}}};  // its folders may be made before their time
  CHECK_FALSE(folder.has_begun(one));
}

TEST_CASE("provenance is that of the claim of the attempt's own job") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  Submission one;
  one.name = "job-s1";
  disk().write(root / "jobs/job-s1/claim-7-0/provenance", "host=a\n");
  disk().write(root / "jobs/job-s1/claim-7-1/provenance", "host=b\n");
  disk().write(root / "r/1-7-1/started", "7\n");
  disk().write(root / "r/1-8-0/started", "8\n");
  const auto attempts = folder.attempts("r");
  CHECK(attempts.at(0).job_id() == "7-1");
  CHECK(folder.provenance(one, attempts.at(0)) == "host=b\n");
  CHECK(folder.provenance(one, attempts.at(1)).empty());
  disk().write(root / "jobs/job-s1/claim-8-0", "pippin: claim task=1\npippin: at host=c\n");
  CHECK(folder.provenance(one, attempts.at(1)) == "host=c\n");
  disk().write(root / "s/1-9-0/run",
               "pippin: claim task=1\npippin: at host=d\npippin: started=9\n");
  CHECK(folder.provenance(one, folder.attempts("s").at(0)) == "host=d\n");
}

TEST_CASE("the newest submission is the largest number in use, and none is 0") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  CHECK(folder.newest_submission() == 0);
  for (const char* name : {"notes", "x-s", "x-sy", "a-b", "x-s9223372036854775807"})
    disk().make_directory(root / "jobs" / name);
  CHECK(folder.newest_submission() == 0);
  disk().make_directory(root / "jobs/x-s9-s3");
  CHECK(folder.newest_submission() == 3);
  CHECK(folder.submissions().empty());
}

TEST_CASE("a submission's script and tasks lie in its folder") {
  const SweepFolder folder(disk(), "/s");
  Submission one;
  one.name = "job-s1";
  CHECK(folder.script(one) == "/s/jobs/job-s1/job.sh");
  CHECK(folder.tasks_file(one, 2) == "/s/jobs/job-s1/tasks-2.sh");
}

TEST_CASE("campaigns are found by their files, saved and loaded by their numbers") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  CHECK(folder.campaigns().empty());
  Campaign campaign;
  campaign.order = "blocks";
  for (std::int64_t number : {10, 2, 1}) {
    campaign.number = number;
    folder.save_campaign(campaign);
  }
  for (const char* name : {"campaign-.json", "campaign-x.json", "campaign-7", "7.json", ".json",
                           "Campaign-8.json", "campaign-9223372036854775807.json"})
    disk().write(root / name, "");
  CHECK(folder.campaigns() == std::vector<std::int64_t>{1, 2, 10});
  CHECK(folder.load_campaign(10).number == 10);
  CHECK_THROWS_WITH(folder.load_campaign(3),
                    (root / "campaign-3.json").string() + ": no such campaign");
}

TEST_CASE("outcomes are what jobs of all hosts have said, and what older ones have left") {
  const test::TemporaryDirectory root;
  const SweepFolder folder(disk(), root.path());
  CHECK(test::succeeded_of(folder).empty());
  disk().write(root / "outcomes/n1-1", "a\tok\nb\tfailed\ntorn\to");
  disk().write(root / "outcomes/n2-1", "b\tok\n\n\0\0c\tlater\n");
  disk().write(root / "succeeded/d", "");
  disk().write(root / "failed/e", "");
  CHECK(test::succeeded_of(folder) == RunNames{"a", "b", "d"});
  CHECK(test::failed_of(folder) == RunNames{"b", "e"});
}

TEST_CASE(
    "what was said last against an attempt counts, also of many, and what an older pippin said") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  disk().write(root / "old-a1/1-7-0/run", test::record_of(0));
  disk().write(root / "refuted/old-a1", "1-7-0\tmeasured nothing\n");
  std::vector<Refutation> all;
  for (int i = 0; i < 3000; ++i) {
    const std::string run = "r" + std::to_string(i);
    disk().write(root / run / "1-7-0/run", test::record_of(0));
    all.push_back({run, "1-7-0", "its log has no iteration"});
  }
  folder.refute(all);
  folder.refute({{"r5", "1-7-0", ""}, {"r6", "1-7-0", "another\nreason"}});
  CHECK(disk().list(root / "refuted").size() == 3);
  for (SweepFolder one : {folder, SweepFolder(disk(), root.path())}) {
    CHECK(one.attempts("r4").at(0).refuted == "its log has no iteration");
    CHECK(one.attempts("r5").at(0).succeeded());
    CHECK(one.attempts("r6").at(0).refuted == "another\\nreason");
    CHECK(one.attempts("old-a1").at(0).refuted == "measured nothing");
    CHECK(one.refuted().size() == 3001);
  }
}

TEST_CASE("what an older pippin said against an attempt is taken back, for jobs too") {
  const test::TemporaryDirectory root;
  disk().write(root / "r/1-7-0/run", test::record_of(0));
  disk().write(root / "refuted/r", "1-7-0\tmeasured nothing\n");
  SweepFolder(disk(), root.path()).refute({{"r", "1-7-0", ""}});
  CHECK(SweepFolder(disk(), root.path()).attempts("r").at(0).succeeded());
  const fs::path part = test::source_directory() / "core/jobs/script/earlier.bash";
  const auto is_refuted = [&] {
    return run_program({"bash", "-c", "pippin_root=$1; . \"$2\"; pippin_is_refuted r 1-7-0", "_",
                        root.path().string(), part.string()})
               .exit_code == 0;
  };
  CHECK_FALSE(is_refuted());
  SweepFolder(disk(), root.path()).refute({{"r", "1-7-0", "again nothing"}});
  CHECK(is_refuted());
  fs::remove(root / "refuted/000001");
  CHECK(is_refuted());
}

TEST_CASE("who looks anew sees what another has said against an attempt meanwhile") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path()), other(disk(), root.path());
  disk().write(root / "r/1-7-0/run", test::record_of(0));
  CHECK(folder.attempts("r").at(0).succeeded());
  other.refute({{"r", "1-7-0", "no"}});
  folder.look_anew();
  CHECK(folder.attempts("r").at(0).refuted == "no");
}

TEST_CASE("the first success counts, else the last attempt that is done, else the last") {
  const auto attempt = [](std::optional<int> code, std::int64_t ended = 1) {
    Attempt one;
    one.exit_code = code;
    if (code) one.ended = ended;
    return one;
  };
  const auto counting = [](const std::vector<Attempt>& attempts) {
    return attempt_that_counts(attempts) - attempts.data();
  };
  CHECK_FALSE(attempt_that_counts({}));
  CHECK(counting({attempt({}), attempt({})}) == 1);
  CHECK(counting({attempt(1), attempt({})}) == 0);
  CHECK(counting({attempt(1), attempt(2), attempt({})}) == 1);
  CHECK(counting({attempt(0), attempt({})}) == 0);
  CHECK(counting({attempt(0), attempt(1)}) == 0);
  // A third that begins must not change which of two counts.
  CHECK(counting({attempt(0), attempt(0)}) == 0);
  CHECK(counting({attempt(0), attempt(0), attempt({})}) == 0);
  CHECK(counting({attempt(0, 2), attempt(0, 1), attempt(0, 1)}) == 1);
  CHECK(counting({attempt(1), attempt(0)}) == 1);
  CHECK(counting({attempt(0, 5), attempt(0, 4), attempt(0, 6)}) == 1);
}

TEST_CASE("a journal holds a token, at least a task, and words in each line") {
  for (const char* text : {"", "t\n", "\ntask\tjob\ta\n", "t\nowner\n", "t\ntask\n"}) {
    CAPTURE(text);
    const test::TemporaryDirectory root;
    disk().write(root / "jobs/job-s1/journal", text);
    CHECK_THROWS_WITH(SweepFolder(disk(), root.path()).submissions(),
                      Catch::Contains("a damaged journal; remove"));
  }
  const test::TemporaryDirectory root;
  disk().write(root / "jobs/job-s1/journal", "job-s1-t\nat\tx\nnew\tword\ntask\tjob\n");
  const auto one = SweepFolder(disk(), root.path()).submissions().at(0);
  CHECK(one.journaled_at == 0);
  CHECK(one.tasks.at(0).runs.empty());
}
