// SPDX-License-Identifier: Apache-2.0
#include "probes/replay/failure.h"

#include <csignal>
#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>

#include "probes/common/error.h"
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

using Lines = std::vector<std::string>;

Lines traceback(const std::string& error) {
  return {"Traceback (most recent call last):", "  File \"pretrain_gpt.py\", line 155, in <module>",
          "    pretrain(train_valid_test_datasets_provider, model_provider, forward_step,",
          "  File \"megatron/training.py\", line 739, in train", error};
}

Lines exit_lines(std::int64_t iteration) {
  return traceback("RuntimeError: replay was told to fail at iteration " +
                   std::to_string(iteration));
}

// The forms of PyTorch 1.x and of Slurm, as public logs have them.
Lines oom_lines(std::int64_t) {
  return traceback(
      "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 31.75 GiB total "
      "capacity; 28.51 GiB already allocated; 1.12 GiB free; 29.40 GiB reserved in total by "
      "PyTorch)");
}

Lines crash_lines(std::int64_t) {
  return {
      text("  exitcode  : -11 (pid: %d)", static_cast<int>(::getpid())),
      text("  traceback : Signal 11 (SIGSEGV) received by PID %d", static_cast<int>(::getpid()))};
}

Lines timeout_lines(std::int64_t) {
  return {"slurmstepd: error: *** STEP 1.0 ON node1 CANCELLED AT " +
          local_time("%Y-%m-%dT%H:%M:%S") + " DUE TO TIME LIMIT ***"};
}

Lines hang_lines(std::int64_t) { return {}; }

[[noreturn]] void leave(int code) { std::_Exit(code); }

/// Dies by the signal itself, past any handler, and without a core file.
[[noreturn]] void die_by(int signal) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  leave(128 + signal);
}

[[noreturn]] void exit_failed() { leave(static_cast<int>(ExitCode::kFailed)); }
[[noreturn]] void die_crashed() { die_by(SIGSEGV); }
[[noreturn]] void die_terminated() { die_by(SIGTERM); }
[[noreturn]] void wait_forever() {
  for (;;) ::pause();
}

struct Failure {
  const char* name;
  Lines (*lines)(std::int64_t);
  void (*end)();
};

constexpr Failure kFailures[] = {
    {"exit", exit_lines, exit_failed},
    {"oom", oom_lines, exit_failed},
    {"crash", crash_lines, die_crashed},
    {"hang", hang_lines, wait_forever},
    {"timeout-line", timeout_lines, die_terminated},
};

const Failure& failure_of(const std::string& way) {
  for (const auto& failure : kFailures)
    if (way == failure.name) return failure;
  bad_input("no way to fail: '" + way + "'");
}

}  // namespace

std::vector<std::string> failure_names() {
  std::vector<std::string> names;
  for (const auto& failure : kFailures) names.emplace_back(failure.name);
  return names;
}

std::vector<std::string> evidence_lines(const std::string& way, std::int64_t iteration) {
  return failure_of(way).lines(iteration);
}

void die(Log& log, const std::string& way, std::int64_t iteration) {
  for (const auto& line : evidence_lines(way, iteration)) log.line(line);
  failure_of(way).end();
  leave(static_cast<int>(ExitCode::kFailed));
}

}  // namespace pippin::probes
