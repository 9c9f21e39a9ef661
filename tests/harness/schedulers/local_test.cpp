// SPDX-License-Identifier: Apache-2.0
#include "harness/schedulers/local.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Phase = JobStatus::Phase;

namespace {

Asked asked_of(const std::string& token) { return {token, 1, true, {}, 0}; }

JobStatus status_of(LocalScheduler& scheduler, const std::string& token) {
  return scheduler.query({asked_of(token)}).at(token).at(0);
}

/// A queue of its own, on a machine lock of its own.
struct Queue {
  test::TemporaryDirectory folder;
  LocalScheduler scheduler{folder / "queue", folder / "machine.lock"};

  JobRequest job(const std::string& token, const std::string& script) {
    disk().write(folder / (token + ".sh"), script);
    return {token, folder / (token + ".sh"), folder / (token + ".log")};
  }
  Phase phase(const std::string& token) { return status_of(scheduler, token).phase; }
  std::string evidence(const std::string& token) { return status_of(scheduler, token).evidence; }
  std::string text(const std::string& name) {
    return disk().read(folder / name).value_or("(none)");
  }
  fs::path operator/(const std::string& name) { return folder / name; }
};

/// Waits for what must come; half a minute is for a machine under load.
template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("jobs run one at a time in the order they came") {
  Queue queue;
  const std::string mark = (queue / "order").string();
  for (int i = 0; i < 5; ++i) {
    const auto n = std::to_string(i);
    queue.scheduler.submit(queue.job(
        "job" + n, "echo start" + n + " >>" + mark + "; sleep 0.05; echo end" + n + " >>" + mark));
  }
  REQUIRE(eventually([&] { return queue.phase("job4") == Phase::kEnded; }));
  CHECK(queue.text("order") ==
        "start0\nend0\nstart1\nend1\nstart2\nend2\nstart3\nend3\nstart4\nend4\n");
  CHECK(queue.evidence("job0") == "exit 0");
}

TEST_CASE("a job knows phases from waiting to ended and an unknown one is absent") {
  Queue queue;
  CHECK(queue.phase("job") == Phase::kAbsent);
  queue.scheduler.submit(
      queue.job("job", "while [ ! -e go ]; do sleep 0.01; done; echo out; exit 5"));
  queue.scheduler.submit(queue.job("next", "true"));
  REQUIRE(eventually([&] { return queue.phase("job") == Phase::kRunning; }));
  CHECK(queue.phase("next") == Phase::kWaiting);
  disk().write(queue / "queue/go", "");
  REQUIRE(eventually([&] { return queue.phase("job") == Phase::kEnded; }));
  CHECK(queue.evidence("job") == "exit 5");
  CHECK(queue.text("job.log") == "out\n");
  CHECK(eventually([&] { return queue.phase("next") == Phase::kEnded; }));
}

TEST_CASE("a job whose queue was killed goes on and the machine stays taken until it ends") {
  Queue queue;
  const std::string mark = (queue / "order").string();
  queue.scheduler.submit(queue.job(
      "job",
      "echo start >>" + mark + "; while [ ! -e go ]; do sleep 0.01; done; echo end >>" + mark));
  REQUIRE(eventually([&] { return queue.text("order") == "start\n"; }));
  run_program({"pkill", "-KILL", "-f", "queue.bash " + (queue / "queue").string()});
  CHECK(queue.phase("job") == Phase::kRunning);
  queue.scheduler.submit(queue.job("next", "echo next >>" + mark));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(queue.phase("next") == Phase::kWaiting);
  disk().write(queue / "queue/go", "");
  REQUIRE(eventually([&] { return queue.phase("next") == Phase::kEnded; }));
  CHECK(queue.text("order") == "start\nend\nnext\n");
  CHECK(queue.evidence("job") == "its processes are gone");
}

TEST_CASE("a job that was killed with its queue is known to be gone") {
  Queue queue;
  queue.scheduler.submit(queue.job("job", "echo $$ >pid; exec sleep 1000"));
  REQUIRE(eventually(
      [&] { return disk().exists(queue / "queue/pid") && !queue.text("queue/pid").empty(); }));
  run_program({"pkill", "-KILL", "-f", "queue.bash " + (queue / "queue").string()});
  ::kill(static_cast<pid_t>(*parse_integer(trim(queue.text("queue/pid")))), SIGKILL);
  CHECK(eventually([&] { return queue.phase("job") == Phase::kEnded; }));
}

TEST_CASE("cancel ends what runs and what waits") {
  Queue queue;
  queue.scheduler.submit(queue.job("job", "sleep 1000"));
  queue.scheduler.submit(queue.job("next", "echo never >ran"));
  REQUIRE(eventually([&] { return queue.phase("job") == Phase::kRunning; }));
  queue.scheduler.cancel({asked_of("next"), asked_of("job")});
  CHECK(eventually([&] { return queue.phase("job") == Phase::kEnded; }));
  CHECK(queue.evidence("next") == "cancelled");
  CHECK_FALSE(disk().exists(queue / "queue/ran"));
}

TEST_CASE("how a job ended is told from the queue's words") {
  Queue queue;
  const auto end = [&](const std::string& token) { return status_of(queue.scheduler, token).end; };
  const auto is_over = [&](const char* token) { return queue.phase(token) == Phase::kEnded; };
  queue.scheduler.submit(queue.job("good", "exit 0"));
  queue.scheduler.submit(queue.job("bad", "exit 1"));
  REQUIRE(eventually([&] { return is_over("good") && is_over("bad"); }));
  CHECK(end("good") == End::kCompleted);
  CHECK(end("bad") == End::kApplication);
  queue.scheduler.submit(queue.job("runs", "sleep 1000"));
  queue.scheduler.submit(queue.job("waits", "true"));
  REQUIRE(eventually([&] { return queue.phase("runs") == Phase::kRunning; }));
  CHECK(end("waits") == End::kUnknown);
  queue.scheduler.cancel({asked_of("unknown"), asked_of("waits"), asked_of("runs")});
  CHECK(end("waits") == End::kUser);
  REQUIRE(eventually([&] { return is_over("runs"); }));
  CHECK(end("runs") == End::kInfrastructure);
  const auto unknown = status_of(queue.scheduler, "unknown");
  CHECK(unknown.phase == Phase::kAbsent);
  CHECK(unknown.evidence == "the queue does not know it");
  CHECK(queue.scheduler.query({asked_of("good"), asked_of("bad")}).size() == 2);
}

TEST_CASE("what a queue of an earlier machine left is run, and what ran there is gone") {
  Queue queue;
  const std::string number(20, '1');
  disk().write(queue / ("queue/running/" + number + "-lost"), "x");
  disk().write(queue / "queue/running/.hidden-12345678901234567890", "x");
  disk().write(queue / "queue/waiting/short", "x");
  const auto lost = status_of(queue.scheduler, "lost");
  CHECK(lost.phase == Phase::kEnded);
  CHECK(lost.end == End::kInfrastructure);
  CHECK(lost.evidence == "its processes are gone");
  CHECK(queue.phase("12345678901234567890") == Phase::kAbsent);
  disk().write(queue / "job.sh", "echo ran");
  disk().write(queue / ("queue/waiting/" + number + "-job"),
               (queue / "job.sh").string() + '\0' + (queue / "job.log").string() + '\0');
  disk().make_directory(queue / "queue/ended");
  REQUIRE(eventually([&] { return queue.phase("job") == Phase::kEnded; }));
  CHECK(queue.text("job.log") == "ran\n");
}

TEST_CASE("a submission is taken at once and its log is added to") {
  Queue queue;
  disk().write(queue / "job.log", "before\n");
  const Handed handed = queue.scheduler.submit(queue.job("job", "echo out; echo err >&2"));
  CHECK(handed.answer == Handed::Answer::kTaken);
  CHECK(handed.words == "local");
  REQUIRE(eventually([&] { return queue.phase("job") == Phase::kEnded; }));
  CHECK(queue.text("job.log") == "before\nout\nerr\n");
  CHECK(default_machine_lock().parent_path().filename() == fmt::format(".pippin-{}", ::geteuid()));
}

TEST_CASE("two queues on one machine take turns") {
  Queue first;
  LocalScheduler second(first / "second", first / "machine.lock");
  const std::string mark = (first / "order").string();
  first.scheduler.submit(first.job("a", "echo a1 >>" + mark + "; sleep 0.2; echo a2 >>" + mark));
  REQUIRE(eventually([&] { return first.text("order") == "a1\n"; }));
  second.submit(first.job("b", "echo b >>" + mark));
  REQUIRE(eventually([&] { return status_of(second, "b").phase == Phase::kEnded; }));
  CHECK(first.text("order") == "a1\na2\nb\n");
}

TEST_CASE("what a job leaves behind is ended before the next begins") {
  Queue queue;
  // In a session of its own, with the job's locks open: it would hold the machine for ever.
  queue.scheduler.submit(queue.job("job",
                                   "setsid --fork bash -c 'echo $$ >left; exec sleep 1000'; "
                                   "until [ -s left ]; do sleep 0.01; done"));
  queue.scheduler.submit(
      queue.job("next", "grep -q . /proc/$(cat left)/cmdline || echo gone >seen"));
  REQUIRE(eventually([&] { return queue.phase("next") == Phase::kEnded; }));
  CHECK(queue.text("queue/seen") == "gone\n");
}

TEST_CASE("cancel ends a job that was just taken from the queue and one without its queue") {
  for (const std::string pause : {"0", "0.01", "0.03", "0.1"}) {
    CAPTURE(pause);
    Queue queue;
    queue.scheduler.submit(queue.job("job", "setsid sleep 1000; setsid --wait sleep 1000"));
    run_program({"sleep", pause});
    if (pause == "0.1")
      run_program({"pkill", "-KILL", "-f", "queue.bash " + (queue / "queue").string()});
    queue.scheduler.cancel({asked_of("job")});
    CHECK(eventually([&] { return queue.phase("job") == Phase::kEnded; }));
  }
}

TEST_CASE("a machine lock that cannot be opened is an error and no wait for ever") {
  Queue queue;
  disk().write(queue / "taken", "");
  LocalScheduler nowhere(queue / "queue", queue / "taken/machine.lock");
  CHECK_THROWS_WITH(nowhere.submit(queue.job("job", "true")),
                    Catch::Contains("taken: is no folder that only you can write to"));
  // Handed over all the same: it runs where that is mended.
  fs::remove(queue / "taken");
  CHECK(eventually([&] { return status_of(nowhere, "job").phase == Phase::kEnded; }));
}

TEST_CASE("a machine lock in a folder that others can write to, or behind a link, is not taken") {
  Queue queue;
  disk().write(queue / "open/x", "");
  fs::permissions(queue / "open", fs::perms::all);
  LocalScheduler in_open(queue / "a", queue / "open/machine.lock");
  CHECK_THROWS_WITH(in_open.submit(queue.job("a", "true")),
                    Catch::Contains("is no folder that only you can write to"));
  disk().write(queue / "private", "secret");
  fs::create_symlink(queue / "private", queue / "machine.lock");
  CHECK_THROWS_WITH(queue.scheduler.submit(queue.job("b", "true")),
                    Catch::Contains("is a link, and no lock file"));
  CHECK(queue.text("private") == "secret");
}

TEST_CASE("a queue that waits for another's jobs says whose they are") {
  Queue first;
  LocalScheduler second(first / "second", first / "machine.lock");
  first.scheduler.submit(first.job("a", "until [ -e go ]; do sleep 0.01; done"));
  REQUIRE(eventually([&] { return first.phase("a") == Phase::kRunning; }));
  second.submit(first.job("b", "true"));
  const auto waits = status_of(second, "b");
  CHECK(waits.phase == Phase::kWaiting);
  CHECK_THAT(waits.evidence, Catch::StartsWith("this machine is taken by process ") &&
                                 Catch::EndsWith(", the queue of " + (first / "queue").string()));
  disk().write(first / "queue/go", "");
  CHECK(eventually([&] { return status_of(second, "b").phase == Phase::kEnded; }));
}

TEST_CASE("the lock of the machine outlives the user's session") {
  ::setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
  const auto lock = default_machine_lock();
  ::unsetenv("XDG_RUNTIME_DIR");
  CHECK(lock == default_machine_lock());
}

TEST_CASE("paths with blanks, quotes and line breaks are paths") {
  const test::TemporaryDirectory folder;
  const fs::path odd = folder / " it's \"odd\"\n$(touch pwned)\\ ";
  LocalScheduler scheduler(odd / "queue", odd / "machine.lock");
  disk().write(odd / "job.sh", "echo ran");
  fs::permissions(odd, fs::perms::owner_all);
  scheduler.submit({"job", odd / "job.sh", odd / "job.log"});
  REQUIRE(eventually([&] { return status_of(scheduler, "job").phase == Phase::kEnded; }));
  CHECK(disk().read(odd / "job.log") == "ran\n");
}
