// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/user.h"
#include "pbs/ask.h"
#include "pbs/pbs.h"
#include "tests/slurm/fake_slurm.h"

using namespace pippin;
using Catch::Contains;

namespace {

using Phase = JobStatus::Phase;
using Strings = std::vector<std::string>;

/// PBS's programs, which say what they are told to. What is said of "qstat.-B" is of the server.
class FakePbs : public test::FakeSlurm {
 public:
  explicit FakePbs(const std::string& server = R"("job_history_enable":"True")")
      : FakeSlurm({"qsub", "qselect", "qstat", "qdel", "qalter"}) {
    says_as_it_is("qselect", "");
    says_as_it_is("qstat.-B", R"({"pbs_server":"h","Server":{"h":{)" + server + "}}}");
  }
};

std::string job(const std::string& id, const std::string& token, const std::string& state,
                const std::string& more = "", const std::string& owner = own_user()) {
  return fmt::format(R"("{}":{{"Job_Name":"n","Job_Owner":"{}@h","job_state":"{}",)"
                     R"("Variable_List":{{"PIPPIN_TOKEN":"{}"}}{}}})",
                     id, owner, state, token, more);
}

std::string answer_of(const Strings& jobs) {
  return R"({"pbs_server":"h","Jobs":{)" + join(jobs, ",") + "}}";
}

Asked asked_of(const std::string& token, std::int64_t tasks = 1, bool handed = true) {
  Asked asked;
  asked.token = token;
  asked.tasks = tasks;
  asked.handed = handed;
  asked.owner = own_user();
  return asked;
}

JobRequest request_of(std::int64_t tasks = 1) {
  JobRequest request;
  request.token = "gpt-s1-abc";
  request.script = "/s/jobs/a/job.sh";
  request.log = "/s/jobs/a/job.log";
  request.tasks = tasks;
  return request;
}

std::vector<JobStatus> status_of(PbsScheduler& pbs, const Asked& asked) {
  return pbs.query({asked}).at(asked.token);
}

}  // namespace

TEST_CASE("qsub is told name, log, token and script of a job, and leaves no process behind") {
  FakePbs fake;
  fake.says("qsub", "4711.h\n");
  const Handed handed = PbsScheduler().submit(request_of());
  CHECK(handed.answer == Handed::Answer::kTaken);
  CHECK(handed.words == "4711.h");
  CHECK(fake.calls("qsub") == Strings{"qsub [-f] [-N] [gpt-s1-abc] [-o] [/s/jobs/a/job.log] [-v] "
                                      "[PIPPIN_TOKEN=gpt-s1-abc] [/s/jobs/a/job.sh] {}"});
}

TEST_CASE("a PBS array's tasks have logs of their own, a limit, a time and options of the job") {
  FakePbs fake;
  fake.says("qsub", "4711[].h\n");
  ::setenv("TZ", "UTC0", 1);
  ::tzset();
  JobRequest request = request_of(3);
  request.max_in_flight = 2;
  request.begin = 1712372532;
  request.options = {"-l", "walltime=60"};
  PbsScheduler().submit(request);
  CHECK(fake.calls("qsub") ==
        Strings{"qsub [-f] [-N] [gpt-s1-abc] [-o] [/s/jobs/a/job-^array_index^.log] [-v] "
                "[PIPPIN_TOKEN=gpt-s1-abc] [-J] [1-3%2] [-a] [202404060302.12] [-l] [walltime=60] "
                "[/s/jobs/a/job.sh] {}"});
}

TEST_CASE("a job waits for the end of what is live of others, and is not handed over blindly") {
  FakePbs fake;
  fake.says("qsub", "4711.h\n");
  fake.says_as_it_is("qselect", "7[].h\n8.h\n");
  fake.says_as_it_is("qstat", answer_of({job("7[].h", "a", "B"), job("7[1].h", "a", "R"),
                                         job("8.h", "other", "R")}));
  JobRequest request = request_of();
  request.after = {asked_of("a", 3), asked_of("b")};
  PbsScheduler().submit(request);
  CHECK_THAT(fake.calls("qsub").at(0), Contains("[-W] [depend=afterany:7[].h]"));
  fake.fails("qselect", "Connection refused\n");
  CHECK(PbsScheduler().submit(request).answer == Handed::Answer::kNoRoom);
  CHECK(fake.calls("qsub").empty());
}

