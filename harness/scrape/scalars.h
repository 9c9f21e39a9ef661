// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/megatron_arguments.h"

namespace pippin {

/// What the times of a trainer's scalars are of.
enum class ScalarTimes { kOneStep, kMeanOfInterval };

/// How a trainer calls the scalars that it writes beside its log.
struct ScalarNames {
  std::string_view trainer;
  ScalarTimes times = ScalarTimes::kOneStep;
  std::int64_t startup_steps = 1;
  /// Names that it has had; the first that a file has counts.
  std::vector<std::string_view> seconds = {};  ///< of a step
  std::vector<std::string_view> loss = {}, grad_norm = {}, learning_rate = {}, loss_scale = {},
                                batch = {}, samples = {};
  /// Written at a step that is longer by it.
  std::string_view saved_in = {}, evaluated_in = {};
  /// A part of what is written at the step before such a one.
  std::string_view evaluated_before = {};
  /// The first step is written besides, its time divided by the interval.
  bool divides_first = false;
};

/// Scalars of one launch by step, each by its tag.
using Scalars = std::map<std::int64_t, std::map<std::string, double, std::less<>>>;

/// The trainer that says among `tags` how long a step takes, in seconds; null: none does.
const ScalarNames* names_of(const std::vector<std::string>& tags);

/// The launch that the scalars are of, by what its arguments say where they are known. Shape: point
/// and iterations; empty without a single time. No row is made of a time that is not finite, nor
/// one of a step without a time.
/// How many iterations a time is the mean of follows from the steps at which there is one: a
/// trainer writes at multiples of its interval. Where others have picked from those, it is at most
/// that many.
std::optional<LogRun> run_of_scalars(const Scalars& scalars, const ScalarNames& names,
                                     MegatronHeader header = {});

/// Says where a run was read. A log and what was written beside it tell of one run: what has unlike
/// sources is of unlike points, so that it never counts as repeated.
void set_source(LogRun& run, std::string_view source);

}  // namespace pippin
