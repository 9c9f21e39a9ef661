#include "reports/plan.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "reports/format_among.h"
#include "sweeps/estimate/time_limit.h"

namespace pippin {

namespace {

constexpr double kHour = 3600;

using GpusOfPoint = std::unordered_map<std::string, Count>;

Count most_of_points(const PlannedJob& job, const GpusOfPoint& gpus) {
  Count most;
  for (const auto& run : job.runs) {
    const auto found = gpus.find(run.point_id);
    if (found != gpus.end()) most = std::max(most, found->second);
  }
  return most;
}

}  // namespace

const std::vector<PlanFormat>& plan_formats() {
  static const std::vector<PlanFormat> kFormats{
      {"terminal", write_plan_terminal}, {"csv", write_plan_csv}, {"json", write_plan_json}};
  return kFormats;
}

const PlanFormat& plan_format_named(const std::string& name) {
  return format_among(plan_formats(), name);
}

std::vector<Count> gpus_of_jobs(const Plan& plan) {
  GpusOfPoint gpus;
  for (const auto& point : plan.sweep.points) gpus.emplace(point.id, point.layout.gpus);
  const std::int64_t per_node = plan.sweep.cluster.gpus_per_node;
  std::vector<Count> result;
  for (const auto& job : plan.jobs) {
    result.push_back(per_node > 0 ? Count(job.nodes * per_node) : most_of_points(job, gpus));
  }
  return result;
}

std::optional<double> time_limit_s(const Plan& plan, const PlannedJob& job) {
  if (job.time_s) return static_cast<double>(*job.time_s);
  return time_limit_s(plan.sweep.cluster);
}

std::optional<double> most_gpu_hours(const Plan& plan) {
  const auto gpus = gpus_of_jobs(plan);
  double hours = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto limit = time_limit_s(plan, plan.jobs[i]);
    if (!gpus[i] || !limit) return std::nullopt;
    hours += static_cast<double>(*gpus[i]) * *limit / kHour;
  }
  return hours;
}

}  // namespace pippin
