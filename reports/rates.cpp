#include "reports/rates.h"

#include <cmath>
#include <optional>

#include "reports/peak.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// Half widths of a row's interval on the logarithm, below and above; nothing without one.
struct LogWidths {
  double below = 0, above = 0;
};

std::optional<LogWidths> log_widths(const Summary& row) {
  const Interval& time = *row.step_time_s;
  if (!time.low || !time.high || *time.low <= 0) return std::nullopt;
  return LogWidths{std::log(time.mean / *time.low), std::log(*time.high / time.mean)};
}

std::optional<double> samples_per_gpu(const Summary& row) {
  const Count& gpus = row.point.layout.gpus;
  if (!row.samples_per_s || !gpus) return std::nullopt;
  return *row.samples_per_s / static_cast<double>(*gpus);
}

/// How much more useful work a GPU does in a second; nothing where that cannot be told.
std::optional<double> quotient_of(const Summary& row, const Summary& reference) {
  if (row.useful_tflops && reference.useful_tflops)
    return *row.useful_tflops / *reference.useful_tflops;
  const auto own = samples_per_gpu(row), other = samples_per_gpu(reference);
  if (!own || !other || !(row.point.model == reference.point.model)) return std::nullopt;
  return *own / *other;
}

/// A shorter time is a larger quotient: the ends change places.
Ratio ratio_of(double value, const Summary& row, const Summary& reference) {
  Ratio ratio;
  ratio.value = value;
  const auto own = log_widths(row), other = log_widths(reference);
  if (!own || !other) return ratio;
  ratio.low = finite(ratio.value * std::exp(-std::hypot(own->above, other->below)));
  ratio.high = finite(ratio.value * std::exp(std::hypot(own->below, other->above)));
  return ratio;
}

}  // namespace

void rate(Summary& row, const Rating& rating) {
  const Count &gbs = row.point.layout.gbs, &gpus = row.point.layout.gpus;
  if (!row.step_time_s || !gbs) return;
  const double seconds = row.step_time_s->mean;
  row.samples_per_s = finite(static_cast<double>(*gbs) / seconds);
  if (!row.recompute || !gpus) return;
  const std::string& recompute = *row.recompute;
  const auto flops =
      iteration_flops(rating.formula, row.point.model, *gbs, recompute == kFullRecompute);
  if (!flops) return;
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
}

void compare_with(std::vector<Summary>& rows, std::size_t reference) {
  const Summary base = rows[reference];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto quotient = quotient_of(rows[i], base);
    if (!finite(quotient)) continue;
    rows[i].vs = i == reference ? Ratio{} : ratio_of(*quotient, rows[i], base);
  }
}

}  // namespace pippin
