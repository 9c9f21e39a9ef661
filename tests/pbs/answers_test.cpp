// SPDX-License-Identifier: Apache-2.0
// Answers of OpenPBS 20 and 23 as its documents and its source give them, with names changed.
#include "pbs/answers.h"

#include "core/base/error.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::pbs;
using Catch::Contains;

namespace {

using Phase = JobStatus::Phase;
using Taken = Handed::Answer;

const std::string kRunning = R"json({
    "timestamp":1548756180,
    "pbs_version":"20.0.1",
    "pbs_server":"head",
    "Jobs":{
        "1234.head":{
            "Job_Name":"gpt-n4-s1-6f5139f2",
            "Job_Owner":"anna@login1.site",
            "resources_used":{"cpupercent":0,"cput":"00:00:00","mem":"2976kb","ncpus":4,"walltime":"00:00:05"},
            "job_state":"R",
            "queue":"workq",
            "ctime":"Tue Jan 29 14:36:20 2019",
            "exec_host":"n1/0*4+n2/0*4",
            "exec_vnode":"(n1:ncpus=4)+(n2:ncpus=4)",
            "Hold_Types":"n",
            "Resource_List":{"ncpus":8,"nodect":2,"place":"scatter","select":"2:ncpus=4","walltime":"00:20:00"},
            "stime":"Tue Jan 29 14:36:21 2019",
            "substate":42,
            "Variable_List":{"PBS_O_HOME":"/home/anna","PBS_O_PATH":"/usr/bin:/bin","PIPPIN_TOKEN":"gpt-n4-s1-6f5139f2","PBS_O_QUEUE":"workq"},
            "comment":"Job run at Tue Jan 29 at 14:36 on (n1:ncpus=4)+(n2:ncpus=4)",
            "run_count":1,
            "project":"_pbs_project_default"
        }
    }
})json";

Entry ended(const std::string& code, const std::string& substate, const std::string& used = "") {
  Entry entry;
  entry.attributes = {
      {"job_state", "F"}, {"substate", substate}, {"comment", "Job run at … on n1"}};
  if (!code.empty()) entry.attributes["Exit_status"] = code;
  if (!used.empty()) {
    entry.attributes["resources_used.walltime"] = used;
    entry.attributes["Resource_List.walltime"] = "00:20:00";
  }
  return entry;
}

Entry waiting(const Attributes& attributes) {
  Entry entry;
  entry.attributes = attributes;
  return entry;
}

std::vector<Entry> jobs_in(const std::string& output) {
  return entries_of(read_objects(output, "Jobs"));
}

}  // namespace

TEST_CASE("a job that runs has its token, its owner, its nodes, and a time by which it ends") {
  const auto entries = jobs_in(kRunning);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].id == "1234.head");
  CHECK(entries[0].array_id == "1234.head");
  CHECK(entries[0].task == 1);
  CHECK(entries[0].token == "gpt-n4-s1-6f5139f2");
  CHECK(entries[0].owner == "anna");
  CHECK(value_of(entries[0].attributes, "Resource_List.nodect") == "2");
  const JobStatus status = status_of(entries[0]);
  CHECK(status.phase == Phase::kRunning);
  CHECK(status.evidence == "n1/0*4+n2/0*4");
  CHECK(status.at == 1548772581 + 1200);
}

TEST_CASE("an array is told of, and each of its tasks") {
  const auto entries = jobs_in(
      R"({"pbs_server":"head","Jobs":{
        "9[].head":{"Job_Name":"t","Job_Owner":"anna@h","job_state":"B","array":"True"},
        "9[1].head":{"Job_Name":"t","Job_Owner":"anna@h","job_state":"X","substate":92,"Exit_status":0},
        "9[2].head":{"Job_Name":"t","Job_Owner":"anna@h","job_state":"Q"}}})");
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].task == 1);
  CHECK(entries[1].task == 2);
  CHECK(entries[2].task == 0);
  for (const auto& entry : entries) {
    CHECK(entry.array_id == "9[].head");
    CHECK(entry.token == "t");  // no variable says more
  }
  CHECK(status_of(entries[0]).end == End::kCompleted);
  CHECK(status_of(entries[1]).phase == Phase::kWaiting);
}

TEST_CASE("an answer without jobs is one, and silence, half an answer or an error page is none") {
  CHECK(read_objects(R"({"timestamp":1,"pbs_server":"head"})", "Jobs").empty());
  CHECK(read_objects(R"({"timestamp":1,"pbs_server":"head","Jobs":{}})", "Jobs").empty());
  for (const std::string output : {"", "\n", "{}", "[]", "<html>", "7"}) {
    CAPTURE(output);
    CHECK_THROWS_WITH(read_objects(output, "Jobs"), Contains("an answer that pippin cannot read"));
  }
  for (std::size_t size = 1; size < kRunning.size(); size += 7)
    CHECK_THROWS_AS(read_objects(kRunning.substr(0, size), "Jobs"), Error);
}

