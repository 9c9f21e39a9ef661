// SPDX-License-Identifier: Apache-2.0
#include "reports/plan.h"

#include <algorithm>

#include "core/base/text_numbers.h"
#include "reports/format_among.h"
#include "sweeps/estimate/time_limit.h"

namespace pippin {

namespace {

constexpr double kHour = 3600;

/// The most GPUs that a point of each job takes.
std::vector<Count> most_of_points(const Plan& plan) {
  const auto& points = plan.sweep.points;
  const auto id_of = [&](std::size_t i) -> std::string_view { return points[i].id; };
  TextNumbers by_id;
  for (std::size_t i = 0; i < points.size(); ++i) by_id.add(points[i].id, i, id_of);
  std::vector<Count> result;
  for (const auto& job : plan.jobs) {
    Count most;
    for (const auto& run : job.runs) {
      const auto found = by_id.find(run.point_id, id_of);
      if (found) most = std::max(most, points[*found].layout.gpus);
    }
    result.push_back(most);
  }
  return result;
}

}  // namespace

const std::vector<PlanFormat>& plan_formats() {
  static const std::vector<PlanFormat> kFormats{
      {"terminal", write_plan_terminal}, {"csv", write_plan_csv, false}, {"json", write_plan_json}};
  return kFormats;
}

const PlanFormat& plan_format_named(const std::string& name) {
  return format_among(plan_formats(), name);
}

std::vector<Count> gpus_of_jobs(const Plan& plan) {
  const std::int64_t per_node = plan.sweep.cluster.gpus_per_node;
  if (per_node == 0) return most_of_points(plan);
  std::vector<Count> result;
  result.reserve(plan.jobs.size());
  for (const auto& job : plan.jobs) result.emplace_back(job.nodes * per_node);
  return result;
}

std::optional<double> time_limit_s(const Plan& plan, const PlannedJob& job) {
  if (job.time_s) return static_cast<double>(*job.time_s);
  return time_limit_s(plan.sweep.cluster);
}

std::optional<double> most_gpu_hours(const Plan& plan) {
  return most_gpu_hours(plan, gpus_of_jobs(plan));
}

std::optional<double> most_gpu_hours(const Plan& plan, const std::vector<Count>& gpus) {
  double hours = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto limit = time_limit_s(plan, plan.jobs[i]);
    if (!gpus[i] || !limit) return std::nullopt;
    hours += static_cast<double>(*gpus[i]) * *limit / kHour;
  }
  return hours;
}

}  // namespace pippin
