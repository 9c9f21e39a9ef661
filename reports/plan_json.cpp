// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "reports/json_writer.h"
#include "reports/plan.h"
#include "reports/point_columns.h"

namespace pippin {

namespace {

/// A number stays a number; whole ones without a point.
void write_cell(const std::string& cell, JsonWriter& json) {
  if (const auto whole = parse_integer(cell)) return json.integer(*whole);
  if (const auto number = parse_number(cell)) return json.number(*number);
  json.text(cell);
}

void write_value(const Value& value, JsonWriter& json) {
  value.number ? write_cell(number_text(*value.number), json) : json.text(value.text);
}

/// Unknown properties are absent. `reason`: why it was dropped; empty: it was not.
void write_point(const Point& point, const std::string& reason, JsonWriter& json) {
  json.begin_object();
  json.key("name").text(point.name);
  json.key("id").text(point.id);
  const auto cells = point_cells(point);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty()) continue;
    json.key(point_columns()[i].name);
    write_cell(cells[i], json);
  }
  if (point.layout.cp) {
    json.key("cp");
    write_cell(cp_cell(point), json);
  }
  json.key("axes").begin_object();
  for (const auto& axis : point.axes) {
    json.key(axis.first);
    write_value(axis.second, json);
  }
  json.end_object();
  if (!reason.empty()) json.key("reason").text(reason);
  json.end_object();
}

void write_run(const PlannedRun& run, JsonWriter& json) {
  json.begin_object();
  json.key("name").text(run.name);
  json.key("point").text(run.point_id);
  json.key("repeat").integer(run.repeat);
  json.key("position").integer(run.position);
  if (run.is_reference) json.key("reference").truth(true);
  json.end_object();
}

void write_job(const PlannedJob& job, const Count& gpus, JsonWriter& json) {
  json.begin_object();
  json.key("name").text(job.name);
  json.key("allocation").integer(job.allocation);
  json.key("nodes").integer(job.nodes);
  if (gpus) json.key("gpus").integer(*gpus);
  if (job.time_s) json.key("time_s").integer(*job.time_s);
  json.key("runs").begin_array();
  for (const auto& run : job.runs) write_run(run, json);
  json.end_array();
  json.end_object();
}

void write_packing(const Packing& packing, JsonWriter& json) {
  json.begin_object();
  json.key("nodes").integer(packing.nodes);
  json.key("points").integer(packing.points);
  json.key("pack").text(text_of(packing.pack));
  if (!packing.reference.empty()) {
    json.key("blocks_per_allocation").integer(packing.blocks);
    json.key("reference").text(packing.reference);
  }
  json.end_object();
}

void write_settings(const Sweep& sweep, JsonWriter& json) {
  json.key("sweep").text(sweep.name);
  json.key("cluster").text(sweep.cluster.name);
  json.key("order").text(text_of(sweep.order));
  json.key("seed").natural(sweep.seed);
  json.key("allocations").integer(sweep.repeats.allocations);
  json.key("runs_per_allocation").integer(sweep.repeats.runs);
  if (sweep.run_time_s) json.key("run_time_s").number(*sweep.run_time_s);
  if (!sweep.run_time_of.empty()) json.key("run_time_predicted_of").text(sweep.run_time_of);
}

}  // namespace

void write_plan_json(const Plan& plan, std::ostream& out) {
  const Sweep& sweep = plan.sweep;
  {
    JsonWriter json(out);
    json.begin_object();
    write_settings(sweep, json);
    json.key("packing").begin_array();
    for (const auto& packing : plan.packing) write_packing(packing, json);
    json.end_array();
    const auto gpus = gpus_of_jobs(plan);
    if (const auto hours = most_gpu_hours(plan, gpus)) json.key("most_gpu_hours").number(*hours);
    json.key("points").begin_array();
    for (const auto& point : sweep.points) write_point(point, "", json);
    json.end_array();
    json.key("dropped").begin_array();
    for (const auto& dropped : sweep.dropped) write_point(dropped.point, dropped.reason, json);
    json.end_array();
    json.key("jobs").begin_array();
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) write_job(plan.jobs[i], gpus[i], json);
    json.end_array();
    json.end_object();
  }
  out << '\n';
}

}  // namespace pippin
