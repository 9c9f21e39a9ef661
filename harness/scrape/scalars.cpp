// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scalars.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "core/base/units.h"
#include "core/base/whole_number.h"
#include "harness/scrape/megatron_lines.h"

namespace pippin {

namespace {

using Row = Scalars::mapped_type;

std::optional<double> find_scalar(const Row& row, const std::vector<std::string_view>& names) {
  for (const auto name : names) {
    const auto found = row.find(name);
    if (found != row.end()) return found->second;
  }
  return std::nullopt;
}

std::optional<double> finite(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? number : std::nullopt;
}

Count whole(const std::optional<double>& number) {
  return number && *number >= 0 ? whole_number(*number) : std::nullopt;
}

std::optional<double> time_ms(const Row& row, const ScalarNames& names) {
  const auto seconds = find_scalar(row, names.seconds);
  if (!seconds || !is_step_time(*seconds * kMsPerSecond)) return std::nullopt;
  return *seconds * kMsPerSecond;
}

std::int64_t found_interval(const Scalars& scalars, const ScalarNames& names) {
  std::int64_t interval = 0, times = 0;
  for (const auto& [step, row] : scalars) {
    if (!time_ms(row, names)) continue;
    const bool is_besides = names.divides_first && step == 1;
    if (!is_besides) interval = std::gcd(interval, step);
    ++times;
  }
  return times < 2 ? 1 : std::max<std::int64_t>(interval, 1);
}

std::int64_t interval_of(const Scalars& scalars, const ScalarNames& names,
                         const NamedValues& arguments) {
  if (names.times == ScalarTimes::kOneStep) return 1;
  constexpr double kMost = 1e9;
  const Value* said = find_value(arguments, "log_interval");
  if (said && said->number && *said->number >= 1 && *said->number < kMost)
    return static_cast<std::int64_t>(*said->number);
  return found_interval(scalars, names);
}

bool has_a_place(std::string_view tag, const ScalarNames& names) {
  for (const auto* of_one : {&names.seconds, &names.loss, &names.grad_norm, &names.learning_rate,
                             &names.loss_scale, &names.batch, &names.samples}) {
    if (std::find(of_one->begin(), of_one->end(), tag) != of_one->end()) return true;
  }
  return false;
}

Iteration iteration_of(std::int64_t step, const Row& row, const ScalarNames& names) {
  Iteration line;
  line.number = step;
  line.step_time_ms = time_ms(row, names).value_or(0);
  line.lm_loss = finite(find_scalar(row, names.loss));
  line.grad_norm = finite(find_scalar(row, names.grad_norm));
  line.learning_rate = finite(find_scalar(row, names.learning_rate));
  line.loss_scale = finite(find_scalar(row, names.loss_scale));
  line.gbs = whole(find_scalar(row, names.batch));
  line.consumed_samples = whole(find_scalar(row, names.samples));
  if (row.contains(names.saved_in)) line.flags |= kAfterSave;
  if (row.contains(names.evaluated_in)) line.flags |= kAfterEvaluation;
  for (const auto& [tag, value] : row) {
    if (!has_a_place(tag, names) && std::isfinite(value))
      line.other.emplace_back(tag, value_of(value));
  }
  return line;
}

bool has_tag_with(const Row& row, std::string_view word) {
  return !word.empty() && std::any_of(row.begin(), row.end(), [&](const auto& scalar) {
    return scalar.first.find(word) != std::string::npos;
  });
}

/// Makes lines of rows, which know what stood before them.
class Lines {
 public:
  Lines(const ScalarNames& names, std::int64_t interval) : names_(names), interval_(interval) {}

  void add(std::int64_t step, const Row& row) {
    if (time_ms(row, names_) && !is_made_up(step)) add_line(iteration_of(step, row, names_));
    evaluated_ = evaluated_ || has_tag_with(row, names_.evaluated_before);
    const auto loss = find_scalar(row, names_.loss);
    if (!loss) return;
    if (std::isfinite(*loss)) nan_from_.reset();
    if (!std::isfinite(*loss) && !nan_from_) nan_from_ = step;
  }

  const Count& nan_from() const { return nan_from_; }
  Iterations take() { return std::move(lines_); }

 private:
  bool is_made_up(std::int64_t step) const {
    return names_.divides_first && interval_ > 1 && step % interval_ != 0;
  }

  /// Since 2026 Megatron-LM does not write the time of a launch's first iteration, and goes on
  /// timing: the next one is the mean of both.
  std::int64_t steps_of_first(std::int64_t step) const {
    const bool goes_on = names_.trainer == "megatron" && interval_ == 1 && step == 2;
    return goes_on ? 2 : interval_;
  }

  void add_line(Iteration line) {
    if (names_.times == ScalarTimes::kMeanOfInterval) {
      line.interval =
          before_ ? std::min(line.number - *before_, interval_) : steps_of_first(line.number);
      if (line.interval > 1) line.flags |= kIntervalMean;
    }
    if (!first_) first_ = line.number;
    if (line.number - *first_ < names_.startup_steps) line.flags |= kFirst;
    if (evaluated_) line.flags |= kAfterEvaluation;
    evaluated_ = false;
    before_ = line.number;
    lines_.push_back(std::move(line));
  }

  const ScalarNames& names_;
  const std::int64_t interval_;
  Count first_, before_, nan_from_;
  bool evaluated_ = false;
  Iterations lines_;
};

/// The batch of all lines; nothing where they differ.
Count batch_of(const Iterations& lines) {
  Count batch;
  bool is_one = true;
  lines.each_line([&](const Iteration& line) {
    if (!batch) batch = line.gbs;
    is_one = is_one && line.gbs == batch;
  });
  return is_one ? batch : std::nullopt;
}

void set_point(LogRun& run, MegatronHeader header, std::string_view trainer) {
  header.gbs = batch_of(run.iterations);
  run.point = point_of(header);
  if (trainer != "megatron") {
    run.point.trainer = trainer;
    run.point.name = fmt::format("{}-{}", trainer, point_name(run.point));
    run.point.id = point_id(run.point);
  }
  run.configured = !header.arguments.empty() && is_configured(run.point);
  run.recompute = recompute_of(header.arguments);
  run.arguments = std::move(header.arguments);
}

}  // namespace

std::optional<LogRun> run_of_scalars(const Scalars& scalars, const ScalarNames& names,
                                     MegatronHeader header) {
  LogRun run;
  Lines lines(names, interval_of(scalars, names, header.arguments));
  for (const auto& [step, row] : scalars) lines.add(step, row);
  run.nan_from = lines.nan_from();
  run.iterations = lines.take();
  if (run.iterations.empty()) return std::nullopt;
  set_point(run, std::move(header), names.trainer);
  return run;
}

void set_source(LogRun& run, std::string_view source) {
  run.format = source;
  run.point.axes.emplace_back("source", Value{std::string(source), std::nullopt});
  run.point.name = fmt::format("{}-{}", run.point.name, source);
  run.point.id = point_id(run.point);
}

}  // namespace pippin
