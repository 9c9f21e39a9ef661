// SPDX-License-Identifier: Apache-2.0
#include "slurm/limits.h"

#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::slurm;

namespace {

constexpr const char* kConfig = "MaxArraySize            = 1001\nMaxJobCount             = 1000\n";

/// As 22.05 prints them, without the lines that say nothing of submitted jobs.
std::string association(const std::string& account, const std::string& user,
                        const std::string& parent, const std::string& group,
                        const std::string& most, const std::string& partition = "") {
  return "ClusterName=c1 Account=" + account + " UserName=" + user + " Partition=" + partition +
         " Priority=0 ID=3\n    ParentAccount=" + parent +
         " Lft=2 DefAssoc=No\n    GrpJobs=N(3)\n" + "    GrpSubmitJobs=" + group +
         " GrpWall=N(0.00)\n" + "    MaxJobs= MaxJobsAccrue= MaxSubmitJobs=" + most +
         " MaxWallPJ=\n";
}

std::string quality(const std::string& name, const std::string& all, const std::string& accounts,
                    const std::string& users) {
  return "QOS=" + name + "\n    GrpJobs=N(3) GrpSubmitJobs=" + all + " GrpWall=N(0.00)\n" +
         "    Account Limits\n" + accounts + "    User Limits\n" + users;
}

/// The user 500 of account six, below all, whose jobs get the QOS normal.
LimitAnswers answers_with(const std::string& associations, const std::string& qualities = "",
                          const std::string& partitions = "") {
  return {"six|six|normal|\n", qualities, partitions,
          "Current Association Manager state\n\nAssociation Records\n\n" + associations};
}

SubmitLimit limit_in(const LimitAnswers& answers, const Place& place = {}) {
  return submit_limit_of(answers, {"me", 500, place});
}

}  // namespace

// Seen with 22.05: of MaxJobCount 1000 with 939 records, an array of 60 is taken and one of 61 is
// not; each task of an array counts, and each job that has ended until it is forgotten.
TEST_CASE("every record of the controller's counts, and the last is never given") {
  const Room room = room_of(kConfig, {5, 939}, {});
  CHECK(room.tasks == 60);
  CHECK(room.tasks_per_job == 1000);
  CHECK(room.limit == "MaxJobCount is 1000, and 939 jobs were there");
  CHECK(room_of(kConfig, {939, 5}, {}).tasks == 60);
  CHECK(room_of(kConfig, {5, 1200}, {}).tasks == 0);
  CHECK(room_of("MaxArraySize = 0\nMaxJobCount = 10\n", {}, {}).tasks_per_job == 1);
  CHECK(room_of("", {5, 5}, {}).tasks == INT64_MAX);
}

TEST_CASE("a number that no cluster has is none") {
  const std::string most = "9223372036854775807", least = "-9223372036854775808";
  CHECK(queued_of("", "Jobs pending: " + most + "\nJobs running: " + most + "\n").live == 0);
  CHECK(room_of("MaxArraySize = " + least + "\nMaxJobCount = " + least + "\n", {}, {}).tasks ==
        INT64_MAX);
  const auto limit =
      limit_in(answers_with(association("six", "me(500)", "", "N(3)", "20(" + least + ")")));
  CHECK(limit.left == 20);
}

TEST_CASE("one's own jobs are counted one by one, everybody's by what the controller says") {
  const Queued queued = queued_of("PENDING\nRUNNING\nCOMPLETED\n\n",
                                  "Jobs submitted: 8\n\nJobs pending:   4\nJobs running:   3\n");
  CHECK(queued.ours == 3);
  CHECK(queued.live == 7);
  CHECK(queued_of("", "sdiag: error: no\n").live == 0);
}

