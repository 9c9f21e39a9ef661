// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/line_shape.h"

namespace pippin {

/// One iteration record as its line says it, before the lines around it are known: flags are 0
/// but for kSkippedStep, interval is 1.
struct IterationRecord {
  Iteration iteration;
  std::int64_t last = 0;           ///< the number after the '/'
  std::optional<std::int64_t> at;  ///< "[2024-04-06 03:02:12]" before it; today's Megatron-LM only
  double resolution_ms = 0;        ///< the step in which its time is written
  std::uint64_t said = 0;          ///< a hash of all that its fields say
};

/// Whether a step can take so long: between a nanosecond and thirty years. What is damaged may say
/// anything, and a mean would be no number.
inline bool is_step_time(double time_ms) {
  constexpr double kLeast_ms = 1e-6, kMost_ms = 1e12;
  return time_ms >= kLeast_ms && time_ms <= kMost_ms;
}

/// The iteration records of a line: more than one where ranks wrote at once, none where the line
/// only quotes one (a comment, an echo, a table), or where its time can be none.
std::vector<IterationRecord> iterations_in(std::string_view line);

/// Why iterations_in() gives nothing of a line that holds one; empty where none stands there.
std::string_view why_no_iteration(std::string_view line);

/// IterationRecord::at of the first one.
std::optional<std::int64_t> iteration_time_in(std::string_view line);

/// The "… memory (MB) | allocated: …" records of a line, or "… memory (GB) |
/// mem-allocated-gigabytes: …" of Megatron-Bridge; rank 0 where none is named.
std::vector<RankMemory> memory_in(std::string_view line);

/// The timers of a line, in ms: "time (ms) | forward-compute: 148.03 | …" until 2022, after that
/// "    forward-backward ....: (3198.27, 3199.53)" over all ranks, as "forward-backward min" and
/// "… max".
NamedValues timers_in(std::string_view line);

/// One "  name ........ value" line of the arguments dump, behind whatever loggers put before it.
std::optional<std::pair<std::string, Value>> argument_in(std::string_view line);

/// The first "2021-06-10 20:47:54" of a text as seconds since 1970, read as UTC.
std::optional<std::int64_t> time_in(std::string_view text);

/// The whole number that follows `key` (and blanks); nothing where there is none.
Count number_after(std::string_view text, std::string_view key);

}  // namespace pippin
