// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/launch.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/records/fields.h"
#include "harness/scrape/megatron_lines.h"

namespace pippin {

void LaunchFacts::say(std::string_view name, std::string_view text) {
  if (said_.has(arguments, name)) return;
  arguments.emplace_back(std::string(name), value_of(printable(trim(text))));
}

void LaunchFacts::say(std::string_view name, double number) {
  if (said_.has(arguments, name)) return;
  arguments.emplace_back(std::string(name), value_of(number));
}

std::size_t LaunchFacts::said_count() const {
  Point point;
  point.model = model;
  point.layout = layout;
  std::size_t count = arguments.size() + axes.size() + (tokens_per_step ? 1 : 0);
  for_each_count(point, [&](std::string_view, const Count& known) { count += known ? 1 : 0; });
  return count;
}

void LaunchFacts::set_axis(std::string_view name, std::string_view text) {
  if (known_axes_.has(axes, name)) return;
  axes.emplace_back(std::string(name), value_of(printable(trim(text))));
}

Count* count_called(std::span<const CountName> names, std::string_view name, LaunchFacts& facts) {
  const auto known = std::find_if(names.begin(), names.end(),
                                  [&](const CountName& one) { return one.name == name; });
  return known == names.end() ? nullptr : &known->of(facts);
}

void LaunchFacts::derive(Count& count, std::string_view name, const std::optional<double>& value,
                         std::string_view law, double tolerance) {
  if (count || !value || !(*value > 0)) return;
  const double whole = std::round(*value);
  if (whole < 1 || whole > 1e15 || std::abs(*value - whole) > tolerance * whole) return;
  count = static_cast<std::int64_t>(whole);
  derived.emplace_back(std::string(name), value_of(std::string(law)));
}

const StepRows& TrainerLaunch::rows(std::size_t trainer) const {
  static const StepRows none;
  const auto known = rows_.find(trainer);
  return known == rows_.end() ? none : known->second;
}

std::size_t TrainerLaunch::row_count() const {
  std::size_t count = 0;
  for (const auto& of_trainer : rows_) count += of_trainer.second.size();
  return count;
}

TrainerLaunch TrainerLaunch::next() const {
  TrainerLaunch next;
  next.facts = facts;
  next.nodes = nodes.of_job();
  next.planned = planned;
  next.first_step = first_step;
  next.startup_steps = startup_steps;
  return next;
}

void TrainerLaunch::see_common(const FoundLine& line, const CommonTexts& common) {
  const LogLine common_line(line, {}, common);
  if (line.terminated) {
    for (const std::size_t sign : common_line.nodes_in(line.text))
      nodes.see(sign, line.text, row_count());
  }
  for (const std::size_t sign : common_line.endings_in(line.text))
    ending.see(sign, line.text, steps_seen());
}

void LaunchFacts::take(const NamedValues& told) {
  Point point;
  point.model = model;
  point.layout = layout;
  overruled = overruled_by(told, point);
  tell(point, told);
  model = point.model;
  layout = point.layout;
}

namespace {

/// The quotient where it is whole; a log may say 0.
Count whole_quotient(const Count& dividend, const Count& divisor) {
  if (!dividend || !divisor || *divisor <= 0 || *dividend % *divisor != 0) return std::nullopt;
  return *dividend / *divisor;
}

}  // namespace

void LaunchFacts::complete() {
  pippin::complete(layout);
  constexpr std::int64_t kMost = 1'000'000'000;  // so that products are numbers
  const auto number = [](const Count& count) { return static_cast<double>(*count); };
  if (!tokens_per_step && layout.gbs && model.seq && layout.gbs < kMost && model.seq < kMost)
    tokens_per_step = *layout.gbs * *model.seq;
  if (!layout.gbs) layout.gbs = whole_quotient(tokens_per_step, model.seq);
  pippin::complete(layout);
  if (!model.seq) model.seq = whole_quotient(tokens_per_step, layout.gbs);
  if (!tokens_per_gpu_step && tokens_per_step && layout.gpus)
    tokens_per_gpu_step = number(tokens_per_step) / number(layout.gpus);
}

namespace {

/// Turns figures into times.
class Clock {
 public:
  Clock(const LaunchFacts& facts, Pace pace) : facts_(facts), pace_(pace) {}

