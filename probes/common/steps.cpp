// SPDX-License-Identifier: Apache-2.0
#include "probes/common/steps.h"

#include <algorithm>
#include <cmath>

#include "probes/common/text.h"

namespace pippin::probes {

std::string point_line(const Measured& measured) {
  std::string line = " > point:";
  for (const auto& [name, value] : measured)
    line.append(" ").append(name).append("=").append(value);
  return line;
}

std::string step_line(std::int64_t step, std::int64_t steps, double microseconds,
                      std::int64_t calls) {
  return text(" step %8lld/%8lld | time (us): %.4f | calls: %lld", static_cast<long long>(step),
              static_cast<long long>(steps), microseconds, static_cast<long long>(calls));
}

std::string last_step_line(std::int64_t steps) {
  return text(" > done: %lld steps", static_cast<long long>(steps));
}

std::int64_t calls_that_take(double microseconds,
                             const std::function<double(std::int64_t calls)>& mean_us) {
  constexpr std::int64_t kMost = 1'000'000, kGrowth = 10;
  std::int64_t calls = 1;
  for (;;) {
    const double mean = mean_us(calls);
    if (mean * static_cast<double>(calls) >= microseconds || calls == kMost) return calls;
    // A few calls may be slower than many: no more than ten times as many at once.
    const double wanted = mean > 0 ? std::ceil(microseconds / mean) : static_cast<double>(kMost);
    const std::int64_t most = std::min(calls * kGrowth, kMost);
    calls = std::clamp(static_cast<std::int64_t>(std::min(wanted, 1e9)), calls + 1, most);
  }
}

}  // namespace pippin::probes
