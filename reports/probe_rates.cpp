// SPDX-License-Identifier: Apache-2.0
#include "reports/probe_rates.h"

#include <set>
#include <string_view>
#include <tuple>

#include "reports/peak.h"
#include "reports/values.h"
#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/measured.h"

namespace pippin {

namespace {

bool is_collective(const Point& point) { return point.trainer == "collective"; }

void rate_collective(Summary& row) {
  const auto call = call_of(row.point);
  if (!call) return;
  const Interval& time = *row.step_time_s;
  const auto at = [&](const std::optional<double>& seconds) -> std::optional<double> {
    if (!seconds || !(*seconds > 0)) return std::nullopt;
    const auto rate = bus_bandwidth_gb_per_s(*call, *seconds);
    return rate ? finite(*rate) : std::nullopt;
  };
  const auto mean = at(time.mean);
  if (mean) row.bus_bandwidth = BusBandwidth{*mean, at(time.high), at(time.low)};
}

void rate_products(Summary& row, const Rating& rating) {
  const auto flops = product_flops(row.point);
  if (!flops) return;
  row.tflops = finite(tflops_per_gpu(*flops, row.step_time_s->mean, 1));
  if (!row.tflops) return;
  row.flops_formula = "products";
  row.useful_tflops = row.tflops;
  const auto peak = peak_of(row, rating);
  if (peak) row.hfu = row.mfu = finite(*row.tflops / *peak);
}

}  // namespace

bool measures_machine(const Point& point) {
  return is_collective(point) || point.trainer == "gemm";
}

bool mixes_calls(const std::vector<Summary>& rows) {
  std::set<std::tuple<std::string_view, std::int64_t, std::string_view>> calls;
  for (const auto& row : rows) {
    const auto call = is_collective(row.point) ? call_of(row.point) : std::nullopt;
    if (call) calls.emplace(call->operation, call->bytes, call->type);
  }
  return calls.size() > 1;
}

void rate_machine(Summary& row, const Rating& rating) {
  if (!row.step_time_s) return;
  if (is_collective(row.point)) {
    rate_collective(row);
  } else {
    rate_products(row, rating);
  }
}

}  // namespace pippin
