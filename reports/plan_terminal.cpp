// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "reports/plan.h"
#include "reports/point_columns.h"
#include "reports/remarks.h"
#include "reports/text_table.h"
#include "reports/values.h"
#include "sweeps/estimate/time_limit.h"

namespace pippin {

namespace {

constexpr int kAxisImportance = 2, kPointImportance = 1;

TextColumn name_column(const std::vector<Point>& points) {
  TextColumn column;
  column.title = "point";
  column.align = TextColumn::Align::kLeft;
  column.must_stay = true;
  column.may_shorten = true;
  for (const auto& point : points) column.cells.push_back(printable(point.name));
  return column;
}

/// The number by which the orders of jobs name a point.
TextColumn number_column(std::size_t points) {
  TextColumn column;
  column.title = "#";
  column.must_stay = true;
  for (std::size_t i = 1; i <= points; ++i) column.cells.push_back(std::to_string(i));
  return column;
}

TextColumn moving_column(std::string title, int importance) {
  TextColumn column;
  column.title = std::move(title);
  column.importance = importance;
  column.may_move = true;
  return column;
}

/// CP behind PP, where a point has more than one.
void add_context_parallel(const std::vector<Point>& points, std::vector<TextColumn>& columns) {
  if (std::none_of(points.begin(), points.end(),
                   [](const Point& point) { return point.layout.cp.value_or(1) > 1; }))
    return;
  TextColumn column = moving_column("CP", kPointImportance);
  for (const auto& point : points) column.cells.push_back(cp_cell(point));
  const auto pp = std::find_if(columns.begin(), columns.end(),
                               [](const TextColumn& one) { return one.title == "PP"; });
  columns.insert(pp + 1, std::move(column));
}

void write_points(const Plan& plan, std::ostream& out) {
  const Sweep& sweep = plan.sweep;
  std::vector<TextColumn> columns{number_column(sweep.points.size()), name_column(sweep.points)};
  for (const auto& column : point_columns()) {
    columns.push_back(moving_column(column.title, kPointImportance));
  }
  for (const auto& axis : sweep.own_axes) {
    columns.push_back(moving_column(printable(axis), kAxisImportance));
  }
  for (const auto& point : sweep.points) {
    std::size_t i = 2;
    for (auto& cell : readable_point_cells(point)) columns[i++].cells.push_back(std::move(cell));
    for (const auto& axis : sweep.own_axes) {
      columns[i++].cells.push_back(printable(axis_cell(point, axis)));
    }
  }
  add_context_parallel(sweep.points, columns);
  const auto left_out = write_table(std::move(columns), plan.width, out);
  if (!left_out.empty()) {
    out << wrapped("left out for lack of room: " + join(left_out, ", ") + " (csv has all)",
                   plan.width, 2)
        << '\n';
  }
}

/// By reason, in the order in which reasons come.
void write_dropped(const Plan& plan, std::ostream& out) {
  const auto& dropped = plan.sweep.dropped;
  if (dropped.empty()) return;
  std::vector<std::string> reasons;
  std::map<std::string, std::vector<std::string>> names;
  for (const auto& entry : dropped) {
    const std::string reason = printable(entry.reason);
    auto& group = names[reason];
    if (group.empty()) reasons.push_back(reason);
    group.push_back(printable(entry.point.name));
  }
  out << '\n' << counted(dropped.size(), "point") << " dropped:\n";
  constexpr std::size_t kMost = 20;  // memory condemns each point by a figure of its own
  const std::size_t shown = reasons.size() > kMost ? kMost - 1 : reasons.size();
  std::size_t left = dropped.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& group = names[reasons[i]];
    left -= group.size();
    const std::string line =
        fmt::format("  {}: {} ({})", reasons[i], counted(group.size(), "point"), listed(group));
    out << wrapped(line, plan.width, 4) << '\n';
  }
  if (left > 0)
    out << fmt::format("  {} more, for {} (--format json has all)\n", counted(left, "point"),
                       counted(reasons.size() - shown, "other reason"));
}

/// Jobs that hold equally many nodes, GPUs and runs.
struct JobSize {
  std::int64_t nodes = 0;
  Count gpus;
  std::size_t runs = 0;
  friend bool operator<(const JobSize& a, const JobSize& b) {
    return std::tie(a.nodes, a.gpus, a.runs) < std::tie(b.nodes, b.gpus, b.runs);
  }
};

std::string text_of(const JobSize& size, std::size_t jobs) {
  const std::string gpus = size.gpus ? fmt::format(" ({})", counted(*size.gpus, "GPU")) : "";
  return fmt::format("  {} on {}{}, {} each", counted(jobs, "job"), counted(size.nodes, "node"),
                     gpus, counted(size.runs, "run"));
}

std::string order_text(const Sweep& sweep) {
  const std::string seed =
      sweep.order == Order::kSequential ? "" : fmt::format(", seed {}", sweep.seed);
  return fmt::format("order: {}{}; {}, {} in each", text_of(sweep.order), seed,
                     counted(sweep.repeats.allocations, "allocation"),
                     counted(sweep.repeats.runs, "run"));
}

/// "12 runs of 5 min do not fit 20 min"
std::string misfit(const Sweep& sweep, std::int64_t runs) {
  return fmt::format("{} of {} do not fit {}", counted(runs, "run"),
                     duration_text(*sweep.run_time_s), duration_text(*time_limit_s(sweep.cluster)));
}

std::string reference_name(const Sweep& sweep, const std::string& id) {
  const auto found = std::find_if(sweep.points.begin(), sweep.points.end(),
                                  [&](const Point& point) { return point.id == id; });
  return found == sweep.points.end() ? id : printable(found->name);
}

std::string packing_text(const Sweep& sweep, const Packing& packing) {
  const std::int64_t runs = sweep.repeats.runs;
  if (!packing.reference.empty()) {
    return fmt::format("{}: {} per allocation, reference {}", misfit(sweep, packing.points * runs),
                       counted(packing.blocks, "incomplete block"),
                       reference_name(sweep, packing.reference));
  }
  if (packing.pack == Pack::kBlock) return "a job measures all points of a node count";
  const bool is_meant = sweep.pack || sweep.order != Order::kBlocks;
  return is_meant ? "a job measures one point"
                  : misfit(sweep, 2 * runs) + ": a job measures one point";
}

/// A line for each way to pack, with its node counts where there are several ways.
void write_packing(const Plan& plan, std::ostream& out) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::string>> nodes;
  for (const auto& packing : plan.packing) {
    const std::string text =
        fmt::format("pack: {}; {}", text_of(packing.pack), packing_text(plan.sweep, packing));
    if (nodes[text].empty()) texts.push_back(text);
    nodes[text].push_back(std::to_string(packing.nodes));
  }
  for (const auto& text : texts) {
    const std::string where =
        texts.size() > 1 ? fmt::format(" (nodes: {})", listed(nodes[text])) : "";
    out << wrapped(text + where, plan.width, 2) << '\n';
  }
}