TEST_CASE("why a job is over: its script, its limits, a user, or what it ran on") {
  struct Case {
    Entry entry;
    End end;
  };
  const std::vector<Case> cases{
      {ended("0", "92"), End::kCompleted},
      {ended("1", "93"), End::kApplication},
      {ended("143", "93"), End::kApplication},  // the script's own, as a signal would be 271
      {ended("265", "93"), End::kInfrastructure},
      {ended("271", "91"), End::kUser},
      {ended("0", "91"), End::kUser},  // the script ended well when it was told to
      {ended("", "91"), End::kUser},
      {ended("271", "93", "00:20:03"), End::kLimit},
      {ended("0", "92", "00:20:00"), End::kLimit},
      {ended("0", "92", "00:19:59"), End::kCompleted},
      {ended("-29", "93"), End::kLimit},
      {ended("-27", "91"), End::kLimit},
      {ended("-1", "93"), End::kInfrastructure},
      {ended("-11", "93"), End::kInfrastructure},
      {ended("-20", "93"), End::kInfrastructure},
      {ended("", "93"), End::kUnknown},
  };
  for (const auto& [entry, end] : cases) {
    const JobStatus status = status_of(entry);
    CAPTURE(status.evidence);
    CHECK(status.phase == Phase::kEnded);
    CHECK(status.end == end);
  }
  CHECK(status_of(ended("271", "93", "00:20:03")).evidence ==
        "its walltime is used up (exit 271; Job run at … on n1)");
  CHECK(status_of(ended("", "91")).evidence == "it was deleted (Job run at … on n1)");
  CHECK(status_of(ended("-29", "93")).evidence ==
        "its walltime is used up (exit -29; Job run at … on n1)");
  CHECK(says_out_of_memory(status_of(ended("-27", "91")).evidence));
  Entry task = ended("", "91");
  task.attributes["comment"] = " and terminated";
  CHECK(status_of(task).evidence == "it was deleted");
}

TEST_CASE("what waits says why, and what to do where it will not start by itself") {
  const std::string comment = "Not Running: Insufficient amount of resource: ncpus";
  JobStatus status = status_of(waiting({{"job_state", "Q"}, {"comment", comment}}));
  CHECK(status.phase == Phase::kWaiting);
  CHECK(status.evidence == comment);
  CHECK(status.remedy.empty());
  status = status_of(waiting({{"job_state", "Q"}, {"comment", "Can Never Run: no node"}}));
  CHECK_THAT(status.remedy, Contains("no node is as it asks"));
  CHECK_THAT(remedy_of(waiting({{"job_state", "H"}, {"Hold_Types", "u"}})), Contains("qrls"));
  CHECK(remedy_of(waiting({{"job_state", "H"}, {"Hold_Types", "s"}, {"depend", "afterany:7.h"}}))
            .empty());
  CHECK_THAT(remedy_of(waiting({{"job_state", "H"}, {"Hold_Types", "s"}})),
             Contains("administrator"));
  CHECK_THAT(remedy_of(waiting({{"job_state", "H"}, {"Hold_Types", "s"}, {"run_count", "21"}})),
             Contains("too often"));
  CHECK(
      status_of(waiting({{"job_state", "W"}, {"Execution_Time", "Tue Jan 29 14:36:21 2019"}})).at ==
      1548772581);
  CHECK(status_of(waiting({{"job_state", "M"}})).phase == Phase::kUnknown);
  CHECK(status_of(waiting({})).phase == Phase::kUnknown);
}

