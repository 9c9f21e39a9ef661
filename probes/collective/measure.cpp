// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/measure.h"

#include <algorithm>

#include "probes/collective/check.h"
#include "probes/comm/gather.h"
#include "probes/common/clock.h"

namespace pippin::probes {

namespace {

double sum_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

/// What this rank saw.
EachTimes own_times(const PreparedCall& call, Communicator& control, std::int64_t iterations) {
  EachTimes times;
  times.call.reserve(iterations);
  times.barrier.reserve(iterations);
  for (std::int64_t i = 0; i < iterations; ++i) {
    const double arrival = now_seconds();
    control.barrier();
    const double start = now_seconds();
    call();
    call.complete();
    const double end = now_seconds();
    times.barrier.push_back(1e6 * (start - arrival));
    times.call.push_back(1e6 * (end - start));
  }
  return times;
}

}  // namespace

std::int64_t count_wrong_data(const CollectiveCall& call, const Ranks& ranks, std::int64_t checks,
                              CollectiveBuffers& buffers) {
  const int rank = ranks.control.rank(), size = ranks.control.size();
  const PreparedCall make_call(call, ranks.tested, buffers);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < checks; ++i) {
    const Pattern pattern(size, static_cast<std::uint32_t>(i + 1), call.element);
    const KnownData data(call, pattern, rank, size);
    fill(data, buffers);
    make_call();
    wrong += count_wrong(data, buffers);
  }
  const double total = sum_of(gathered(ranks.control, static_cast<double>(wrong)));
  return static_cast<std::int64_t>(total);
}

double time_in_a_row(const PreparedCall& call, Communicator& control, std::int64_t iterations) {
  call.complete();
  control.barrier();
  const double start = now_seconds();
  for (std::int64_t i = 0; i < iterations; ++i) call();
  call.complete();
  const double own = 1e6 * (now_seconds() - start) / static_cast<double>(iterations);
  return sum_of(gathered(control, own)) / control.size();
}

EachTimes time_each(const PreparedCall& call, Communicator& control, std::int64_t iterations) {
  const EachTimes own = own_times(call, control, iterations);
  const auto waited = gathered(control, median_of(own.barrier));
  const auto last = std::min_element(waited.begin(), waited.end()) - waited.begin();
  return {largest(control, own.call), largest(control, own.barrier), static_cast<int>(last)};
}

Measurement measure(const CollectiveCall& call, const Ranks& ranks, const Effort& effort,
                    CollectiveBuffers& buffers) {
  const PreparedCall make_call(call, ranks.tested, buffers);
  const int rank = ranks.control.rank(), size = ranks.control.size();
  fill(KnownData(call, Pattern(size, 0, call.element), rank, size), buffers);
  // One more, so that every rank is awake, as nccl-tests has it.
  for (std::int64_t i = 0; i <= effort.warmup; ++i) make_call();
  Measurement result;
  result.mean_us = time_in_a_row(make_call, ranks.control, effort.iterations);
  if (effort.each) {
    const EachTimes times = time_each(make_call, ranks.control, effort.iterations);
    result.each = {spread_of(times.call), spread_of(times.barrier), times.last_rank};
  }
  if (effort.checks > 0) result.wrong = count_wrong_data(call, ranks, effort.checks, buffers);
  return result;
}

double algorithm_bandwidth(const CollectiveCall& call, int ranks, double microseconds) {
  if (microseconds <= 0) return 0;
  return static_cast<double>(bytes_of(call, ranks)) / (1e3 * microseconds);
}

}  // namespace pippin::probes