/// "20 min a job"; the longest where jobs ask for unlike times.
std::string time_text(const Plan& plan) {
  double least = HUGE_VAL, most = 0;
  for (const auto& job : plan.jobs) {
    const double limit = time_limit_s(plan, job).value_or(0);
    least = std::min(least, limit);
    most = std::max(most, limit);
  }
  return fmt::format("{}{} a job", least < most ? "up to " : "", duration_text(most));
}

std::string cost_text(const Plan& plan, const std::vector<Count>& gpus) {
  const auto hours = most_gpu_hours(plan, gpus);
  if (!hours || plan.jobs.empty()) return "GPU-hours: unknown, no time limit is set";
  return fmt::format("GPU-hours: at most {}, {}", short_number(*hours), time_text(plan));
}

void write_jobs(const Plan& plan, std::ostream& out) {
  const auto gpus = gpus_of_jobs(plan);
  std::map<JobSize, std::size_t> sizes;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const PlannedJob& job = plan.jobs[i];
    ++sizes[JobSize{job.nodes, gpus[i], job.runs.size()}];
    runs += job.runs.size();
  }
  out << '\n' << order_text(plan.sweep) << '\n';
  write_packing(plan, out);
  if (!plan.sweep.run_time_of.empty())
    out << fmt::format("run_time: {}, predicted, for the slowest point {}\n",
                       duration_text(plan.sweep.run_time_s.value_or(0)),
                       printable(plan.sweep.run_time_of));
  out << fmt::format("{} with {} on {}\n", counted(plan.jobs.size(), "job"), counted(runs, "run"),
                     printable(plan.sweep.cluster.name));
  for (const auto& entry : sizes) out << text_of(entry.first, entry.second) << '\n';
  out << cost_text(plan, gpus) << '\n';
}

/// The first jobs, each with the numbers of its points in the order in which they run.
void write_orders(const Plan& plan, std::ostream& out) {
  constexpr std::size_t kJobs = 5, kRuns = 30;
  std::unordered_map<std::string, std::size_t> number_of;
  for (std::size_t i = 0; i < std::min(kJobs, plan.jobs.size()); ++i) {
    const auto& runs = plan.jobs[i].runs;
    for (std::size_t k = 0; k < std::min(kRuns, runs.size()); ++k) number_of[runs[k].point_id];
  }
  for (std::size_t i = 0; i < plan.sweep.points.size(); ++i) {
    const auto shown = number_of.find(plan.sweep.points[i].id);
    if (shown != number_of.end()) shown->second = i + 1;
  }
  out << "\npoints in the order they run:\n";
  for (std::size_t i = 0; i < std::min(kJobs, plan.jobs.size()); ++i) {
    const PlannedJob& job = plan.jobs[i];
    std::string line = "  " + printable(job.name) + ":";
    for (std::size_t run = 0; run < std::min(kRuns, job.runs.size()); ++run) {
      line += fmt::format(" {}", number_of.at(job.runs[run].point_id));
    }
    if (job.runs.size() > kRuns) line += fmt::format(" and {} more", job.runs.size() - kRuns);
    out << wrapped(line, plan.width, 4) << '\n';
  }
  if (plan.jobs.size() > kJobs) {
    out << fmt::format("  and {} more (json has all)\n", counted(plan.jobs.size() - kJobs, "job"));
  }
}

}  // namespace

void write_plan_terminal(const Plan& plan, std::ostream& out) {
  out << fmt::format("{}: {}\n", printable(plan.sweep.name),
                     counted(plan.sweep.points.size(), "point"));
  if (!plan.sweep.points.empty()) write_points(plan, out);
  write_dropped(plan, out);
  write_jobs(plan, out);
  write_orders(plan, out);
}

}  // namespace pippin
