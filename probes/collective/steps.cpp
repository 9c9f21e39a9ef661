// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/steps.h"

#include "probes/common/steps.h"
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

CollectiveCall chosen_call(const CollectiveSettings& s, int ranks) {
  const Operation operation = chosen_operations(s).front();
  const Element element = element_named(s.datatype);
  return {operation,
          count_within(operation, s.bytes, element, ranks),
          element,
          s.op == "sum" ? Reduction::kSum : Reduction::kMax,
          static_cast<int>(s.root),
          false};
}

Measured measured(const CollectiveSettings& s, const CollectiveGround& ground) {
  return {{"op", s.operation},
          {"bytes", std::to_string(s.bytes)},
          {"type", s.datatype},
          {"redop", s.op},
          {"root", std::to_string(s.root)},
          {"ranks", std::to_string(ground.comm.host().size())},
          {"device", s.device}};
}

void check_data(const CollectiveSettings& s, const CollectiveCall& call, const Ranks& ranks,
                CollectiveBuffers& buffers) {
  const std::int64_t wrong = count_wrong_data(call, ranks, s.check, buffers);
  if (wrong == 0) return;
  throw Error(ExitCode::kFailed,
              text("%lld elements were wrong after %s of %lld bytes over %d ranks: what sends them "
                   "cannot be trusted",
                   static_cast<long long>(wrong), s.operation.c_str(),
                   static_cast<long long>(s.bytes), ranks.control.size()));
}

}  // namespace

void run_steps(TwoLogs& logs, const CollectiveSettings& s, const CollectiveGround& ground) {
  const Ranks ranks{ground.comm, ground.comm.host()};
  const CollectiveCall call = chosen_call(s, ranks.control.size());
  CollectiveBuffers buffers(ground.space, s.bytes);
  logs.table.line(point_line(measured(s, ground)));
  check_data(s, call, ranks, buffers);
  const PreparedCall make_call(call, ranks.tested, buffers);
  const auto mean_us = [&](std::int64_t calls) {
    return time_in_a_row(make_call, ranks.control, calls);
  };
  mean_us(s.warmup_iters + 1);
  const std::int64_t calls = calls_that_take(1e3 * s.step_ms, mean_us);
  for (std::int64_t step = 1; step <= s.iterations; ++step)
    logs.table.line(step_line(step, s.iterations, mean_us(calls), calls));
  logs.table.line(last_step_line(s.iterations));
}

}  // namespace pippin::probes
