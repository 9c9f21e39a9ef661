// SPDX-License-Identifier: Apache-2.0
#include "slurm/answers.h"

#include <algorithm>

#include "core/base/error.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::slurm;

// The answers are Slurm 22.05.8's own.
namespace {

/// A line as it is printed here, with '|' for the separator that is asked for.
std::string line_of(std::string text) {
  std::replace(text.begin(), text.end(), '|', '\x1f');
  return text + "\n";
}

Entry queued(const std::string& line) {
  return read_queue(line_of(line + "|n[5-6]|/job.sh")).at(0);
}
Entry accounted(const std::string& line) { return read_accounting(line_of(line)).at(0); }

using Phase = JobStatus::Phase;
using Answer = Handed::Answer;

}  // namespace

TEST_CASE("what squeue says of a job becomes its state, its evidence and a remedy") {
  struct Case {
    const char* line;
    Phase phase;
    End end;
    const char* evidence;
    const char* remedy;
  };
  constexpr End kNone = End::kUnknown;
  const Case cases[] = {
      {"t|1_1|COMPLETED|None|1795184209|1795184210|n1|root", Phase::kEnded, End::kCompleted,
       "COMPLETED on n1", ""},
      {"t|16|FAILED|NonZeroExitCode|1795184227|1795184227|n1|root", Phase::kEnded,
       End::kApplication, "FAILED (NonZeroExitCode) on n1", ""},
      {"t|11|FAILED|RaisedSignal:9(Killed)|1795184209|1795184209|n1|root", Phase::kEnded,
       End::kInfrastructure, "FAILED (RaisedSignal:9(Killed)) on n1", ""},
      {"t|11|FAILED|JobLaunchFailure|1795184209|1795184209|n1|root", Phase::kEnded,
       End::kInfrastructure, "FAILED (JobLaunchFailure) on n1", ""},
      {"t|7|FAILED|BadConstraints|1795184208|1795184208||root", Phase::kEnded, End::kApplication,
       "FAILED (BadConstraints)", ""},
      {"t|25|NODE_FAIL|NodeDown|1795184227|1795184282|n4|root", Phase::kEnded, End::kInfrastructure,
       "NODE_FAIL (NodeDown) on n4", ""},
      {"t|19|CANCELLED|None|1795184227|1795184230|n1|root", Phase::kEnded, End::kUser,
       "CANCELLED on n1", ""},
      {"t|15|TIMEOUT|TimeLimit|1795184227|1795184287|n1|root", Phase::kEnded, End::kLimit,
       "TIMEOUT (TimeLimit) on n1", ""},
      {"t|15|DEADLINE|DeadLine|1|2|n1|root", Phase::kEnded, End::kLimit,
       "DEADLINE (DeadLine) on n1", ""},
      {"t|15|DEADLINE|DeadLine|2|2||root", Phase::kEnded, End::kInfrastructure,
       "DEADLINE (DeadLine)", ""},
      {"t|15|BOOT_FAIL|None|1|2|n1|root", Phase::kEnded, End::kInfrastructure, "BOOT_FAIL on n1",
       ""},
      {"t|15|OUT_OF_MEMORY|OutOfMemory|1|2|n1|root", Phase::kEnded, End::kLimit,
       "OUT_OF_MEMORY (OutOfMemory) on n1", ""},
      {"t|15|PREEMPTED|None|1|2|n1|root", Phase::kEnded, End::kInfrastructure, "PREEMPTED on n1",
       ""},
      {"t|27_1|RUNNING|None|1795184227|1795184827|n1|root", Phase::kRunning, kNone, "n1", ""},
      {"t|27_1|COMPLETING|None|1795184227|1795184827|n1|root", Phase::kRunning, kNone, "n1", ""},
      {"t|27_1|CONFIGURING|None|1795184227|1795184827|n1|root", Phase::kWaiting, kNone,
       "nodes that get ready", ""},
      {"t|22|PENDING|None|1795184236|1795184836||root", Phase::kWaiting, kNone, "", ""},
      {"t|23|PENDING|BeginTime|1795184236|1795184836||root", Phase::kWaiting, kNone, "BeginTime",
       ""},
      {"t|1_3|PENDING|JobArrayTaskLimit|N/A|N/A||root", Phase::kWaiting, kNone, "JobArrayTaskLimit",
       ""},
      {"t|26|PENDING|ReqNodeNotAvail, UnavailableNodes:n4|N/A|N/A||root", Phase::kWaiting, kNone,
       "ReqNodeNotAvail, UnavailableNodes:n4", ""},
      {"t|22|PENDING|DependencyNeverSatisfied|N/A|N/A||root", Phase::kWaiting, kNone,
       "DependencyNeverSatisfied", "cancel it and submit again"},
      {"t|3|PENDING|PartitionNodeLimit|N/A|N/A||root", Phase::kWaiting, kNone, "PartitionNodeLimit",
       "fewer nodes than its partition gives"},
      {"t|29|PENDING|PartitionTimeLimit|N/A|N/A||root", Phase::kWaiting, kNone,
       "PartitionTimeLimit", "--time"},
      {"t|2|PENDING|JobHeldUser|N/A|N/A||root", Phase::kWaiting, kNone, "JobHeldUser",
       "scontrol release"},
      {"t|24|PENDING|job requeued in held state|N/A|N/A||root", Phase::kWaiting, kNone,
       "job requeued in held state", "scontrol release"},
      {"t|24|PENDING|launch failed requeued held|N/A|N/A||root", Phase::kWaiting, kNone,
       "launch failed requeued held", "its node could not begin it"},
      {"t|24|PENDING|QOSMaxNodePerJobLimit|N/A|N/A||root", Phase::kWaiting, kNone,
       "QOSMaxNodePerJobLimit", "more than its account or QOS gives"},
      {"t|24|PENDING|AssocGrpCPUMinutesLimit|N/A|N/A||root", Phase::kWaiting, kNone,
       "AssocGrpCPUMinutesLimit", "budget"},
      {"t|24|NEWFANGLED|None|N/A|N/A||root", Phase::kUnknown, kNone, "NEWFANGLED", ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.line);
    const JobStatus status = status_of(queued(one.line));
    CHECK(status.phase == one.phase);
    CHECK(status.end == one.end);
    CHECK(status.evidence == one.evidence);
    CHECK_THAT(status.remedy, Catch::Contains(one.remedy));
    CHECK(status.remedy.empty() == std::string(one.remedy).empty());
  }
}

