// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/records/campaign.h"
#include "core/records/sweep.h"

namespace pippin {

/// What a sweep would do.
struct Plan {
  const Sweep& sweep;
  const std::vector<PlannedJob>& jobs;
  std::size_t width = 100;  ///< columns that a line may take; 0: any. Only where lines have a width
  std::vector<Packing> packing = {};  ///< of each node count
};

/// One way to write a plan down: terminal, csv (a line a point, dropped ones too) and json.
struct PlanFormat {
  std::string name;
  void (*write)(const Plan& plan, std::ostream& out);
  bool shows_jobs = true;  ///< else Plan::jobs may be empty
};

const std::vector<PlanFormat>& plan_formats();

/// Errors: Error (bad input) naming the near format where there is none of that name.
const PlanFormat& plan_format_named(const std::string& name);

/// GPUs that each job holds: those of its nodes, or of its largest point where nodes have no fixed
/// number. Nothing where neither is known.
std::vector<Count> gpus_of_jobs(const Plan& plan);

/// The time limit of a job, in seconds: its own, or the cluster's. Nothing where there is none.
std::optional<double> time_limit_s(const Plan& plan, const PlannedJob& job);

/// The most GPU-hours that the jobs may take: each its GPUs until its time limit. Nothing where a
/// job's GPUs or limit are not known.
std::optional<double> most_gpu_hours(const Plan& plan);
/// The same where gpus_of_jobs() are known.
std::optional<double> most_gpu_hours(const Plan& plan, const std::vector<Count>& gpus);

void write_plan_terminal(const Plan& plan, std::ostream& out);
void write_plan_csv(const Plan& plan, std::ostream& out);
void write_plan_json(const Plan& plan, std::ostream& out);

}  // namespace pippin
