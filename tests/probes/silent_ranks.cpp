// SPDX-License-Identifier: Apache-2.0
// silent_ranks HOW SECONDS: ranks that end where one gives no sign of life for so long. HOW "last":
// the last rank stops itself for good, "first": the first one; "nap": all do, and are woken after
// twice the time.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>

#include "probes/comm/ranked_main.h"

using namespace pippin::probes;

namespace {

void stop_until_woken(int seconds) {
  const pid_t self = ::getpid();
  if (::fork() == 0) {
    ::sleep(static_cast<unsigned>(seconds));
    ::kill(self, SIGCONT);
    ::_exit(0);
  }
  ::raise(SIGSTOP);
}

/// mpirun wakes a rank before it kills it, which must not let it go on.
[[noreturn]] void stop_for_good() {
  for (;;) ::raise(SIGSTOP);
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 3) return 2;
  const std::string how = argv[1];
  const int patience_s = std::atoi(argv[2]);
  return ranked_main(
      "silent_ranks",
      [&](Session& session) {
        Communicator& world = session.world();
        session.limit_silence(std::chrono::seconds(patience_s));
        world.barrier();
        const int victim = how == "first" ? 0 : world.size() - 1;
        if (how == "nap") stop_until_woken(2 * patience_s);
        if (how != "nap" && world.rank() == victim) stop_for_good();
        world.barrier();
        if (world.rank() == 0) std::puts("all are there");
        return ExitCode::kDone;
      },
      nullptr);
}
