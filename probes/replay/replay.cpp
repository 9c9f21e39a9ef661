// SPDX-License-Identifier: Apache-2.0
#include "probes/replay/replay.h"

#include <chrono>
#include <thread>

#include "probes/common/megatron.h"
#include "probes/replay/failure.h"
#include "probes/replay/truth.h"

namespace pippin::probes {

namespace {

void print_parameters(Log& log, const Setup& s) {
  for (std::int64_t stage = 0; stage < s.pp; ++stage)
    for (std::int64_t t = 0; t < s.tp; ++t)
      log.line(parameters_line(t, stage, parameters_of_stage(s, stage)));
}

/// One line from every rank of the first data-parallel replica. Rank order: TP, then DP, then PP.
void print_memory(Log& log, const ReplaySettings& settings, std::int64_t iteration) {
  constexpr double kReservedShare = 1.1, kAllocatedShare = 0.9;  // made up, near real logs
  const Setup& s = settings.setup;
  for (std::int64_t stage = 0; stage < s.pp; ++stage) {
    const double peak = settings.memory_mib > 0 ? settings.memory_mib : estimated_mib(s, stage);
    const MemoryReport report{peak * kAllocatedShare, peak, peak * kReservedShare,
                              peak * kReservedShare};
    for (std::int64_t t = 0; t < s.tp; ++t)
      log.line(memory_line(stage * s.dp * s.tp + t, iteration, report));
  }
}

/// Fixed shares of the step, near those of a real pipelined log.
Times made_up_times(const Setup& s, double elapsed_ms) {
  if (s.world() == 1)
    return {{"forward-compute", 0.3 * elapsed_ms},
            {"backward-compute", 0.65 * elapsed_ms},
            {"optimizer", 0.04 * elapsed_ms},
            {"batch-generator", 0.01 * elapsed_ms}};
  return {{"forward-compute", 0.25 * elapsed_ms},
          {"forward-recv", 0.02 * elapsed_ms},
          {"backward-compute", 0.6 * elapsed_ms},
          {"backward-send", 0.01 * elapsed_ms},
          {"backward-send-forward-recv", 0.05 * elapsed_ms},
          {"backward-params-all-reduce", 0.02 * elapsed_ms},
          {"backward-embedding-all-reduce", 0.02 * elapsed_ms},
          {"optimizer", 0.02 * elapsed_ms},
          {"batch-generator", 0.01 * elapsed_ms}};
}

IterationReport report_of(const Setup& s, std::int64_t iteration, double elapsed_ms) {
  IterationReport report;
  report.iteration = iteration;
  report.iterations = s.iterations;
  report.consumed_samples = iteration * s.gbs();
  report.elapsed_ms = elapsed_ms;
  report.learning_rate = s.lr;
  report.global_batch_size = s.gbs();
  report.lm_loss = made_up_loss(s, iteration);
  report.grad_norm = 1.0;
  return report;
}

/// The run while it goes on.
class Run {
 public:
  Run(Log& log, const ReplaySettings& settings)
      : log_(log), settings_(settings), times_(settings.truth, settings.setup.seed) {}

  void iterate(std::int64_t iteration) {
    const Setup& s = settings_.setup;
    if (iteration == settings_.fail_at) die(log_, settings_.fail_with, iteration);
    spend(times_.of(iteration));
    if (iteration % s.log_interval == 0) print(iteration);
    if (due(settings_.eval_interval, iteration)) {
      spend(settings_.eval_time_ms);
      print(validation_lines(iteration, made_up_loss(s, iteration)));
    }
    if (due(settings_.save_interval, iteration)) {
      spend(settings_.save_time_ms);
      print(checkpoint_lines(iteration, settings_.save_time_ms));
    }
  }

 private:
  static bool due(std::int64_t interval, std::int64_t iteration) {
    return interval > 0 && iteration % interval == 0;
  }

  void spend(double milliseconds) {
    elapsed_ms_ += milliseconds;
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::milli>(milliseconds * settings_.sleep_factor));
  }

  void print(const std::vector<std::string>& lines) {
    for (const auto& line : lines) log_.line(line);
  }

  void print(std::int64_t iteration) {
    const Setup& s = settings_.setup;
    const double mean_ms = elapsed_ms_ / static_cast<double>(s.log_interval);
    log_.line(iteration_line(report_of(s, iteration, mean_ms)));
    if (iteration == s.log_interval) print_memory(log_, settings_, iteration);
    log_.line(times_line(made_up_times(s, mean_ms)));
    elapsed_ms_ = 0;
  }

  Log& log_;
  const ReplaySettings& settings_;
  StepDraws times_;
  double elapsed_ms_ = 0;  ///< since the line before: Megatron's time holds saves and evaluations
};

}  // namespace

void replay(Log& log, const ReplaySettings& settings) {
  print_header(log, "replay", settings.setup, replay_arguments(settings));
  print_parameters(log, settings.setup);
  log.line("training ...");
  log.line(datetime_line("before the start of training step"));
  Run run(log, settings);
  for (std::int64_t i = 1; i <= settings.setup.iterations; ++i) run.iterate(i);
  log.line(datetime_line("after training is done"));
}

}  // namespace pippin::probes