TEST_CASE("what qsub says is believed where it is the server's word") {
  struct Case {
    int exit_code;
    std::string output, errors;
    Taken answer;
  };
  const std::vector<Case> cases{
      {0, "1234.head\n", "", Taken::kTaken},
      {0, "1234[].head.site\n", "", Taken::kTaken},
      {0, "", "", Taken::kUnsure},
      {0, "Have a nice day\n", "", Taken::kUnsure},
      {137, "", "", Taken::kUnsure},
      {1, "", "", Taken::kUnsure},
      {1, "1234.head\n", "qsub: x\n", Taken::kUnsure},
      {170, "", "qsub: Unknown queue\n", Taken::kRefused},
      {2, "", "qsub: illegal -N value\nusage: qsub [-a date_time]\n", Taken::kRefused},
      {32, "", "qsub: Not allowed by the hook of this site\n", Taken::kRefused},
      {15, "", "qsub: Array job exceeds server or queue size limit\n", Taken::kRefused},
      {38, "", "qsub: would exceed complex's per-user limit\n", Taken::kNoRoom},
      {38, "", "qsub: Maximum number of jobs for user anna already in queue workq\n",
       Taken::kNoRoom},
      {255, "", "Connection refused\nqsub: cannot connect to server head (errno=15010)\n",
       Taken::kUnsure},
      {1, "", "qsub: Request not allowed: Server shutting down\n", Taken::kUnsure},
      {1, "", "qsub: Queue is not enabled\n", Taken::kNoRoom},
      {1, "", "qsub: Error (15031 / -1) submitting job\n", Taken::kUnsure},
      {1, "", "qsub: End of File\n", Taken::kUnsure},
      {1, "", "qsub: PBS server internal error\n", Taken::kUnsure},
      {1, "", "qsub: Batch protocol error\n", Taken::kUnsure},
      {175, "", "qsub: your project is disconnected from this protocol\n", Taken::kRefused},
  };
  for (const auto& one : cases) {
    CAPTURE(one.output, one.errors);
    CHECK(read_submission(one.exit_code, one.output, one.errors).answer == one.answer);
  }
  CHECK(read_submission(0, "1234.head\n", "").words == "1234.head");
  CHECK(read_submission(170, "", "qsub: Unknown queue\n").words == "qsub: Unknown queue");
  CHECK(read_submission(2, "",
                        "qsub: illegal -o value\nusage: qsub [-a date_time]\n   qsub --version\n")
            .words == "qsub: illegal -o value");
  CHECK(read_submission(1, "", "warning: no locale\nqsub: no account\nSee our pages\n").words ==
        "qsub: no account");
  CHECK(read_submission(137, "", "").words == "qsub exits 137");
}

TEST_CASE("a time that no job can have is none") {
  CHECK_FALSE(seconds_of("9223372036854775807:00"));
  CHECK_FALSE(time_of("9223372036854775807"));
  CHECK_FALSE(time_of("-1"));
}

TEST_CASE("times are read in each of PBS's forms") {
  CHECK(seconds_of("01:20:05") == 4805);
  CHECK(seconds_of("20:00") == 1200);
  CHECK(seconds_of("90") == 90);
  for (const std::string text : {"", "a:b", "1:2:3:4", "-5", "1:-2"}) {
    CAPTURE(text);
    CHECK_FALSE(seconds_of(text));
  }
  CHECK(time_of("Tue Jan 29 14:36:21 2019") == 1548772581);
  CHECK(time_of("1548772581") == 1548772581);
  CHECK_FALSE(time_of("soon"));
  CHECK_FALSE(time_of("Tue Jan 29 14:36:21 2019 or so"));
}

TEST_CASE("a name is the token where PBS lets it be one") {
  CHECK(job_name_of("gpt-52b_n4.s1+6f") == "gpt-52b_n4.s1+6f");
  CHECK(job_name_of("52b-tp4") == "p-52b-tp4");
  CHECK(job_name_of("a b@c") == "a_b_c");
  CHECK(job_name_of("") == "p-");
  CHECK(job_name_of(std::string(300, 'x')).size() == 230);
}

TEST_CASE("only jobs that are not there any more are no trouble") {
  CHECK(speaks_of_ended_jobs_only("qdel: Request invalid for state of job 104.head\n"));
  CHECK(speaks_of_ended_jobs_only("qdel: Unknown Job Id 7.head\n"));
  CHECK_FALSE(speaks_of_ended_jobs_only("qdel: Unauthorized Request 7.head\n"));
  CHECK_FALSE(speaks_of_unknown_jobs_only("qdel: Request invalid for state of job 104.head\n"));
  CHECK(speaks_of_unknown_jobs_only("qstat: Unknown Job Id 7.head\n"));
  CHECK(speaks_of_unknown_jobs_only(
      "qstat: 7.head Job has finished, use -x or -H to obtain historical job information\n"));
  CHECK_FALSE(speaks_of_unknown_jobs_only("qstat: Unknown Job Id 7.head\nConnection refused\n"));
}

TEST_CASE("words of PBS's are shown as far as a person reads them") {
  const std::string long_words(100'000, 'w');
  CHECK(pbs::read_submission(1, "", "qsub: " + long_words).words.size() < 400);
  CHECK(pbs::read_submission(0, "1" + long_words + ".h", "").answer != Handed::Answer::kTaken);
  CHECK(pbs::read_submission(0, "4711\x1b[2J.h", "").answer != Handed::Answer::kTaken);
  pbs::Entry entry;
  entry.attributes = {{"job_state", "Q"}, {"comment", long_words}};
  CHECK(pbs::status_of(entry).evidence.size() < 400);
}
