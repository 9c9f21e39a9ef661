// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "probes/comm/ranked_main.h"
#include "probes/common/capabilities.h"
#include "probes/common/megatron.h"
#include "probes/device/matmul.h"
#include "probes/training/on_gpu.h"

using namespace pippin::probes;

namespace {

constexpr const char* kIntro =
    "training: a training step in three dimensions (TP, PP, DP), in Megatron-LM's log format\n"
    "\n"
    "usage: training [--option VALUE]…\n"
    "       mpirun -n RANKS training --tp TP --pp PP --dp DP [--option VALUE]…";

ExitCode run(const std::vector<std::string>& arguments, Session& session) {
  Communicator& world = session.world();
  TrainingSettings settings;
  const OptionTable options = training_options(settings);
  if (!parse_options(options, arguments)) {
    if (world.rank() == 0) std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  const Setup& setup = settings.setup;
  settings.optimizer.lr = setup.lr;
  check(settings, world.size());
  session.limit_silence(std::chrono::minutes(settings.backend.timeout_minutes));
  Log log(stdout, world.rank() == 0);
  print_header(log, "training", setup, training_arguments(settings));
  if (settings.device == "cuda")
    train_on_gpu(session, settings, log);
  else
    train_on_processor(session, settings, log);
  return ExitCode::kDone;
}

ExitCode tell_what_was_built() {
  std::printf("built with: MPI %s | BLAS %s | %s\n", Session::library().c_str(),
              matmul_library().c_str(), gpu_libraries().c_str());
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--built"})
    return guarded_main("training", tell_what_was_built);
  if (asks_for_capabilities(arguments)) {
    return guarded_main("training", [] {
      TrainingSettings settings;
      return print_capabilities("training", training_options(settings), cuda_build());
    });
  }
  return ranked_main(
      "training", [&](Session& session) { return run(arguments, session); }, argv);
}