TEST_CASE("of a token each task has its own status, the most alive one, and its owner's") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7[].h\n8.h\n9.h\n");
  fake.says_as_it_is(
      "qstat", answer_of({job("7[].h", "t", "B"), job("7[1].h", "t", "X", R"(,"Exit_status":0)"),
                          job("7[2].h", "t", "R"), job("7[3].h", "t", "Q"), job("8.h", "u", "R"),
                          job("9.h", "t", "R", "", "stranger")}));
  PbsScheduler pbs;
  const auto answers = pbs.query({asked_of("t", 3), asked_of("u")});
  CHECK(answers.at("t")[0].phase == Phase::kEnded);
  CHECK(answers.at("t")[1].phase == Phase::kRunning);
  CHECK(answers.at("t")[2].phase == Phase::kWaiting);
  CHECK(answers.at("u")[0].phase == Phase::kRunning);
  CHECK(fake.calls("qstat") == Strings{"qstat [-f] [-F] [json] [-t] [7[].h] [8.h] [9.h] {}"});
  CHECK(fake.calls("qselect") == Strings{"qselect [-u] [" + own_user() + "] {}"});
}

TEST_CASE("what has left the queue is looked up in the history") {
  FakePbs fake;
  fake.says_as_it_is("qselect.-x", "7.h\n");
  fake.says_as_it_is("qstat.-x",
                     answer_of({job("7.h", "t", "F", R"(,"Exit_status":1,"substate":93)")}));
  PbsScheduler pbs;
  const JobStatus status = status_of(pbs, asked_of("t")).at(0);
  CHECK(status.phase == Phase::kEnded);
  CHECK(status.end == End::kApplication);
}

TEST_CASE("without a history what was handed over and is gone has ended, nobody knows how") {
  FakePbs fake(R"("server_state":"Active")");
  PbsScheduler pbs;
  const JobStatus status = status_of(pbs, asked_of("t")).at(0);
  CHECK(status.phase == Phase::kEnded);
  CHECK(status.end == End::kUnknown);
  CHECK(status.evidence == "PBS keeps no history, and knows it no longer");
  for (const auto& call : fake.calls("qselect")) CHECK_THAT(call, !Contains("[-x]"));
}

TEST_CASE("silence, failure and half an answer say nothing of any task") {
  for (const std::string answer : {"", "{\"pbs_server\":\"h\",\"Jobs\":{\"7.h\":{\"Job_"}) {
    FakePbs fake;
    fake.says_as_it_is("qselect", "7.h\n");
    fake.says_as_it_is("qstat", answer);
    PbsScheduler pbs;
    for (const auto& task : status_of(pbs, asked_of("t", 2))) CHECK(task.phase == Phase::kUnknown);
  }
  FakePbs fake;
  fake.fails("qselect", "Connection refused\nqselect: cannot connect to server h (errno=15010)\n");
  PbsScheduler pbs;
  const JobStatus status = status_of(pbs, asked_of("t")).at(0);
  CHECK(status.phase == Phase::kUnknown);
  CHECK(status.evidence == "PBS does not answer: Connection refused");
}

TEST_CASE("a qstat that does not tell of a job it was asked for is not believed") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7.h\n");
  fake.says_as_it_is("qstat", answer_of({}));
  PbsScheduler pbs;
  JobStatus status = status_of(pbs, asked_of("t")).at(0);
  CHECK(status.phase == Phase::kUnknown);
  CHECK(status.evidence == "PBS does not answer: qstat is silent about 7.h");
  fake.fails("qstat", "qstat: Unknown Job Id 7.h\n", 153);
  status = status_of(pbs, asked_of("t")).at(0);
  CHECK(status.phase == Phase::kEnded);
}