  /// What is done in a step, in the unit of the pace; nothing where it is unknown.
  std::optional<double> work(const Count& gbs) const {
    const auto number = [](const Count& count) {
      return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
    };
    switch (pace_) {
      case Pace::kMs:
      case Pace::kStepsPerSecond:
        return 1;
      case Pace::kSamplesPerSecond:
        return number(gbs ? gbs : facts_.layout.gbs);
      case Pace::kTokensPerSecond:
        return number(facts_.tokens_per_step);
      case Pace::kTokensPerGpuSecond:
        return facts_.tokens_per_gpu_step;
    }
    return std::nullopt;
  }

  /// Nothing where the work is unknown.
  std::optional<double> time_ms(double figure, const Count& gbs) const {
    const auto done = work(gbs);
    if (!done) return std::nullopt;
    return pace_ == Pace::kMs ? figure : *done / figure * kMsPerSecond;
  }

  /// In which times are known that come from a figure written so.
  std::optional<double> resolution_ms(const Figure& figure, const Count& gbs) const {
    if (pace_ == Pace::kMs) return figure.quantum;
    const auto time = time_ms(figure.value, gbs);
    if (!time) return std::nullopt;
    double share = figure.quantum / figure.value;
    if (pace_ == Pace::kTokensPerGpuSecond && facts_.tokens_quantum > 0)
      share += facts_.tokens_quantum / *facts_.tokens_per_gpu_step;
    return *time * share;
  }

  std::string what_is_missing() const {
    switch (pace_) {
      case Pace::kSamplesPerSecond:
        return "samples a second, but not how many samples a step has (gbs)";
      case Pace::kTokensPerSecond:
        return "tokens a second, but not how many tokens a step has (gbs and seq)";
      case Pace::kTokensPerGpuSecond:
        return "tokens a second and GPU, but not how many a GPU has in a step (gbs, seq and gpus)";
      default:
        return "no time";
    }
  }

