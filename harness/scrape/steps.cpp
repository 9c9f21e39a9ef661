// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/records/fields.h"

namespace pippin {

namespace {

constexpr std::string_view kHeader = " > probe: pippin ", kPoint = " > point:", kStep = " step ",
                           kDone = " > done: ", kTime = "time (us):", kCalls = "calls:";
constexpr double kUsPerMs = 1000;
constexpr double kResolution_ms = 1e-4 / kUsPerMs;  // four decimals of a microsecond

/// A launch while its lines are read.
struct Launch {
  LogRun run;
  bool measures = false;  ///< it has a point, and so prints steps
};

void read_header(std::string_view line, std::vector<Launch>& launches) {
  const auto words = split(line.substr(kHeader.size()), ' ');
  const std::string_view probe = words.front();
  if (probe != "collective" && probe != "gemm") return;
  Launch& launch = launches.emplace_back();
  launch.run.point.trainer = probe;
  launch.run.recompute = "none";
  launch.run.configured = true;
  launch.run.resolution_ms = kResolution_ms;
}

void add_to_point(Point& point, std::string_view name, std::string_view value) {
  const std::string_view field = name == "ranks" ? "gpus" : name;
  bool is_count = false;
  for_each_count(point, [&](std::string_view known, Count& count) {
    if (known != field) return;
    is_count = true;
    count = parse_integer(value);
  });
  if (field == "style") {
    point.model.style = value;
  } else if (!is_count) {
    point.axes.emplace_back(std::string(name), value_of(std::string(value)));
  }
}

void read_point(std::string_view line, Launch& launch) {
  launch.measures = true;
  for (const auto word : split(line.substr(kPoint.size()), ' ')) {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = word.substr(0, equals), value = word.substr(equals + 1);
    launch.run.arguments.emplace_back(std::string(name), value_of(std::string(value)));
    if (name != "flops") add_to_point(launch.run.point, name, value);
  }
}

/// "1/ 20 | time (us): 25.1 | calls: 411".
void read_step(std::string_view line, LogRun& run) {
  const auto parts = split(line.substr(kStep.size()), '|');
  if (parts.size() != 3) return;
  const auto slash = parts[0].find('/');
  const std::string_view time = trim(parts[1]), calls = trim(parts[2]);
  if (slash == std::string_view::npos || !time.starts_with(kTime) || !calls.starts_with(kCalls))
    return;
  const auto number = parse_integer(trim(parts[0].substr(0, slash)));
  const auto microseconds = parse_number(trim(time.substr(kTime.size())));
  const auto made = parse_integer(trim(calls.substr(kCalls.size())));
  if (!number || !microseconds || !made || !(*microseconds > 0)) return;
  run.planned_iterations = parse_integer(trim(parts[0].substr(slash + 1)));
  Iteration step;
  step.number = *number;
  step.step_time_ms = *microseconds / kUsPerMs;
  step.other.emplace_back("calls", value_of(static_cast<double>(*made)));
  run.iterations.push_back(std::move(step));
}

/// "collective-all_reduce-bytes65536-float-2ranks".
std::string name_of(const Point& point) {
  constexpr std::string_view kUsual[] = {"redop", "root", "device"};
  std::string name = point.trainer;
  if (point.model.hidden) {
    Point shape = point;
    shape.axes.clear();
    name += "-" + point_name(shape);
  }
  for (const auto& [axis, value] : point.axes) {
    if (std::find(std::begin(kUsual), std::end(kUsual), axis) != std::end(kUsual)) continue;
    name += "-" + (value.number ? axis : std::string()) + value.text;
  }
  const std::int64_t ranks = point.layout.gpus.value_or(1);
  return name + fmt::format("-{}rank{}", ranks, ranks == 1 ? "" : "s");
}

void read_line(std::string_view line, std::vector<Launch>& launches) {
  if (line.starts_with(kHeader)) return read_header(line, launches);
  if (launches.empty()) return;
  Launch& launch = launches.back();
  if (line.starts_with(kPoint)) {
    read_point(line, launch);
  } else if (line.starts_with(kStep)) {
    read_step(line, launch.run);
  } else if (line.starts_with(kDone)) {
    launch.run.end = RunState::kOk;
    launch.run.evidence = printable(trim(line));
  }
}

class Reader : public FormatReader {
 public:
  std::unique_ptr<FormatReader> copy() const override { return std::make_unique<Reader>(*this); }
  void read(const LogLine& line) override {
    if (line.terminated()) read_line(line.text(), launches_);
  }

  FoundCounts counts() const override {
    FoundCounts counts{launches_.size()};
    for (const auto& launch : launches_) {
      counts.steps += launch.run.iterations.size();
      counts.arguments += launch.run.arguments.size();
    }
    return counts;
  }
  SeenStep last_step() const override {
    const Iteration step = launches_.back().run.iterations.back();
    return {step.number,
            fmt::format("step {}: {} ms", step.number, number_text(step.step_time_ms))};
  }

  std::vector<LogRun> finish() override {
    std::vector<LogRun> runs;
    for (auto& launch : launches_) {
      if (!launch.measures) continue;
      launch.run.point.name = name_of(launch.run.point);
      launch.run.point.id = point_id(launch.run.point);
      runs.push_back(std::move(launch.run));
    }
    return runs;
  }

 private:
  std::vector<Launch> launches_;
};

}  // namespace

std::vector<std::string_view> steps_texts() { return {kHeader, kPoint, kTime, kDone}; }

std::unique_ptr<FormatReader> steps_reader(bool /*document*/) { return std::make_unique<Reader>(); }

}  // namespace pippin