TEST_CASE("what sacct says of a job becomes its end with its evidence") {
  struct Case {
    const char* line;
    Phase phase;
    End end;
    const char* evidence;
  };
  const Case cases[] = {
      {"t|4|COMPLETED|None|1795184209|1795184210|n1|root|0:0", Phase::kEnded, End::kCompleted,
       "COMPLETED on n1"},
      {"t|16|FAILED|None|1795184227|1795184227|n1|root|7:0", Phase::kEnded, End::kApplication,
       "FAILED 7:0 on n1"},
      {"t|11|FAILED|None|1795184209|1795184209|n1|root|0:53", Phase::kEnded, End::kInfrastructure,
       "FAILED 0:53 on n1"},
      {"t|18|FAILED|None|1795184227|1795184227|n1|root|0:11", Phase::kEnded, End::kInfrastructure,
       "FAILED 0:11 on n1"},
      {"t|7|FAILED|None|1795184208|1795184208|None assigned|root|1:0", Phase::kEnded,
       End::kApplication, "FAILED 1:0"},
      {"t|19|CANCELLED by 0|None|1795184227|1795184230|n1|root|0:0", Phase::kEnded, End::kUser,
       "CANCELLED on n1"},
      {"t|20|CANCELLED|None|1795184227|1795184230|n1|root|0:0", Phase::kEnded, End::kInfrastructure,
       "CANCELLED by no user on n1"},
      {"t|25|NODE_FAIL|None|1795184227|1795184282|n4|root|0:0", Phase::kEnded, End::kInfrastructure,
       "NODE_FAIL on n4"},
      {"t|15|TIMEOUT|None|1795184227|1795184287|n1|root|0:0", Phase::kEnded, End::kLimit,
       "TIMEOUT on n1"},
      {"t|15|DEADLINE|None|1|2|n1|root|0:0", Phase::kEnded, End::kLimit, "DEADLINE on n1"},
      {"t|23|REQUEUED|None|1795184227|1795184230|n1|root|0:0", Phase::kWaiting, End::kUnknown, ""},
      {"t|15|RUNNING|None|1795184227|Unknown|n1|root|0:0", Phase::kRunning, End::kUnknown, "n1"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.line);
    const JobStatus status = status_of(accounted(one.line));
    CHECK(status.phase == one.phase);
    CHECK(status.end == one.end);
    CHECK(status.evidence == one.evidence);
  }
}