 private:
  const LaunchFacts& facts_;
  Pace pace_;
};

void set_point(LogRun& run, const LaunchFacts& facts, std::string_view trainer) {
  Point& point = run.point;
  point.trainer = trainer;
  point.model = facts.model;
  point.layout = facts.layout;
  constexpr std::string_view kNameless = "model";  // what point_name() calls one without a shape
  const std::string name = point_name(point);
  const std::string_view rest = name;
  point.name = fmt::format("{}{}", trainer,
                           rest.starts_with(kNameless) ? std::string(rest.substr(kNameless.size()))
                                                       : fmt::format("-{}", name));
  point.axes = facts.axes;
  point.id = point_id(point);
}

Iteration iteration_of(const StepRows::Row& row) {
  const StepRecord& record = row.record;
  Iteration line;
  line.number = record.step;
  line.flags = record.flags;
  line.gbs = record.gbs;
  line.consumed_samples = record.consumed_samples;
  line.lm_loss = record.lm_loss;
  line.learning_rate = record.learning_rate;
  line.loss_scale = record.loss_scale;
  line.grad_norm = record.grad_norm;
  for (const auto& [name, value] : record.other) line.other.emplace_back(name, value_of(value));
  return line;
}

/// Of rows that are means, of how many steps.
std::int64_t smallest_step(const StepRows& rows) {
  std::int64_t smallest = 0;
  const StepRows::Row* before = nullptr;
  for (const auto& row : rows.rows()) {
    if (before) {
      const std::int64_t step = row.record.step - before->record.step;
      smallest = smallest == 0 ? step : std::min(smallest, step);
    }
    before = &row;
  }
  return std::max<std::int64_t>(smallest, 1);
}

/// How many steps a line stands for, and of what kind its time is.
void mark_span(Iteration& line, const StepRecord& record, std::int64_t since_last) {
  if (record.span == Span::kMean) {
    line.interval = std::max<std::int64_t>(record.interval > 0 ? record.interval : since_last, 1);
    if (line.interval > 1) line.flags |= kIntervalMean;
  } else if (record.span == Span::kTotal) {
    line.interval = std::max<std::int64_t>(record.interval, 1);
    line.flags |= kWholeRun;
  } else if (record.span == Span::kWindow) {
    line.flags |= kMovingMean;
  }
}

/// Below this step a launch starts up; nothing where the log begins in its midst.
Count end_of_startup(const TrainerLaunch& launch, const StepRows& rows, std::int64_t usual) {
  const std::int64_t first = rows.rows().front().record.step;
  const bool from_the_first = first - usual < launch.first_step;
  if (from_the_first) return launch.first_step + launch.startup_steps;
  return launch.begins ? Count(first + launch.startup_steps) : std::nullopt;
}

}  // namespace

namespace {

/// With the counts of what was asked for in place of those that the log does not say.
LaunchFacts as_planned(const LaunchFacts& facts, const NamedValues& planned) {
  LaunchFacts filled = facts;
  if (planned.empty()) return filled;
  Point said, asked;
  said.model = facts.model;
  said.layout = facts.layout;
  for (const auto& value : planned) {
    const auto known = find_count(said, value.first);
    if (known && !*known) tell(asked, {value});
  }
  const auto fill = [](auto& into, const auto& from, const auto& fields) {
    for (const auto& field : fields) {
      if (!(into.*field.count)) into.*field.count = from.*field.count;
    }
  };
  fill(filled.model, asked.model, kModelFields);
  fill(filled.layout, asked.layout, kLayoutFields);
  filled.complete();
  return filled;
}

}  // namespace

TrainerRun run_of(const TrainerLaunch& launch, std::string_view trainer, const StepRows& rows,
                  const NamedValues& planned) {
  TrainerRun made;
  LogRun& run = made.run;
  LaunchFacts facts = launch.facts;
  facts.complete();
  set_point(run, facts, trainer);
  run.recompute = facts.recompute;
  run.started_at = launch.started_at;
  run.end = launch.end();
  run.evidence = launch.evidence();
  run.nodes = launch.nodes.nodes();
  run.slowest_ranks = launch.nodes.slowest_ranks();
  run.checkpoints = launch.checkpoints.checkpoints(launch.row_count(), run.end);
  for (const auto& of_rank : launch.memory) run.memory.push_back(of_rank.second);
  const LaunchFacts clock_facts = as_planned(facts, planned);
  run.arguments = facts.arguments;
  run.derived = facts.derived;
  run.overruled = facts.overruled;
  run.configured = is_configured(run.point);
  if (rows.empty()) {
    if (run.end != RunState::kOk) run.planned_iterations = launch.planned;
    return made;
  }
  const std::int64_t usual = smallest_step(rows);
  const Count startup_end = end_of_startup(launch, rows, usual);
  Count before;
  for (const auto& row : rows.rows()) {
    const StepRecord& record = row.record;
    const Clock clock(clock_facts, record.pace);
    const auto time = clock.time_ms(record.figure.value, record.gbs);
    if (!time) {
      made.problem = "it says " + clock.what_is_missing();
      return made;
    }
    if (!is_step_time(*time)) continue;
    Iteration line = iteration_of(row);
    line.step_time_ms = *time;
    const std::int64_t done = record.step - launch.first_step + 1;
    mark_span(line, record, before ? record.step - *before : std::min(done, usual));
    const bool starts = startup_end && record.step - line.interval + 1 < *startup_end;
    if (starts && record.span != Span::kTotal) line.flags |= kFirst;
    if (!line.gbs) line.gbs = facts.layout.gbs;
    if (row.ranks > 1) {
      line.other.emplace_back(kRanksName, value_of(static_cast<double>(row.ranks)));
      if (const auto fastest = clock.time_ms(row.fastest, record.gbs))
        line.other.emplace_back(kFastestRankName, value_of(*fastest));
    }
    const auto resolution = clock.resolution_ms(record.figure, record.gbs);
    run.resolution_ms = !run.resolution_ms ? resolution : std::min(run.resolution_ms, resolution);
    if (record.lm_loss) run.nan_from.reset();
    if (!run.nan_from && record.bad_loss) run.nan_from = record.step;
    before = record.step;
    run.iterations.push_back(std::move(line));
  }
  if (run.end != RunState::kOk || (launch.planned && before >= launch.planned))
    run.planned_iterations = launch.planned;
  return made;
}

}  // namespace pippin
