// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/ranked_main.h"

#include <chrono>
#include <string>
#include <thread>

#include "probes/comm/nodes.h"
#include "probes/comm/watch.h"
#include "probes/common/exec_cuda.h"

namespace pippin::probes {

namespace {

/// Speaks and ends every rank. A mistake in the options is every rank's: the first one says it and
/// ends the others before their second of silence is over.
[[noreturn]] void end_all(const char* program, int rank, const std::function<ExitCode()>& fail) {
  std::string speaker = program;
  if (rank > 0) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    speaker += ": rank " + std::to_string(rank) + " on " + node_name();
  }
  Session::abort(static_cast<ExitCode>(guarded_main(speaker.c_str(), fail)));
}

}  // namespace

int ranked_main(const char* program, const std::function<ExitCode(Session&)>& body, char* argv[]) {
  return guarded_main(program, [&] {
    if (argv) exec_cuda_program(argv);
    Session session;
    Watch watch(program, session.world(), find_nodes(session.world()));
    session.limit_silence = [&](std::chrono::milliseconds patience) {
      watch.limit_silence(patience);
    };
    session.fail = [&](const Error& problem) {
      watch.leave_in_error(problem.exit_code());
      end_all(program, session.world().rank(), [&]() -> ExitCode { throw Error(problem); });
    };
    try {
      return body(session);
    } catch (const std::exception& error) {
      if (session.world().size() == 1) throw;
      watch.leave_in_error(exit_code_of(error));
      const std::exception_ptr problem = std::current_exception();
      end_all(program, session.world().rank(),
              [&]() -> ExitCode { std::rethrow_exception(problem); });
    }
  });
}

}  // namespace pippin::probes