TEST_CASE("a job that was seen is asked for by its id, whatever qselect says") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7.h\n");
  fake.says_as_it_is("qstat", answer_of({job("7.h", "t", "R")}));
  PbsScheduler pbs;
  CHECK(status_of(pbs, asked_of("t")).at(0).phase == Phase::kRunning);
  fake.says_as_it_is("qselect", "");
  CHECK(status_of(pbs, asked_of("t")).at(0).phase == Phase::kRunning);
  CHECK(status_of(pbs, asked_of("t", 1, false)).at(0).phase == Phase::kRunning);
}

TEST_CASE("a job that was handed over is asked for by its id, too") {
  FakePbs fake;
  fake.says("qsub", "7.h\n");
  fake.says_as_it_is("qstat", answer_of({job("7.h.site", "gpt-s1-abc", "Q")}));
  PbsScheduler pbs;
  pbs.submit(request_of());
  CHECK(status_of(pbs, asked_of("gpt-s1-abc")).at(0).phase == Phase::kWaiting);
  CHECK_THAT(fake.calls("qstat").at(0), Contains("[7.h]"));
}

TEST_CASE("what a qsub may have sent is waited for, then it never arrived") {
  FakePbs fake;
  PbsScheduler pbs;
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  Asked asked = asked_of("t", 1, false);
  asked.tried_until = now;
  JobStatus task = status_of(pbs, asked).at(0);
  CHECK(task.phase == Phase::kUnknown);
  CHECK_THAT(task.evidence, Catch::Matches("it may arrive within (29|30) s"));
  asked.tried_until = now - 31;
  task = status_of(pbs, asked).at(0);
  CHECK(task.phase == Phase::kAbsent);
  CHECK(task.evidence == "it never arrived");
}

TEST_CASE("others' jobs that the server hides are not missing") {
  Asked asked = asked_of("t");
  asked.owner = "somebody-else";
  FakePbs hidden;
  PbsScheduler pbs;
  const JobStatus status = status_of(pbs, asked).at(0);
  // root sees all.
  const bool sees_all = own_user() == "root";
  CHECK(status.phase == (sees_all ? Phase::kEnded : Phase::kUnknown));
}

TEST_CASE("while an array is told of and a task of it is not, the task is not gone") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7[].h\n");
  fake.says_as_it_is("qstat", answer_of({job("7[].h", "t", "B"), job("7[1].h", "t", "R")}));
  PbsScheduler pbs;
  const auto tasks = status_of(pbs, asked_of("t", 2));
  CHECK(tasks[0].phase == Phase::kRunning);
  CHECK(tasks[1].phase == Phase::kUnknown);
}

TEST_CASE("what waits or runs is deleted, each job or array once, and what is gone is no trouble") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7[].h\n9.h\n");
  fake.says_as_it_is("qstat", answer_of({job("7[].h", "a", "B"), job("7[1].h", "a", "R"),
                                         job("7[2].h", "a", "Q"), job("9.h", "c", "Q")}));
  PbsScheduler().cancel({asked_of("a", 2), asked_of("c")});
  CHECK(fake.calls("qdel") == Strings{"qdel [7[].h] [9.h] {}"});
  fake.fails("qdel", "qdel: Job has finished 9.h\n", 35);
  PbsScheduler().cancel({asked_of("c")});
  fake.fails("qdel", "qdel: Unauthorized Request 9.h\n", 7);
  CHECK_THROWS_WITH(PbsScheduler().cancel({asked_of("c")}), "qdel: Unauthorized Request 9.h");
}

TEST_CASE("what waits is altered, and counted by its tasks") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7[].h\n8.h\n");
  fake.says_as_it_is(
      "qstat", answer_of({job("7[].h", "a", "B"), job("7[1].h", "a", "R"), job("7[2].h", "a", "Q"),
                          job("7[3].h", "a", "Q"), job("8.h", "b", "R")}));
  PbsScheduler pbs;
  CHECK(pbs.update({asked_of("a", 3), asked_of("b")}, {"-l", "walltime=20:00"}) == 2);
  CHECK(fake.calls("qalter") == Strings{"qalter [-l] [walltime=20:00] [7[].h] {}"});
  fake.fails("qalter", "qalter: Unauthorized Request 7[].h\n");
  CHECK_THROWS_WITH(pbs.update({asked_of("a", 3)}, {"-l", "walltime=20:00"}),
                    Contains("Unauthorized Request"));
}