TEST_CASE("a user's limit counts what Slurm counts against it") {
  const auto limit = limit_in(answers_with(association("six", "me(500)", "", "N(3)", "20(3)")));
  CHECK(limit.left == 17);
  CHECK(limit.words == "MaxSubmitJobs of account six is 20, and 3 were there");
  CHECK(limit_in(answers_with(association("six", "you(501)", "", "1(1)", "2(2)"))).left ==
        INT64_MAX);
  CHECK(limit_in(answers_with(association("seven", "me(500)", "", "1(1)", "2(2)"))).left ==
        INT64_MAX);
  CHECK(limit_in(answers_with(association("six", "me(500)", "", "4(3)", ""))).left == 1);
  CHECK(limit_in(answers_with(association("six", "me(500)", "", "", "3(5)"))).left == 0);
}

TEST_CASE("a limit of 0 is said before one that others have used up") {
  const auto full = limit_in(answers_with(association("six", "me(500)", "", "", "3(5)")));
  CHECK_FALSE(full.is_shut);
  for (const char* limits : {"0(0)", "0(2)"}) {
    const auto limit = limit_in(answers_with(association("six", "me(500)", "", limits, "3(5)")));
    CHECK(limit.is_shut);
    CHECK(room_of("", {}, limit).is_shut);
    CHECK_THAT(limit.words, Catch::EndsWith(" of account six is 0: it takes no job"));
  }
}

TEST_CASE("an association of one partition counts for that partition's jobs") {
  const auto answers = answers_with(association("six", "me(500)", "", "N(0)", "2(2)", "gpu"));
  CHECK(limit_in(answers).left == INT64_MAX);
  CHECK(limit_in(answers, {"", "", "cpu"}).left == INT64_MAX);
  CHECK(limit_in(answers, {"", "", "gpu"}).left == 0);
}

TEST_CASE("names in another spelling and partitions that are not named have the same limits") {
  auto answers = answers_with(association("six", "me(500)", "", "N(0)", "2(2)", "gpu"));
  answers.partitions =
      "PartitionName=cpu Default=NO QoS=N/A\nPartitionName=gpu Default=YES QoS=N/A\n";
  CHECK(limit_in(answers).left == 0);
  CHECK(limit_in(answers, {"SIX", "", "gpu"}).left == 0);
  CHECK(limit_in(answers_with("", "short||0||\n"), {"", "Short", ""}).is_shut);
}

// Seen with 22.05: with MaxSubmitJobs 2 for all partitions and 5 for one, that one takes five jobs.
TEST_CASE("a user's association of a partition counts in place of the one for all") {
  const auto answers = answers_with(association("six", "me(500)", "", "N(3)", "2(2)") +
                                    association("six", "me(500)", "", "N(1)", "5(1)", "gpu"));
  CHECK(limit_in(answers, {"", "", "gpu"}).left == 4);
  CHECK(limit_in(answers, {"", "", "cpu"}).left == 0);
}

TEST_CASE("an account's limit, and those of the accounts above it, count everybody's jobs") {
  const std::string mine = association("six", "me(500)", "", "N(3)", "");
  CHECK(limit_in(answers_with(mine + association("six", "", "dept(7)", "50(48)", ""))).words ==
        "GrpSubmitJobs of account six is 50, and 48 were there");
  const auto above = answers_with(mine + association("six", "", "dept(7)", "50(10)", "") +
                                  association("dept", "", "root(1)", "100(99)", "") +
                                  association("root", "", "", "N(99)", ""));
  CHECK(limit_in(above).left == 1);
  CHECK(limit_in(above).words == "GrpSubmitJobs of account dept is 100, and 99 were there");
  CHECK(limit_in(answers_with(association("six", "", "six(3)", "9(2)", ""))).left == 7);  // no loop
}