TEST_CASE("times are seconds since 1970 or nothing") {
  const Entry running = queued("t|15|RUNNING|None|1795184227|1795184287|n1|root");
  CHECK(running.start == 1795184227);
  CHECK(status_of(running).at == 1795184287);
  CHECK_FALSE(queued("t|1_3|PENDING|JobArrayTaskLimit|N/A|N/A||root").start);
  CHECK_FALSE(accounted("t|15|RUNNING|None|1795184227|Unknown|n1|root|0:0").end);
}

namespace {

std::vector<std::int64_t> listed(const std::vector<TaskRange>& ranges) {
  std::vector<std::int64_t> tasks;
  for (const auto& range : ranges)
    for (auto task = range.first; task <= range.last; task += range.step) tasks.push_back(task);
  return tasks;
}

}  // namespace

TEST_CASE("the ids of arrays name their tasks") {
  const std::pair<const char*, std::vector<std::int64_t>> cases[] = {
      {"4711", {1}},
      {"4711_1", {1}},
      {"4711_[3-5]", {3, 4, 5}},
      {"27_[3-6,9,20,22,24%2]", {3, 4, 5, 6, 9, 20, 22, 24}},
      {"27_[1-9:4]", {1, 5, 9}},
      {"27_[1-2%1]", {1, 2}},
      {"27_[", {}},
      {"27_[1-2-3]", {}},
      {"27_[1-9:0]", {}},
      {"4711+0", {}},
      {"", {}},
  };
  for (const auto& [id, tasks] : cases) {
    CAPTURE(id);
    CHECK(listed(tasks_of(id)) == tasks);
  }
  CHECK(queued("t|28_[1-900]|PENDING|JobHeldUser|N/A|N/A||root").tasks.front().count() == 900);
  CHECK(queued("t|28_[1-900]|PENDING|JobHeldUser|N/A|N/A||root").array_id == "28");
}

TEST_CASE("an answer that is not as asked for is no answer") {
  CHECK(read_queue("").empty());
  CHECK_THROWS_WITH(read_queue("slurm_load_jobs error: oops\n"),
                    Catch::Contains("cannot read: 'slurm_load_jobs error: oops'"));
  CHECK_THROWS_WITH(read_queue(line_of("t|1|RUNNING|None|1|2|n1|me")), Catch::Contains("squeue"));
  CHECK_THROWS_WITH(read_accounting(line_of("t|1|RUNNING|None|1|2|n1|root")),
                    Catch::Contains("sacct"));
}

