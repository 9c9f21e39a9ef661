// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/records/summary.h"

namespace pippin {

/// What the lines of a run come to.
/// Shape: a line counts once, also where it is the mean of an interval; one without a time does
/// not. Where the batch size changes on the way (ramp-up), only lines of the last one count. Clean
/// are those without a flag after the warm-up: the first `warmup` iterations of the launch or,
/// where none are named, what comes before the steady part. The search for it sees the first
/// iteration, which no mean holds. Where no line is clean, those count that are clean but for being
/// means: their mean is weighted by the iterations that each stands for.
RunDigest digest_of(const EachLine& each_line, std::optional<std::int64_t> warmup);
RunDigest digest_of(const std::vector<Iteration>& lines, std::optional<std::int64_t> warmup);

/// Why a line is not in the mean of a run's clean ones.
enum class LeftOut {
  kNo,          ///< it is in it
  kNoTime,      ///< it has no step time
  kOtherBatch,  ///< its batch is smaller than that of the last lines
  kFlagged,     ///< Iteration::flags say why
  kWarmup,
};

/// Of each line, by the rule of digest_of(): as many are in the mean as its RunDigest::clean has.
std::vector<LeftOut> left_out_of(const std::vector<Iteration>& lines,
                                 std::optional<std::int64_t> warmup);

}  // namespace pippin
