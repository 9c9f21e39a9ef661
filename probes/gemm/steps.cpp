// SPDX-License-Identifier: Apache-2.0
#include "probes/gemm/steps.h"

#include "probes/comm/gather.h"
#include "probes/common/steps.h"
#include "probes/common/text.h"
#include "probes/device/rounding.h"
#include "probes/gemm/measure.h"

namespace pippin::probes {

namespace {

Measured measured(const GemmSettings& s, int ranks, double flops) {
  const auto number = [](std::int64_t count) { return std::to_string(count); };
  Measured result;
  if (s.m > 0) {
    result = {{"m", number(s.m)}, {"n", number(s.n)}, {"k", number(s.k)}};
  } else {
    const Setup& setup = s.setup;
    result = {{"tp", number(setup.tp)},
              {"mbs", number(setup.mbs)},
              {"style", setup.style},
              {"hidden", number(setup.hidden)},
              {"heads", number(setup.heads)},
              {"kv_heads", number(setup.groups())},
              {"ffn", number(setup.ffn_width())},
              {"seq", number(setup.seq)},
              {"vocab", number(setup.vocab)}};
  }
  const Measured rest = {{"precision", s.setup.precision},
                         {"ranks", number(ranks)},
                         {"device", s.device},
                         {"flops", text("%.17g", flops)}};
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

/// All products, `times` times. Unit: microseconds for each time.
template <typename T>
double make_all(std::vector<ProductBench<T>>& benches, Clock& clock, std::int64_t times) {
  const Clock::Moment start = clock.moment();
  for (std::int64_t i = 0; i < times; ++i)
    for (auto& bench : benches) bench.make();
  const Clock::Moment end = clock.moment();
  const auto nanoseconds = static_cast<double>(clock.nanoseconds(end) - clock.nanoseconds(start));
  clock.forget();
  return 1e-3 * nanoseconds / static_cast<double>(times);
}

}  // namespace

template <typename T>
void run_steps(Communicator& world, const GemmSettings& s, Device<T>& device, Clock& clock,
               Log& log) {
  const std::vector<Product> products = chosen_products(s);
  std::vector<ProductBench<T>> benches;
  benches.reserve(products.size());
  double flops = 0;
  for (const Product& product : products) {
    benches.emplace_back(device, clock, product);
    flops += product.flops();
  }
  log.line(point_line(measured(s, world.size(), flops)));
  const auto mean_us = [&](std::int64_t calls) {
    world.barrier();
    return largest(world, make_all(benches, clock, calls));
  };
  mean_us(1);
  const std::int64_t calls = calls_that_take(1e3 * s.step_ms, mean_us);
  for (std::int64_t step = 1; step <= s.iterations; ++step)
    log.line(step_line(step, s.iterations, mean_us(calls), calls));
  log.line(last_step_line(s.iterations));
}

template void run_steps(Communicator&, const GemmSettings&, Device<Half>&, Clock&, Log&);
template void run_steps(Communicator&, const GemmSettings&, Device<BFloat16>&, Clock&, Log&);
template void run_steps(Communicator&, const GemmSettings&, Device<float>&, Clock&, Log&);

}  // namespace pippin::probes