TEST_CASE("a job that its server lists no more is asked for by the id that it was given") {
  FakePbs fake(R"("default_queue":"workq")");  // and no history
  fake.says_as_it_is("qselect", "");
  fake.says_as_it_is("qstat", answer_of({job("7.h", "t", "R")}));
  PbsScheduler pbs;
  Asked asked = asked_of("t");
  asked.id = "7.h";
  CHECK(status_of(pbs, asked)[0].phase == Phase::kRunning);
  CHECK_THAT(fake.calls("qstat").at(0), Contains("[7.h]"));
  asked = asked_of("u");
  asked.id = "found";
  CHECK(status_of(pbs, asked)[0].phase == Phase::kEnded);
}

TEST_CASE("a server is told from another by its name") {
  const FakePbs fake;
  CHECK(PbsScheduler().place() == "h");
}

TEST_CASE("a limit of subjobs is asked for arrays alone") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7[].h\n8.h\n");
  fake.says_as_it_is("qstat", answer_of({job("7[].h", "a", "B"), job("7[1].h", "a", "Q"),
                                         job("7[2].h", "a", "Q"), job("8.h", "b", "Q")}));
  PbsScheduler pbs;
  const Strings limit{"-W", "max_run_subjobs=1"};
  CHECK(pbs.update({asked_of("a", 2), asked_of("b")}, limit) == 2);
  CHECK(fake.calls("qalter") == Strings{"qalter [-W] [max_run_subjobs=1] [7[].h] {}"});
  CHECK(pbs.update({asked_of("b")}, {"-l", "walltime=20:00", "-W", "max_run_subjobs=1"}) == 1);
  CHECK(fake.calls("qalter").back() == "qalter [-l] [walltime=20:00] [8.h] {}");
}

TEST_CASE("there is room for what server and queue leave, and none while they are silent") {
  FakePbs fake(R"("default_queue":"workq","max_queued":"[u:PBS_GENERIC=9]")");
  fake.says_as_it_is("qstat.-Q", R"({"pbs_server":"h","Queue":{"workq":{"max_array_size":5}}})");
  fake.says_as_it_is("qselect", "7[1].h\n7[2].h\n8.h\n");
  const Room room = PbsScheduler().room();
  CHECK(room.tasks_per_job == 5);
  CHECK(room.tasks == 6);
  CHECK_THAT(room.limit, Contains("max_queued of the server is 9"));
  CHECK_THAT(fake.calls("qstat").at(1), Contains("[-Q]") && Contains("[workq]"));
  PbsScheduler("prod@other").room();
  CHECK_THAT(join(fake.calls("qstat"), " "), Contains("[-Q]") && Contains("[prod]"));
  CHECK_THAT(join(fake.calls("qselect"), " "), Contains("[-q] [prod]"));
  fake.fails("qselect", "Connection refused\n");
  CHECK(PbsScheduler().room().tasks == 0);
  CHECK(PbsScheduler().room().limit == "PBS does not answer: Connection refused");
}

TEST_CASE("a queue that is none is left to qsub to refuse, and what is over holds no room") {
  FakePbs fake(R"("max_queued":"[u:PBS_GENERIC=9]")");
  fake.fails("qstat.-Q", "qstat: Unknown queue nosuch\n");
  fake.says_as_it_is("qselect", "7[].h\n7[1].h\n7[2].h\n8.h\n");
  const Room room = PbsScheduler("nosuch").room();
  CHECK(room.tasks == 6);  // the array itself is none
  CHECK_THAT(join(fake.calls("qselect"), " "), Contains("[-s] [BEHMQRSTUW]") && !Contains("[-q]"));
}

TEST_CASE("a warning beside a whole answer is no silence, and one beside a hole is") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7.h\n8.h\n");
  fake.says_as_it_is("qstat", answer_of({job("7.h", "t", "R"), job("8.h", "u", "R")}),
                     "bash: warning: setlocale: LC_ALL: cannot change locale\n");
  PbsScheduler pbs;
  CHECK(status_of(pbs, asked_of("t")).at(0).phase == Phase::kRunning);
  fake.says_as_it_is("qstat", answer_of({job("7.h", "t", "R")}), "warning\n");
  CHECK(status_of(pbs, asked_of("t")).at(0).evidence ==
        "PBS does not answer: qstat is silent about 8.h");
}