TEST_CASE("of a QOS the user, the account and all have limits, each with its own count") {
  const std::string none = "        No Accounts\n";
  const std::string mine = "      500\n        MaxJobsPU=N(3) MaxSubmitJobsPU=6(3)\n";
  const std::string six = "      six\n        MaxJobsPA=N(5) MaxSubmitJobsPA=N(5)\n";
  const auto with = [&](const std::string& limits) {
    return limit_in(answers_with(quality("normal(1)", "N(8)", six, mine), limits));
  };
  CHECK(with("normal||6||\n").left == 3);
  CHECK(with("normal||6||\n").words == "MaxSubmitJobsPerUser of QOS normal is 6, and 3 were there");
  CHECK(with("normal|||7|\n").left == 2);
  CHECK(with("normal||||9\n").left == 1);
  CHECK(with("long||1|1|1\n").left == INT64_MAX);
  CHECK(with("normal||||\nshort|line\n").left == INT64_MAX);
  // Who has no job there is in no list.
  CHECK(limit_in(
            answers_with(quality("normal(1)", "N(0)", none, "        No Users\n"), "normal||6||\n"))
            .left == 6);
}

TEST_CASE("the account and QOS of a job are the place's, else the user's own") {
  LimitAnswers answers = answers_with("", "normal||50||\ndebug||1||\nlong||||\n");
  answers.users = "six|six|normal,long|\nsix|seven|debug|\nsix|eight|debug,long|long\n";
  CHECK(limit_in(answers).left == 50);
  CHECK(limit_in(answers, {"seven", "", ""}).left == 1);
  CHECK(limit_in(answers, {"eight", "", ""}).left == INT64_MAX);
  CHECK(limit_in(answers, {"", "debug", ""}).left == 1);
  CHECK(limit_in({}).left == INT64_MAX);
  CHECK(limit_in({"sacctmgr: error\n", "", "", "scontrol: error\n"}).left == INT64_MAX);
}

TEST_CASE("a partition's QOS comes before the job's, where it sets a limit") {
  const std::string partitions =
      "PartitionName=batch AllowQos=ALL Default=YES QoS=part MaxNodes=1\n"
      "PartitionName=other Default=NO QoS=N/A\n";
  const auto with = [&](const std::string& qualities, const Place& place = {}) {
    return limit_in(answers_with("", qualities, partitions), place).left;
  };
  CHECK(with("normal||50||\npart||7||\n") == 7);
  CHECK(with("normal||50||\npart||70||\n") == 70);
  CHECK(with("normal||50||\npart||||\n") == 50);
  CHECK(with("normal||50||\npart||||9\n") == 9);
  CHECK(with("normal|OverPartQOS,DenyOnLimit|50||\npart||7||\n") == 50);
  CHECK(with("normal||50||\npart||7||\n", {"", "", "other"}) == 50);
  CHECK(with("normal||50||\npart||7||\n", {"", "", "batch"}) == 7);
}

// Source: acct_policy_validate(): an association's limit counts where no QOS sets one of its kind.
TEST_CASE("a limit of a QOS stands in the place of the association's") {
  const std::string mine = association("six", "me(500)", "", "9(5)", "2(2)");
  const auto with = [&](const std::string& qualities) {
    return limit_in(answers_with(mine, qualities)).left;
  };
  CHECK(with("normal||||\n") == 0);
  CHECK(with("normal||10||\n") == 4);  // that of all users stays
  CHECK(with("normal|||10|\n") == 4);
  CHECK(with("normal||10||20\n") == 10);
  CHECK(with("normal||||20\n") == 0);
}

TEST_CASE("room is what the tighter limit leaves, and never below none") {
  const std::string config = "MaxArraySize = 3\nMaxJobCount = 10\n";
  Room room = room_of(config, {4, 2}, {6, "L"});
  CHECK(room.tasks_per_job == 2);
  CHECK(room.tasks == 5);
  CHECK(room.limit == "MaxJobCount is 10, and 4 jobs were there");
  room = room_of(config, {4, 2}, {3, "L"});
  CHECK(room.tasks == 3);
  CHECK(room.limit == "L");
}

TEST_CASE("limits count where the cluster holds to them") {
  CHECK(enforces_limits("AccountingStorageEnforce = associations,limits,qos\n"));
  CHECK(enforces_limits("AccountingStorageEnforce = safe\n"));
  CHECK_FALSE(enforces_limits("AccountingStorageEnforce = associations\n"));
  CHECK_FALSE(enforces_limits("AccountingStorageEnforce = none\n"));
  CHECK_FALSE(enforces_limits(""));
}
