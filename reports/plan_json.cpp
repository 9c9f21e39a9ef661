#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "reports/plan.h"
#include "reports/point_columns.h"

namespace pippin {

namespace {

using Json = nlohmann::ordered_json;

/// A number stays a number; whole ones without a point.
Json json_of(const std::string& cell) {
  if (const auto whole = parse_integer(cell)) return *whole;
  if (const auto number = parse_number(cell)) return *number;
  return cell;
}

Json json_of(const Value& value) {
  return value.number ? json_of(number_text(*value.number)) : Json(value.text);
}

/// Unknown properties are absent.
Json json_of(const Point& point) {
  Json json{{"name", point.name}, {"id", point.id}};
  const auto cells = point_cells(point);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].empty()) json[point_columns()[i].name] = json_of(cells[i]);
  }
  Json axes = Json::object();
  for (const auto& axis : point.axes) axes[axis.first] = json_of(axis.second);
  json["axes"] = std::move(axes);
  return json;
}

Json json_of(const PlannedJob& job, const Count& gpus) {
  Json json{{"name", job.name}, {"allocation", job.allocation}, {"nodes", job.nodes}};
  if (gpus) json["gpus"] = *gpus;
  if (job.time_s) json["time_s"] = *job.time_s;
  json["runs"] = Json::array();
  for (const auto& run : job.runs) {
    json["runs"].push_back({{"name", run.name},
                            {"point", run.point_id},
                            {"repeat", run.repeat},
                            {"position", run.position}});
    if (run.is_reference) json["runs"].back()["reference"] = true;
  }
  return json;
}

Json points_of(const Sweep& sweep) {
  Json points = Json::array();
  for (const auto& point : sweep.points) points.push_back(json_of(point));
  return points;
}

Json dropped_of(const Sweep& sweep) {
  Json points = Json::array();
  for (const auto& dropped : sweep.dropped) {
    points.push_back(json_of(dropped.point));
    points.back()["reason"] = dropped.reason;
  }
  return points;
}

Json jobs_of(const Plan& plan) {
  const auto gpus = gpus_of_jobs(plan);
  Json jobs = Json::array();
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    jobs.push_back(json_of(plan.jobs[i], gpus[i]));
  }
  return jobs;
}

Json packing_of(const Plan& plan) {
  Json packing = Json::array();
  for (const auto& one : plan.packing) {
    packing.push_back({{"nodes", one.nodes}, {"points", one.points}, {"pack", text_of(one.pack)}});
    if (one.reference.empty()) continue;
    packing.back()["blocks_per_allocation"] = one.blocks;
    packing.back()["reference"] = one.reference;
  }
  return packing;
}

}  // namespace

void write_plan_json(const Plan& plan, std::ostream& out) {
  const Sweep& sweep = plan.sweep;
  Json json{{"sweep", sweep.name},
            {"cluster", sweep.cluster.name},
            {"order", text_of(sweep.order)},
            {"seed", sweep.seed},
            {"allocations", sweep.repeats.allocations},
            {"runs_per_allocation", sweep.repeats.runs}};
  if (sweep.run_time_s) json["run_time_s"] = *sweep.run_time_s;
  json["packing"] = packing_of(plan);
  if (const auto hours = most_gpu_hours(plan)) json["most_gpu_hours"] = *hours;
  json["points"] = points_of(sweep);
  json["dropped"] = dropped_of(sweep);
  json["jobs"] = jobs_of(plan);
  // Names may hold bytes that are no UTF-8: they are replaced, as JSON cannot hold them.
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace pippin