TEST_CASE("jobs that are ending are as good as deleted") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "9.h\n");
  fake.says_as_it_is("qstat", answer_of({job("9.h", "c", "E")}));
  fake.fails("qdel", "qdel: Request invalid for state of job 9.h\n");
  CHECK_NOTHROW(PbsScheduler().cancel({asked_of("c")}));
}

TEST_CASE("that a log's path is refused is told with the reason") {
  FakePbs fake;
  fake.fails("qsub", "qsub: illegal -o value\nusage: qsub [-a date_time]\n       qsub --version\n");
  const Handed handed = PbsScheduler().submit(request_of());
  CHECK(handed.answer == Handed::Answer::kRefused);
  CHECK(handed.words ==
        "qsub: illegal -o value; PBS takes paths of plain ASCII alone: move the "
        "database to such a folder");
}

TEST_CASE("variables of a job that pippin runs in do not reach PBS's programs") {
  const FakePbs fake;
  ::setenv("PBS_DPREFIX", "#QSUB", 1);
  ::setenv("PBS_O_QUEUE", "x", 1);
  ::setenv("PBS_CONF_FILE", "/etc/x.conf", 1);
  const std::string script = "echo \"<${PBS_DPREFIX-}> <${PBS_O_QUEUE-}> <$PBS_CONF_FILE> <$TZ>\"";
  CHECK(pbs::ask({"/bin/sh", "-c", script}, std::chrono::seconds(20)).output ==
        "<> <> </etc/x.conf> <UTC0>\n");
  for (const char* name : {"PBS_DPREFIX", "PBS_O_QUEUE", "PBS_CONF_FILE"}) ::unsetenv(name);
}

TEST_CASE("thousands of jobs are asked for in portions") {
  FakePbs fake;
  std::string ids;
  Strings jobs;
  for (int i = 0; i < 2500; ++i) {
    ids += fmt::format("{}.h\n", 10000 + i);
    jobs.push_back(job(fmt::format("{}.h", 10000 + i), i == 2400 ? "t" : "other", "R"));
  }
  fake.says_as_it_is("qselect", ids);
  fake.says_as_it_is("qstat", answer_of(jobs));
  PbsScheduler pbs;
  CHECK(status_of(pbs, asked_of("t")).at(0).phase == Phase::kRunning);
  CHECK(fake.calls("qstat").size() == 3);
}

TEST_CASE("what another job has in its variables and its name disables none of ours") {
  for (const std::string& odd :
       Strings{",\"comment\":\"caf\xe9\"", R"(,"Job_Name":007)", R"(,"A":1e999)", R"(,"A":-)",
               R"(,"A":[1.,.5,\x])", ",\"A\":\"a\nb\"", R"(,"A":"\"",  "B":"\\")",
               R"(,"A":"\x \u00e9 \u12 \/")", ",\"A\":\"caf\\\xe9\"", ",\"A\":\"a\\\nb\"",
               ",\"A\":" + std::string(900, '[') + std::string(900, ']')}) {
    INFO(odd);
    FakePbs fake;
    fake.says_as_it_is("qselect", "7.h\n8.h\n");
    fake.says_as_it_is("qstat", answer_of({job("7.h", "t", "R"), job("8.h", "u", "R", odd)}));
    PbsScheduler pbs;
    CHECK(status_of(pbs, asked_of("t")).at(0).phase == Phase::kRunning);
    CHECK(status_of(pbs, asked_of("u")).at(0).phase == Phase::kRunning);
  }
}

TEST_CASE("an id that is an option goes to no program") {
  FakePbs fake;
  fake.says_as_it_is("qselect", "7.h\n");
  fake.says_as_it_is(
      "qstat", answer_of({job("7.h", "t", "R"), job("-Wforce", "t", "R"), job("8 9.h", "t", "R")}));
  fake.says("qdel", "");
  PbsScheduler().cancel({asked_of("t")});
  CHECK(fake.calls("qdel") == Strings{"qdel [7.h] {}"});
}
