// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "probes/canary/kept_sizes.h"
#include "probes/canary/on_gpu.h"
#include "probes/canary/report.h"
#include "probes/collective/host_space.h"
#include "probes/comm/ranked_main.h"
#include "probes/common/capabilities.h"
#include "probes/common/log.h"
#include "probes/common/options.h"
#include "probes/device/cpu.h"

using namespace pippin::probes;

namespace {

constexpr const char* kIntro =
    "canary: a short reading of how fast the machine is now: a matrix product, all-reduces, and\n"
    "the pairs of nodes\n"
    "\n"
    "usage: canary [--option VALUE]…";

struct CanarySettings {
  double seconds = 5;
  std::string device = "cpu";  ///< or "cuda"
  std::int64_t threads = 1;
  std::int64_t bytes = 0;  ///< 0: what fits
  std::string sizes_in;    ///< empty: nowhere
};

OptionTable canary_options(CanarySettings& s) {
  return {number_option("--seconds", s.seconds, 0.05, 3600, "wall time, the launch aside"),
          choice_option("--device", s.device, {"cpu", "cuda"}, "what each rank runs on"),
          whole_option("--threads", s.threads, 1, 4096, "of each rank's product"),
          size_option("--bytes", s.bytes, kFewestBytes, std::int64_t{1} << 30,
                      "of the larger all-reduce and of the pairs, else what fits"),
          word_option("--sizes-in", s.sizes_in,
                      "folder whose first reading's sizes later ones take over")};
}

CanaryReading take_reading_on_processor(Session& session, const CanarySettings& settings,
                                        const CanarySizes& fixed) {
  HostSpace space;
  CpuDevice<float> device(space.memory(), settings.threads);
  HostClock clock;
  return take_reading<float>(
      {device, clock, session.world(), space, session.talks_by(), kProcessorSizes, fixed},
      settings.seconds);
}

ExitCode run(const std::vector<std::string>& arguments, Session& session) {
  const bool first = session.world().rank() == 0;
  CanarySettings settings;
  const OptionTable options = canary_options(settings);
  if (!parse_options(options, arguments)) {
    if (first) std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  Log log(stdout, first);
  log.line(" > probe: pippin canary 1");
  const KeptSizes kept(settings.sizes_in, settings.device, session.world());
  CanarySizes fixed = kept.read();
  if (settings.bytes > 0) fixed.bytes = fixed.pair_bytes = settings.bytes;
  const CanaryReading reading = settings.device == "cuda"
                                    ? take_reading_on_gpu(session, settings.seconds, fixed)
                                    : take_reading_on_processor(session, settings, fixed);
  kept.keep(sizes_of(reading));
  for (const auto& line : reading_lines(reading)) log.line(line);
  log.line(reading_record(reading));
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (asks_for_capabilities(arguments)) {
    return guarded_main("canary", [] {
      CanarySettings settings;
      return print_capabilities("canary", canary_options(settings), cuda_build());
    });
  }
  return ranked_main(
      "canary", [&](Session& session) { return run(arguments, session); }, argv);
}