TEST_CASE("what sbatch says tells whether the job is there, and whether it may come later") {
  const std::string failed = "sbatch: error: Batch job submission failed: ";
  const std::string policy =
      failed +
      "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)\n";
  struct Case {
    std::int64_t exit_code;
    const char* output;
    std::string errors;
    const char* words;
    Answer answer;
  };
  const Case cases[] = {
      {0, "4711\n", "", "4711", Answer::kTaken},
      {0, "4711;east\n", "", "4711", Answer::kTaken},
      {0, "4711\n", "sbatch: lua: be kind\n", "4711", Answer::kTaken},
      {0, "Submitted batch job 4711\n", "", "sbatch exits 0", Answer::kUnsure},
      {0, "", "", "sbatch exits 0", Answer::kUnsure},
      {137, "", "", "sbatch exits 137", Answer::kUnsure},
      {1, "", failed + "Unable to contact slurm controller (connect failure)\n",
       "Unable to contact", Answer::kUnsure},
      {1, "", failed + "Socket timed out on send/recv operation\n", "Socket timed out",
       Answer::kUnsure},
      {1, "", failed + "Zero Bytes were transmitted or received\n", "Zero Bytes", Answer::kUnsure},
      {1, "", failed + "Unexpected message received\n", "Unexpected message", Answer::kUnsure},
      {1, "",
       "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n" + failed +
           "Resource temporarily unavailable\n",
       "Resource temporarily unavailable", Answer::kNoRoom},
      {1, "", "sbatch: error: AssocMaxSubmitJobLimit\n" + policy, "AssocMaxSubmitJobLimit",
       Answer::kNoRoom},
      {1, "", "sbatch: error: AssocGrpSubmitJobsLimit\n" + policy, "AssocGrpSubmitJobsLimit",
       Answer::kNoRoom},
      {1, "", "sbatch: error: QOSMaxSubmitJobPerUserLimit\n" + policy,
       "QOSMaxSubmitJobPerUserLimit", Answer::kNoRoom},
      {1, "", "sbatch: error: QOSGrpSubmitJobsLimit\n" + policy, "QOSGrpSubmitJobsLimit",
       Answer::kNoRoom},
      {1, "", "sbatch: error: MaxSubmitJobsPerAccount\n" + policy, "MaxSubmitJobsPerAccount",
       Answer::kNoRoom},
      {1, "", policy, "Job violates", Answer::kNoRoom},
      {1, "", "sbatch: error: QOSMaxNodePerJobLimit\n" + policy, "QOSMaxNodePerJobLimit",
       Answer::kRefused},
      {1, "",
       "lua: be kind\nsbatch: error: Odd\nsbatch: error: the Limit is near\n"
       "sbatch: error: QOSMaxNodePerJobLimit\n" +
           policy,
       "QOSMaxNodePerJobLimit", Answer::kRefused},
      {1, "", "QOSMaxNodePerJobLimit\n" + policy, "Job violates", Answer::kNoRoom},
      {1, "", "sbatch: error: Job violates no JobCount\n", "JobCount", Answer::kNoRoom},
      {1, "", "sbatch: error: Slurm temporarily unable to accept job\n", "temporarily unable",
       Answer::kNoRoom},
      {255, "4711\n", "sbatch: x\n", "x", Answer::kUnsure},
      {0, "Welcome to Jean\n* 3 nodes are down *\n4711;c1\n", "", "4711", Answer::kTaken},
      {0, "4711\nbye\n", "", "sbatch exits 0", Answer::kUnsure},
      {1, "",
       "sbatch: error: no project given, see https://site/projects\n" + failed +
           "Unspecified error\n",
       "no project given, see https://site/projects; Batch job submission failed: Unspecified "
       "error",
       Answer::kRefused},
      {1, "", "one\nTry \"sbatch --help\" for more\n", "one", Answer::kRefused},
      {1, "",
       "sbatch: error: auth_g_verify: RESPONSE_SUBMIT_BATCH_JOB has authentication error: "
       "Unspecified error\nsbatch: error: slurm_unpack_received_msg: Protocol authentication error"
       "\n" +
           failed + "Unspecified error\n",
       "Protocol authentication error", Answer::kUnsure},
      {1, "", failed + "Insane message length\n", "Insane message length", Answer::kUnsure},
      {1, "", failed + "Header lengths are longer than data received\n", "Header lengths",
       Answer::kUnsure},
      {255, "", "Timeout, server login2 not responding.\n", "not responding", Answer::kUnsure},
      {255, "", "sbatch: error: Invalid --constraint specification\n", "constraint",
       Answer::kRefused},
      {1, "",
       "sbatch: error: say --account\nsbatch: error: cli_filter plugin terminated with error"
       "\n",
       "say --account", Answer::kRefused},
      {1, "", "sbatch: fatal: Could not establish a configuration source\n",
       "a configuration source", Answer::kNoRoom},
      {1, "", failed + "System submissions disabled\n", "disabled", Answer::kNoRoom},
      {1, "", failed + "Required partition not available (inactive or drain)\n", "drain",
       Answer::kNoRoom},
      {1, "", failed + "Unable to create job record, try again\n", "try again", Answer::kNoRoom},
      {0, "47x11\n", "", "sbatch exits 0", Answer::kUnsure},
      {0, "/09:\n", "", "sbatch exits 0", Answer::kUnsure},
      {1, "", "sbatch: error: QOSMaxWallDurationPerJobLimit\n" + policy,
       "QOSMaxWallDurationPerJobLimit", Answer::kRefused},
      {1, "", failed + "Invalid job array specification\n", "job array", Answer::kRefused},
      {1, "", failed + "Invalid account or account/partition combination specified\n",
       "Invalid account", Answer::kRefused},
      {1, "",
       "sbatch: error: invalid partition specified: nosuch\n" + failed +
           "Invalid partition name specified\n",
       "Invalid partition name", Answer::kRefused},
      {1, "", failed + "Requested node configuration is not available\n", "node configuration",
       Answer::kRefused},
      {255, "",
       "sbatch: unrecognized option '--nosuchoption'\nTry \"sbatch --help\" for more "
       "information\n",
       "unrecognized option '--nosuchoption'", Answer::kRefused},
      {255, "", "sbatch: error: Invalid --time specification\n", "Invalid --time",
       Answer::kRefused},
  };
  for (const Case& one : cases) {
    CAPTURE(one.exit_code, one.output, one.errors);
    const Handed handed = read_submission(static_cast<int>(one.exit_code), one.output, one.errors);
    CHECK(handed.answer == one.answer);
    CHECK_THAT(handed.words, Catch::Contains(one.words));
  }
}

