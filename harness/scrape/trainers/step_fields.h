// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "harness/scrape/trainers/launch.h"
#include "harness/scrape/trainers/step_rows.h"

namespace pippin {

/// The same in another unit: `factor` is how many of those one has.
Figure scaled(const Figure& figure, double factor);

/// Keeps what a step's line says beside its time under a name that has its unit; no figure is
/// nothing.
void keep(StepRecord& record, std::string_view name, const std::optional<Figure>& figure);
std::optional<double> value_of_figure(const std::optional<Figure>& figure);

/// The loss at the front of a text, where there is one: "nan" and "inf" are bad ones.
void keep_loss(StepRecord& record, const std::optional<std::string_view>& text);

/// The largest of what a rank says of its memory, in MiB.
void raise(std::optional<double>& most, const std::optional<double>& value);
void raise(RankMemory& most, const RankMemory& said);
RankMemory& memory_of(TrainerLaunch& launch, std::int64_t rank);

/// When the line was printed, where it says so.
void keep_moment(StepRecord& record, const std::optional<Moment>& moment);

/// The median of what rows have; nothing where none has any.
std::optional<double> median_of(
    const StepRows& rows, const std::function<std::optional<double>(const StepRecord&)>& value);

/// Tokens a GPU has in a step by the clock: tokens a second and GPU times the time between two
/// lines. Nothing where there are no two with a time.
struct TokensByClock {
  double tokens = 0;
  double quantum = 0;  ///< how many it has in the step in which the clock is written
};
std::optional<TokensByClock> tokens_by_clock(const StepRows& rows);

/// The same where no header says them. `rate`: what the trainer calls tokens a second and GPU.
void derive_tokens_by_clock(LaunchFacts& facts, const StepRows& rows, std::string_view rate);

}  // namespace pippin
