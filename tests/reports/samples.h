// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/records/campaign.h"
#include "core/records/summary.h"
#include "core/records/sweep.h"
#include "reports/summarize.h"

namespace pippin::test {

/// A 52B GPT on 64 GPUs, named and identified.
Point point_52b(std::int64_t mbs, std::int64_t gas);

/// Iterations 1, 2, …, the first flagged.
std::vector<Iteration> lines_of(const std::vector<double>& step_times_ms);

/// A run that ended well.
RunSamples run_of(const std::string& allocation, const std::vector<double>& step_times_ms);

/// A row of the 52B point with that name and mean time, of one allocation.
Summary row_52b(const std::string& name, double seconds);

/// Three points of a sweep with an axis of its own: one in three allocations, one of which ran out
/// of memory; one in one allocation; one that does not fit.
std::vector<PointSamples> sweep_samples();

/// Two logs that no sweep made, from interval means, whose arguments differ in one.
std::vector<PointSamples> foreign_samples();

/// A sweep of four points, of which two are dropped, and its jobs.
Sweep planned_sweep();
std::vector<PlannedJob> planned_jobs();

/// The rows of a report, with their rates.
std::vector<Summary> summarize(const std::vector<PointSamples>& points, const Summing& summing,
                               const Rating& rating = {});

}  // namespace pippin::test
