#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>

#include "harness/base/text.h"
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
    const std::string reason = printable(entry.verdict.reason);
    auto& group = names[reason];
    if (group.empty()) reasons.push_back(reason);
    group.push_back(printable(entry.point.name));
  }
  out << '\n' << counted(dropped.size(), "point") << " dropped:\n";
  for (const auto& reason : reasons) {
    const auto& group = names[reason];
    const std::string line =
        fmt::format("  {}: {} ({})", reason, counted(group.size(), "point"), listed(group));
    out << wrapped(line, plan.width, 4) << '\n';
  }
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
  const std::string gpus =
      size.gpus ? fmt::format(" ({})", counted(static_cast<std::size_t>(*size.gpus), "GPU")) : "";
  return fmt::format("  {} on {}{}, {} each", counted(jobs, "job"),
                     counted(static_cast<std::size_t>(size.nodes), "node"), gpus,
                     counted(size.runs, "run"));
}

std::string order_text(const Sweep& sweep) {
  const std::string seed =
      sweep.order == Order::kSequential ? "" : fmt::format(", seed {}", sweep.seed);
  return fmt::format("order: {}{}; {}, {} in each", text_of(sweep.order), seed,
                     counted(static_cast<std::size_t>(sweep.repeats.allocations), "allocation"),
                     counted(static_cast<std::size_t>(sweep.repeats.runs), "run"));
}

std::string cost_text(const Plan& plan) {
  const auto hours = most_gpu_hours(plan);
  if (!hours) return "GPU-hours: unknown, no time limit is set";
  return fmt::format("GPU-hours: at most {}, {} a job", short_number(*hours),
                     duration_text(*time_limit_s(plan.sweep.cluster)));
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
  out << fmt::format("{} with {} on {}\n", counted(plan.jobs.size(), "job"), counted(runs, "run"),
                     printable(plan.sweep.cluster.name));
  for (const auto& entry : sizes) out << text_of(entry.first, entry.second) << '\n';
  out << cost_text(plan) << '\n';
}

/// The first jobs, each with the numbers of its points in the order in which they run.
void write_orders(const Plan& plan, std::ostream& out) {
  constexpr std::size_t kJobs = 5, kRuns = 30;
  std::unordered_map<std::string, std::size_t> number_of;
  for (const auto& point : plan.sweep.points) number_of.emplace(point.id, number_of.size() + 1);
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