TEST_CASE("a site's banner before an answer hides no job, and an error there is none") {
  const std::string job = std::string(queued("t|7|RUNNING|None|5|6|n1|root").name);
  CHECK(job == "t");
  std::string line = "t|7|RUNNING|None|5|6|n1|root|(null)|/s/job.sh\n";
  std::replace(line.begin(), line.end(), '|', '\x1f');
  CHECK(read_queue("*** maintenance on Monday ***\n\n" + line).size() == 1);
  CHECK(read_queue("*** maintenance on Monday ***\n").empty());
  CHECK(read_queue(line + "raise error\n" + line).size() == 2);  // of a job's arguments
  CHECK_THROWS_AS(read_queue("raise error\n" + line), Error);
  CHECK_THROWS_AS(read_queue(line + "slurm_load_jobs error: oops\n"), Error);
  CHECK_THROWS_AS(read_queue(line + "squeue: error: oops\n"), Error);
}

TEST_CASE("a credential lives as long as AuthInfo says, else as munge has it") {
  CHECK(credential_life_s("AuthInfo = socket=/run/munge,cred_expire=5,ttl=20\n") == 20);
  CHECK(credential_life_s("AuthInfo                = (null)\n") == 300);
  CHECK(credential_life_s("AuthInfo = cred_expire=5\n") == 300);
  CHECK(credential_life_s("") == 300);
}

TEST_CASE("each word for silence leaves open whether the job is there") {
  for (const char* words :
       {"Unable to contact slurm controller", "Zero Bytes were transmitted", "Communication error",
        "communication failure", "Connection refused", "connection reset", "Message transmitted",
        "Message receive failure", "Message send failure", "Broken pipe", "Socket timed out",
        "in standby mode", "Unexpected message received"}) {
    CAPTURE(words);
    CHECK(read_submission(
              1, "", std::string("sbatch: error: Batch job submission failed: ") + words + "\n")
              .answer == Answer::kUnsure);
  }
}

