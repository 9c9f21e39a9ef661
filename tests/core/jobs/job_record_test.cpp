// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/job_record.h"

#include "core/jobs/protocol.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

const std::string kBegun = "pippin: started=1700000000\n";
const std::string kOver = "pippin: exit=0 ended=1700000100 started=1700000000\n";

Attempt attempt_of(const std::string& record) {
  const test::TemporaryDirectory root;
  disk().write(root / "r/2-7-0/run", record);
  return SweepFolder(disk(), root.path()).attempts("r").at(0);
}

}  // namespace

TEST_CASE("a record says when a run began, what it called and how it ended") {
  const Attempt attempt = attempt_of(kBegun +
                                     "pippin: command\npippin_command () \n{ \n    true\n}\n"
                                     "pippin: end of command\n" +
                                     kOver);
  CHECK(attempt.name == "2-7-0");
  CHECK(attempt.submission == 2);
  CHECK(attempt.started == 1700000000);
  CHECK(attempt.ended == 1700000100);
  CHECK(attempt.exit_code == 0);
  CHECK(read_record(kBegun + "pippin: command\nf\n\ng\npippin: end of command\n").command ==
        "f\n\ng\n");
}

TEST_CASE("a run that its job stopped says why, after how long and what its log had last") {
  const Attempt attempt = attempt_of(
      kBegun +
      "pippin: stopping=stalled after=300\tstep 7\n"
      "pippin: exit=124 ended=1700000400 started=1700000000 stopped=stalled after=300\n");
  CHECK(attempt.exit_code == 124);
  CHECK(attempt.stopped == "stalled");
  CHECK(attempt.stopped_after_s == 300);
  CHECK(attempt.last_line == "step 7");
}

TEST_CASE("a run says that its job was suspended, and an earlier one's word is not its own") {
  const std::string over = "pippin: exit=0 ended=1700000100 started=1700000000\n";
  CHECK_FALSE(attempt_of(kBegun + over).suspended);
  CHECK(attempt_of(kBegun + "pippin: suspended=1 started=1700000000\n" + over).suspended);
  CHECK_FALSE(attempt_of(kBegun + "pippin: suspended=1 started=1699999999\n" + over).suspended);
}

TEST_CASE("an end that is torn, or does not say when its run was started, is none") {
  for (std::size_t size = 0; size < kOver.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(read_record(kBegun + kOver.substr(0, size)).end.exit_code);
  }
  for (const char* line :
       {"pippin: exit=0 ended=1700000100\n", "exit=0 ended=1 started=1700000000\n",
        "pippin: exit=0 ended=1700000100 started=1700000001\n",
        "pippin: exit= ended=1700000100 started=1700000000\n",
        "pippin: exit=0 started=1700000000\n"}) {
    CAPTURE(line);
    CHECK_FALSE(read_record(kBegun + line).end.exit_code);
  }
  CHECK_FALSE(read_record(kOver).end.exit_code);
}

TEST_CASE("what a job prints, and what its command looks like, are no words of its record") {
  const std::string hostile =
      "pippin: command\ncat <<EOF\n" + kOver + "EOF\npippin: end of command\n";
  CHECK_FALSE(read_record(kBegun + hostile).end.exit_code);
  CHECK_FALSE(read_record(kBegun + "pippin: command\n" + kOver).end.exit_code);  // torn in it
  const JobRecord among = read_record("loading modules\n" + kBegun + "50 %" + kOver + "bye\n");
  CHECK(among.end.exit_code == 0);
}

TEST_CASE(
    "an attempt that was ended from outside says whether its job's time was up, by its record") {
  const auto end = [](const std::string& words) {
    return read_record(kBegun + "pippin: " + words + " started=1700000000\n").end;
  };
  CHECK(end("signal=TERM time_up=1").interrupted);
  CHECK(end("signal=TERM time_up=1").time_up);
  CHECK(end("signal=TERM time_up=0").interrupted);
  CHECK_FALSE(end("signal=TERM time_up=0").time_up);
  CHECK_FALSE(read_record(kBegun + "pippin: signal=TERM time_up=1 started=1700000000\n" + kOver)
                  .end.interrupted);
}

TEST_CASE("a job's claim in the record of its only run is no attempt before that is launched") {
  const test::TemporaryDirectory root;
  SweepFolder folder(disk(), root.path());
  const std::string claim = "pippin: claim host=n1 pid=4 task=3 view=b/12\npippin: at host=n1\n";
  for (const std::string& text : {std::string(), claim, claim + "pippin: fault=it broke\n"}) {
    disk().write(root / "r/1-7-0/run", text);
    CHECK(folder.attempts("r").empty());
  }
  const JobRecord record = read_record(claim + "pippin: fault=it broke\n");
  CHECK(record.is_claim);
  CHECK(record.task == 3);
  CHECK(record.view == "b/12");
  CHECK(record.fault == "it broke");
  CHECK(record.provenance == "host=n1\n");
  disk().write(root / "r/1-7-0/run", claim + kBegun);
  CHECK(folder.attempts("r").size() == 1);
}
