// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <string>
#include <vector>

#include "core/records/run.h"

namespace pippin::test {

inline std::string text_of(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}={}/{} ", name, value.text, value.number.value_or(-1));
  return text;
}

inline std::string text_of(const Iteration& line) {
  const auto all = [](const auto&... counts) {
    return (fmt::format("{} ", counts.value_or(-1)) + ...);
  };
  return fmt::format("{} {} {} {} ", line.number, line.step_time_ms, line.interval, line.flags) +
         all(line.gbs, line.consumed_samples, line.skipped, line.nan, line.lm_loss,
             line.learning_rate, line.loss_scale, line.grad_norm) +
         text_of(line.other) + '\n';
}

/// All that was read of a log, to be compared.
inline std::string text_of(const std::vector<LogRun>& runs) {
  std::string text;
  for (const auto& run : runs) {
    text += fmt::format(
        "{} {} {} {} {} {} {} {} {} {} {} {} {}\n", run.format, run.point.id, run.recompute,
        run.memory.size(), run.started_at.value_or(-1), run.end ? static_cast<int>(*run.end) : -1,
        run.evidence, run.scraper_version, run.resolution_ms.value_or(-1), run.nodes.size(),
        run.slowest_ranks.size(), run.planned_iterations.value_or(-1), run.nan_from.value_or(-1));
    text += text_of(run.arguments);
    for (const auto& line : run.iterations) text += text_of(line);
  }
  return text;
}

}  // namespace pippin::test