TEST_CASE("every state of a job that waits or runs is known") {
  for (const char* state : {"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT",
                            "CONFIGURING", "RESV_DEL_HOLD"}) {
    CAPTURE(state);
    CHECK(status_of(queued(std::string("t|1|") + state + "|None|5|6|n1|root")).phase ==
          Phase::kWaiting);
    CHECK(status_of(queued(std::string("t|1|") + state + "|None|5|6|n1|root")).at == 5);
  }
  for (const char* state :
       {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "RESIZING", "STAGE_OUT"}) {
    CAPTURE(state);
    CHECK(status_of(queued(std::string("t|1|") + state + "|None|5|6|n1|root")).phase ==
          Phase::kRunning);
    CHECK(status_of(queued(std::string("t|1|") + state + "|None|5|6|n1|root")).at == 6);
  }
  const JobStatus revoked = status_of(queued("t|1|REVOKED|None|5|6||root"));
  CHECK(revoked.phase == Phase::kUnknown);  // it runs elsewhere in the federation
}

TEST_CASE("each reason to wait that will not pass by itself has its remedy, of several the first") {
  const std::pair<const char*, const char*> cases[] = {
      {"DependencyNeverSatisfied", "what it waits for has failed: cancel it and submit again"},
      {"JobHeldUser", "it is held: 'scontrol release ID'"},
      {"JobHeldAdmin", "an administrator holds it: ask them"},
      {"JobHoldMaxRequeue", "it was begun and lost too often: 'scontrol release ID', or cancel it"},
      {"job held state", "it is held: 'scontrol release ID'"},
      {"AssocGrpCPUMinutesLimit", "the budget of time of its account or QOS is used up"},
      {"AssocGrpWallLimit", "the budget of time of its account or QOS is used up"},
      {"QOSMinCpuNotSatisfied", "it asks for less than its QOS demands: see the cluster file"},
      {"QOSGrpGRESMinutes", "the budget of time of its account or QOS is used up"},
      {"AssocMaxWallDurationPerJobLimit",
       "it asks for more than its account or QOS gives to a job"},
      {"QOSMaxNodePerJobLimit", "it asks for more than its account or QOS gives to a job"},
      {"Minutes", ""},
      {"MaxNodePerJob", ""},
      {"AssocGrpJobsLimit", ""},
      {"Priority", ""},
      {"", ""},
      {"Priority, JobHeldAdmin", "an administrator holds it: ask them"},
      {"JobHeldAdmin,JobHeldUser", "an administrator holds it: ask them"},
      {"Priority,Resources", ""},
  };
  for (const auto& [reason, remedy] : cases) {
    CAPTURE(reason);
    CHECK(remedy_of(reason) == remedy);
  }
}

TEST_CASE("more tasks than any array has, and times that are none, are not believed") {
  for (const char* id : {"7_[1-4000000000]", "7_[9223372036854775806-9223372036854775807]",
                         "7_[-1-3]", "7_99999999999999999999", "7_[1-9:9223372036854775807]"}) {
    CAPTURE(id);
    CHECK(tasks_of(id).empty());
  }
  CHECK(tasks_of("7_[0-4000000]").front().count() == 4'000'001);
  const auto entry = queued("t|7|PENDING|Priority|100000000000000000|9223372036854775807||root");
  CHECK_FALSE(entry.start);
  CHECK_FALSE(entry.end);
}

TEST_CASE("an id names its tasks, and one that is broken none") {
  CHECK(tasks_of("7_[1-3:]").empty());
  CHECK(tasks_of("7_[1,x]").empty());
  CHECK(tasks_of("7_[x,1]").empty());
  CHECK(tasks_of("7_[1-9:-1]").empty());
  CHECK(listed(tasks_of("7_[2-2]")) == std::vector<std::int64_t>{2});
  CHECK(listed(tasks_of("7_3%2")) == std::vector<std::int64_t>{3});
  CHECK(queued("t|28_[1-9%2]|PENDING|None|N/A|N/A||root").id == "28_[1-9]");
  CHECK(queued("t|28_3|PENDING|None|N/A|N/A||root").id == "28_3");
}

