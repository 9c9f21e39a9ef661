#include "probes/training/interval.h"

#include <cmath>

namespace pippin::probes {

void Interval::add(const StepResult& result) {
  ++sums_.iterations;
  if (!std::isfinite(result.loss)) ++sums_.nan;
  if (!result.skipped) {
    ++sums_.advanced;
    sums_.loss += result.loss;
  }
  sums_.last_skipped = result.skipped;
  sums_.last_norm = result.grad_norm;
  sums_.times.forward += result.times.forward;
  sums_.times.backward += result.times.backward;
  sums_.times.optimizer += result.times.optimizer;
  sums_.times.batch += result.times.batch;
}

IterationReport Interval::report(std::int64_t iteration) {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::milli> elapsed = now - start_;
  start_ = now;
  IterationReport report;
  report.iteration = iteration;
  report.iterations = setup_.iterations;
  report.consumed_samples = iteration * setup_.gbs();
  report.elapsed_ms = elapsed.count() / static_cast<double>(sums_.iterations);
  report.learning_rate = setup_.lr;
  report.global_batch_size = setup_.gbs();
  if (sums_.advanced > 0) report.lm_loss = sums_.loss / static_cast<double>(sums_.advanced);
  if (!sums_.last_skipped) report.grad_norm = sums_.last_norm;
  report.skipped = sums_.iterations - sums_.advanced;
  report.nan = sums_.nan;
  return report;
}

Times Interval::times() const {
  const auto n = static_cast<double>(sums_.iterations);
  return {{"forward-compute", sums_.times.forward / n},
          {"backward-compute", sums_.times.backward / n},
          {"optimizer", sums_.times.optimizer / n},
          {"batch-generator", sums_.times.batch / n}};
}

}  // namespace pippin::probes
