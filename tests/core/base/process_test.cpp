// SPDX-License-Identifier: Apache-2.0
#include "core/base/process.h"

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

constexpr std::chrono::seconds kLong{30};

bool is_alive(const std::string& process) {
  return !process.empty() && disk().exists("/proc/" + process + "/fd");
}

template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("a program that is asked says output and errors apart, in the environment given") {
  const Answer answer = ask_program(
      {"bash", "-c", "echo \"$X-${HOME:-none}\"; echo wrong >&2; exit 3"}, {{"X", "a b"}}, kLong);
  CHECK(answer.exit_code == 3);
  CHECK(answer.output == "a b-none\n");
  CHECK(answer.errors == "wrong\n");
  CHECK_FALSE(answer.gave_up);
}

TEST_CASE("one that takes too long is killed, whatever it has left behind") {
  const auto begin = std::chrono::steady_clock::now();
  const Answer answer = ask_program({"bash", "-c", "sleep 1000 & echo before; wait"},
                                    own_environment(), std::chrono::milliseconds(200));
  CHECK(answer.gave_up);
  CHECK(answer.exit_code == 128 + SIGKILL);
  CHECK(std::chrono::steady_clock::now() - begin < kLong);
}

TEST_CASE("one that closes its outputs and goes on is killed all the same") {
  const auto begin = std::chrono::steady_clock::now();
  const Answer answer = ask_program({"bash", "-c", "echo before; exec >&- 2>&-; exec sleep 1000"},
                                    own_environment(), std::chrono::milliseconds(300));
  CHECK(answer.gave_up);
  CHECK(answer.output == "before\n");
  CHECK(std::chrono::steady_clock::now() - begin < kLong);
  const Answer in_time = ask_program({"bash", "-c", "exec >&- 2>&-; sleep 0.1; exit 3"},
                                     own_environment(), std::chrono::minutes(1));
  CHECK_FALSE(in_time.gave_up);
  CHECK(in_time.exit_code == 3);
}

TEST_CASE("a program that is asked dies with the process that asks") {
  const test::TemporaryDirectory folder;
  const std::string file = (folder / "pid").string();
  const pid_t asker = ::fork();
  if (asker == 0) {
    ask_program({"bash", "-c", "echo $$ >'" + file + "'; sleep 1000"}, own_environment(), kLong);
    ::_exit(0);
  }
  const auto pid = [&] { return std::string(trim(disk().read(file).value_or(""))); };
  REQUIRE(eventually([&] { return is_alive(pid()); }));
  ::kill(asker, SIGKILL);
  ::waitpid(asker, nullptr, 0);
  CHECK(eventually([&] { return !is_alive(pid()); }));
}

TEST_CASE("a program that is not there is named") {
  CHECK_THROWS_WITH(ask_program({"no-such-program"}, {}, kLong),
                    Catch::Contains("cannot find 'no-such-program'"));
}

TEST_CASE("a program runs without input, and found by its path or on PATH") {
  CHECK(run_program({"cat"}).output.empty());
  CHECK(run_program({"/bin/sh", "-c", "echo $0 $1", "a b", "c"}).output == "a b c\n");
  CHECK(ask_program({"cat"}, own_environment(), kLong).exit_code == 0);
  CHECK_THROWS_WITH(run_program({"/no/such/program"}),
                    Catch::Contains("cannot start '/no/such/program': No such file"));
  CHECK(find_program("sh").filename() == "sh");
  CHECK(find_program("no-such-program").empty());
  CHECK(own_executable().filename() == "base_test");
}

TEST_CASE("this process's environment is every variable with its value") {
  ::setenv("PIPPIN_TEST_X", "a=b", 1);
  ::setenv("PIPPIN_TEST_Y", "", 1);
  const Variables variables = own_environment();
  const auto value_of = [&](const std::string& name) {
    for (const auto& variable : variables) {
      if (variable.first == name) return variable.second;
    }
    return std::string("none");
  };
  CHECK(value_of("PIPPIN_TEST_X") == "a=b");
  CHECK(value_of("PIPPIN_TEST_Y").empty());
  ::unsetenv("PIPPIN_TEST_X");
  ::unsetenv("PIPPIN_TEST_Y");
}

TEST_CASE("what a signal ended says which") {
  CHECK(run_program({"sh", "-c", "kill -15 $$"}).exit_code == 128 + SIGTERM);
  CHECK(ask_program({"sh", "-c", "kill -15 $$"}, own_environment(), kLong).exit_code ==
        128 + SIGTERM);
}

TEST_CASE("one that is given up keeps what it had said") {
  const Answer answer = ask_program({"sh", "-c", "echo out; echo err >&2; exec sleep 1000"},
                                    own_environment(), std::chrono::milliseconds(500));
  CHECK(answer.gave_up);
  CHECK(answer.output == "out\n");
  CHECK(answer.errors == "err\n");
}

TEST_CASE("what is started apart has a session of its own and adds its output to its log") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "log", "before\n");
  start_detached({"sh", "-c", "ps -o sid= -p $$; echo done"}, folder / "log");
  REQUIRE(eventually(
      [&] { return disk().read(folder / "log").value_or("").find("done") != std::string::npos; }));
  const std::string log = disk().read(folder / "log").value_or("");
  const auto lines = split(trim(log), '\n');
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "before");
  CHECK(trim(lines[1]) != std::to_string(::getsid(0)));
  CHECK_THROWS_WITH(start_detached({"true"}, folder / "none/log"),
                    Catch::Contains("none/log: cannot write"));
}
