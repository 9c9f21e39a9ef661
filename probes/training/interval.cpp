// SPDX-License-Identifier: Apache-2.0
#include "probes/training/interval.h"

#include <cmath>

namespace pippin::probes {

void Interval::add(const StepResult& result) {
  constexpr std::size_t kManyLosses = 4096;
  ++iterations_;
  last_skipped_ = result.outcome.skipped;
  last_norm_ = result.outcome.grad_norm;
  last_scale_ = result.outcome.loss_scale;
  loss_shares_.push_back(result.loss_share);
  skipped_.push_back(result.outcome.skipped);
  if (loss_shares_.size() == kManyLosses) settle_losses();
}

void Interval::settle_losses() {
  world_.all_reduce(loss_shares_.data(), loss_shares_.data(),
                    static_cast<std::int64_t>(loss_shares_.size()), Element::kDouble,
                    Reduction::kSum);
  for (std::size_t i = 0; i < loss_shares_.size(); ++i) {
    if (!std::isfinite(loss_shares_[i])) ++nan_;
    if (skipped_[i]) continue;
    ++advanced_;
    loss_ += loss_shares_[i];
  }
  loss_shares_.clear();
  skipped_.clear();
}

IterationReport Interval::report(std::int64_t iteration) {
  settle_losses();
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::milli> elapsed = now - start_;
  start_ = now;
  IterationReport report;
  report.iteration = iteration;
  report.iterations = setup_.iterations;
  report.consumed_samples = iteration * setup_.gbs();
  report.elapsed_ms = elapsed.count() / static_cast<double>(iterations_);
  report.learning_rate = setup_.lr;
  report.global_batch_size = setup_.gbs();
  if (advanced_ > 0) report.lm_loss = loss_ / static_cast<double>(advanced_);
  if (!last_skipped_) report.grad_norm = last_norm_;
  report.loss_scale = last_scale_;
  report.skipped = iterations_ - advanced_;
  report.nan = nan_;
  iterations_ = advanced_ = nan_ = 0;
  loss_ = 0;
  return report;
}

}  // namespace pippin::probes