TEST_CASE("all fields of a line are read, and empty lines between") {
  const auto all = read_accounting(line_of("t|28_3|CANCELLED by 0|Reason|5|6|n[1-2]|me|0:15") +
                                   "\n" + line_of("u|29|FAILED|None|0|-1|n1|you|1:0"));
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "t");
  CHECK(all[0].id == "28_3");
  CHECK(all[0].array_id == "28");
  CHECK(all[0].state == "CANCELLED");
  CHECK(all[0].reason == "Reason");
  CHECK(all[0].start == 5);
  CHECK(all[0].end == 6);
  CHECK(all[0].nodes == "n[1-2]");
  CHECK(all[0].user == "me");
  CHECK(all[0].exit_code == "0:15");
  CHECK_FALSE(all[1].start);
  CHECK_FALSE(all[1].end);
  CHECK(queued("t|1|RUNNING|None|1|2|n1|me").script == "/job.sh");
  CHECK(queued("t|1|RUNNING|None|1|2|n1|me").excluded == "n[5-6]");
  CHECK(read_queue(line_of("t|1|RUNNING|None|1|2|n1|me|(null)|/a")).at(0).excluded.empty());
}

TEST_CASE("an empty line ends no answer") {
  CHECK(read_queue(line_of("t|1|RUNNING|None|1|2|n1|me|(null)|/a") + "\n" +
                   line_of("u|2|RUNNING|None|1|2|n1|me|(null)|/b"))
            .size() == 2);
}

TEST_CASE("a configuration's value is that of its own name, without blanks") {
  const std::string config = "AuthInfo2 = x\n  AuthInfo =  a = b \nno value\nAuthInfo = later\n";
  CHECK(config_value(config, "AuthInfo") == "a = b");
  CHECK(config_value(config, "Auth").empty());
  CHECK(config_value("", "AuthInfo").empty());
  CHECK(credential_life_s("AuthInfo = ttl=20\n") == 20);
  CHECK(credential_life_s("AuthInfo = x=1, ttl=25\n") == 25);
  CHECK(credential_life_s("AuthInfo = ttl=x\n") == 300);
  CHECK(credential_life_s("AuthInfo = ttl=\n") == 300);
}

TEST_CASE("the command that submitted a job says its first name") {
  CHECK(name_in_submit_line("sbatch --parsable --job-name=t-s1-abc --time=5 /job.sh") ==
        "t-s1-abc");
  CHECK(name_in_submit_line("sbatch /a--job-name=t").empty());
  CHECK(name_in_submit_line("").empty());
}

TEST_CASE("accounting tells of commands since 21.08") {
  CHECK(accounting_has_submit_lines("SLURM_VERSION           = 21.08.0\n"));
  CHECK(accounting_has_submit_lines("SLURM_VERSION = 25.05.1\n"));
  CHECK_FALSE(accounting_has_submit_lines("SLURM_VERSION = 20.11.9\n"));
  CHECK_FALSE(accounting_has_submit_lines("SLURM_VERSION = 21\n"));
  CHECK_FALSE(accounting_has_submit_lines(""));
}

TEST_CASE("what will not start by itself has a remedy, and what need but wait has none") {
  for (const char* reason :
       {"Job's account not permitted to use this partition (gpu allows six not seven)",
        "Job's QOS not permitted to use this partition (gpu allows normal not long)",
        "MaxMemPerLimit", "ReservationDeleted", "AssocGrpCPUMinutesLimit"}) {
    CAPTURE(reason);
    CHECK_FALSE(remedy_of(reason).empty());
  }
  for (const char* reason : {"AssocGrpCPURunMinutesLimit", "QOSGrpGRESRunMinutes", "Priority"}) {
    CAPTURE(reason);
    CHECK(remedy_of(reason).empty());
  }
}
