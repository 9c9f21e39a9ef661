// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/regex.h"
#include "core/records/value.h"
#include "harness/scrape/trainers/step_rows.h"

namespace pippin {

/// What a pattern's group is of.
struct PatternField {
  enum class What {
    kStep,
    kPace,  ///< how long a step takes, or a rate
    kLoss,
    kGradNorm,
    kLearningRate,
    kGbs,
    kMemory,  ///< MiB
    kFailed,  ///< where it occurs, the run has failed
  };
  std::string name;  ///< "step_time_ms"
  What what = What::kStep;
  Pace pace = Pace::kMs;
  double scale = 1;  ///< makes milliseconds, or MiB, of the number
};

/// A regular expression for lines, and what its groups are.
struct LinePattern {
  Regex regex;
  std::vector<PatternField> groups;  ///< one without a name: it is passed over
  std::string said;                  ///< "step_time_ms 'time ([0-9.]+) ms'"
};

/// How a person says that the lines of a log are read.
struct LinePatterns {
  std::vector<LinePattern> patterns;
  Span span = Span::kStep;    ///< what a line's time is of
  std::int64_t interval = 0;  ///< of means: as StepRecord has it
  bool cumulative = false;    ///< the times are those since the beginning

  bool empty() const { return patterns.empty(); }
  bool has(PatternField::What what) const;
};

/// The patterns among what a person says of a log: its "scrape.NAME". A NAME is step, step_time
/// with its unit (step_time_ms, _us, _s, _min; without one where the pattern has "ms" or "s" behind
/// the group), steps_per_s, samples_per_s, tokens_per_s, tokens_per_gpu_s, loss, grad_norm,
/// learning_rate, gbs, memory_mib (_gib, _mb, _gb), failed, or any other where the groups have such
/// names; and kind: step, mean, mean N, window, cumulative or total.
/// Shape: empty where there are none.
/// Errors: PatternError of an unknown name, a pattern that is none or has not its groups, a
/// time without a unit, and where nothing says how long a step takes.
LinePatterns patterns_in(const NamedValues& told);

/// Of patterns that cannot be.
class PatternError : public Error {
 public:
  PatternError(std::size_t place, const std::string& message)
      : Error(ExitCode::kBadInput, message), place_(place) {}
  /// Which of `told` it is about; of all together the first pattern.
  std::size_t place() const { return place_; }

 private:
  std::size_t place_;
};

}  // namespace pippin
