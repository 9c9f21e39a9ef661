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
