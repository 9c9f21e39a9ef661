#include <cstdio>
#include <string>
#include <vector>

#include "probes/common/environment.h"
#include "probes/common/error.h"
#include "probes/common/log.h"
#include "probes/common/megatron.h"
#include "probes/training/interval.h"
#include "probes/training/matmul.h"
#include "probes/training/memory.h"
#include "probes/training/settings.h"
#include "probes/training/trainer.h"

using namespace pippin::probes;

namespace {

constexpr const char* kIntro =
    "training: a GPT-2 style training step on one CPU rank, in Megatron-LM's log format\n"
    "\n"
    "usage: training [--option VALUE]…";

MemoryReport report_of(const Memory& memory) {
  constexpr double kMib = 1024.0 * 1024.0;
  const double now = static_cast<double>(memory.allocated()) / kMib;
  const double peak = static_cast<double>(memory.max_allocated()) / kMib;
  // Nothing is cached between allocations, so what is reserved is what is allocated.
  return {now, peak, now, peak};
}

void train(Log& log, const Setup& setup, Memory& memory, Trainer<float>& trainer) {
  Interval interval(setup);
  bool memory_reported = false;
  for (std::int64_t iteration = 1; iteration <= setup.iterations; ++iteration) {
    interval.add(trainer.step(iteration));
    if (iteration % setup.log_interval != 0) continue;
    log.line(iteration_line(interval.report(iteration)));
    if (!memory_reported) log.line(memory_line(0, iteration, report_of(memory)));
    memory_reported = true;
    log.line(times_line(interval.times()));
    interval.restart();
  }
}

ExitCode run(const std::vector<std::string>& arguments) {
  TrainingSettings settings;
  const OptionTable options = training_options(settings);
  if (!parse_options(options, arguments)) {
    std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  settings.optimizer.lr = settings.setup.lr;
  check(settings, launched_world());
  set_matmul_threads(settings.threads);

  Log log(stdout);
  print_header(log, "training", settings.setup, training_arguments(settings));
  Memory memory(memory_limit_bytes(settings));
  Trainer<float> trainer(memory, settings.setup, settings.optimizer);
  log.line(parameters_line(0, 0, parameter_count(trainer.table())));
  log.line("training ...");
  log.line(datetime_line("before the start of training step"));
  train(log, settings.setup, memory, trainer);
  log.line(datetime_line("after training is done"));
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  return guarded_main("training",
                      [&] { return run(std::vector<std::string>(argv + 1, argv + argc)); });
}
