// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "probes/common/capabilities.h"
#include "probes/common/environment.h"
#include "probes/common/error.h"
#include "probes/common/log.h"
#include "probes/replay/replay.h"
#include "probes/replay/settings.h"

using namespace pippin::probes;

namespace {

constexpr const char* kIntro =
    "replay: prints the log of a training run whose truth is given, in Megatron-LM's format\n"
    "\n"
    "usage: replay [--option VALUE]…";

ExitCode run(const std::vector<std::string>& arguments) {
  ReplaySettings settings = replay_settings();
  const OptionTable options = replay_options(settings);
  if (asks_for_capabilities(arguments)) return print_capabilities("replay", options, cuda_build());
  if (!parse_options(options, arguments)) {
    std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  check(settings);
  // One process speaks for the whole layout, however many were launched.
  Log log(stdout, launched_rank() == 0);
  replay(log, settings);
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  return guarded_main("replay",
                      [&] { return run(std::vector<std::string>(argv + 1, argv + argc)); });
}
