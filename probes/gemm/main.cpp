// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "probes/comm/ranked_main.h"
#include "probes/common/capabilities.h"
#include "probes/gemm/run.h"

using namespace pippin::probes;

namespace {

constexpr const char* kIntro =
    "gemm: times the matrix products of a model and layout on every rank\n"
    "\n"
    "usage: gemm [--option VALUE]…";

ExitCode run(const std::vector<std::string>& arguments, Session& session) {
  Communicator& world = session.world();
  const bool first = world.rank() == 0;
  GemmSettings settings;
  const OptionTable options = gemm_options(settings);
  if (!parse_options(options, arguments)) {
    if (first) std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  if (settings.iterations > 0 && !settings.json.empty())
    bad_input("--iterations prints steps, no --json");
  chosen_products(settings);  // what is wrong with them, before anything is printed
  TwoLogs logs(settings.json, first);
  if (settings.device == "cuda")
    run_products_on_gpu(world, settings, logs);
  else
    run_products_on_processor(world, settings, logs);
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (asks_for_capabilities(arguments)) {
    return guarded_main("gemm", [] {
      GemmSettings settings;
      return print_capabilities("gemm", gemm_options(settings), cuda_build());
    });
  }
  return ranked_main(
      "gemm", [&](Session& session) { return run(arguments, session); }, argv);
}
