// SPDX-License-Identifier: Apache-2.0
#include "reports/rates.h"

#include <algorithm>
#include <optional>

#include "reports/peak.h"
#include "reports/probe_rates.h"
#include "reports/values.h"

namespace pippin {

void rate(Summary& row, const Rating& rating) {
  if (measures_machine(row.point)) return rate_machine(row, rating);
  const Count &gbs = row.point.layout.gbs, &gpus = row.point.layout.gpus;
  if (!row.step_time_s || !gbs) return;
  const double seconds = row.step_time_s->mean;
  row.samples_per_s = finite(static_cast<double>(*gbs) / seconds);
  if (!row.recompute || !gpus) return;
  const std::string& recompute = *row.recompute;
  if (row.noted && recompute.empty() && rating.formula == FlopsFormula::kParams) {
    row.remarks.emplace_back(
        "no TFLOPS: nobody said whether it recomputes (pippin import --set recompute=full or "
        "none)");
    return;
  }
  const auto flops =
      iteration_flops(rating.formula, row.point.model, *gbs, recompute == kFullRecompute);
  if (!flops) {
    const std::string why = why_no_flops(rating.formula, row.point.model);
    if (!why.empty()) row.remarks.push_back("no TFLOPS: " + why);
    return;
  }
  row.tflops = finite(tflops_per_gpu(*flops, seconds, *gpus));
  if (!row.tflops) return;
  row.flops_formula = text_of(rating.formula);
  if (rating.formula == FlopsFormula::kHardware && recompute != kFullRecompute)
    row.remarks.emplace_back("formula hardware counts a second forward pass that was not made");
  const auto rate_of = [&](std::optional<double> work) -> std::optional<double> {
    if (!work) return std::nullopt;
    return finite(tflops_per_gpu(*work, seconds, *gpus));
  };
  row.useful_tflops = rate_of(model_flops(rating.formula, row.point.model, *gbs));
  const auto peak = peak_of(row, rating);
  if (!peak) return;
  if (row.useful_tflops) row.mfu = finite(*row.useful_tflops / *peak);
  const auto done = rate_of(hardware_flops(rating.formula, row.point.model, *gbs, recompute));
  if (done) row.hfu = finite(*done / *peak);
  if (std::max(row.mfu.value_or(0), row.hfu.value_or(0)) > 1)
    row.remarks.emplace_back(
        "more than the accelerator can do: its peak, the model or the batch is not this run's");
}

}  // namespace pippin
