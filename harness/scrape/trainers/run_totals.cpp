#include "harness/scrape/trainers/run_totals.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"

namespace pippin {

namespace {

/// Whether the printed rate may be of so many steps.
bool agrees(std::int64_t steps, const RunTotal& total) {
  if (!total.rate) return true;
  const double by_law = total.rate->value * total.seconds.value;
  return std::abs(by_law - static_cast<double>(steps)) <=
         total.rate->quantum * total.seconds.value + 1;
}

bool took_as_long(const ProgressBar& bar, const RunTotal& total) {
  constexpr double kAlike = 0.1, kSecond = 1;
  const double seconds = total.seconds.value;
  return std::abs(bar.seconds - seconds) <= kAlike * seconds + kSecond;
}

/// Bars are drawn a few times a second: the last steps may be missing.
bool may_have_ended(const ProgressBar& bar, std::int64_t resumed, const RunTotal& total) {
  constexpr double kSecond = 1;
  const auto made = static_cast<double>(std::max<std::int64_t>(bar.done - resumed, 1));
  const auto left = static_cast<double>(bar.total - bar.done);
  return left * bar.seconds / made <= total.seconds.value - bar.seconds + kSecond;
}

}  // namespace

void RunTotals::see_bars(std::string_view line) {
  for (const ProgressBar& bar : bars_in(line)) {
    if (bar.is_named) continue;
    const auto same = std::find_if(bars_.begin(), bars_.end(), [&](const ProgressBar& other) {
      return other.total == bar.total;
    });
    const bool begins = has_total_ && bar.done == 0;
    if (same == bars_.end()) {
      bars_.push_back({bar, begins});
    } else if (begins || same->seconds <= bar.seconds) {
      *same = {bar, begins || same->is_next};
    }
  }
}

void RunTotals::keep(const RunTotal& total) {
  totals_.push_back(total);
  has_total_ = true;
}

void RunTotals::forget_last_run() {
  has_total_ = false;
  std::erase_if(bars_, [](const SeenBar& bar) { return !bar.is_next; });
  for (SeenBar& bar : bars_) bar.is_next = false;
}

void RunTotals::say_rate(const Figure& steps_per_second) {
  for (RunTotal& total : totals_) {
    if (!total.rate) total.rate = steps_per_second;
  }
}

bool RunTotals::is_of_next_run(const RunTotal& total) const {
  return std::any_of(bars_.begin(), bars_.end(), [&](const SeenBar& bar) {
    return bar.is_next && bar.done > 0 && agrees(bar.total, total) && took_as_long(bar, total);
  });
}

void RunTotals::add_known(std::size_t trainer, TrainerLog& log) {
  std::erase_if(totals_, [&](const RunTotal& total) {
    if (!last_step(total)) return false;
    add(total, trainer, log);
    return true;
  });
}

void RunTotals::add_all(std::size_t trainer, TrainerLog& log) {
  for (const auto& total : totals_) add(total, trainer, log);
  totals_.clear();
}

/// nullptr: none shows a step that was made.
const ProgressBar* RunTotals::bar_of_all() const {
  const auto bar = std::find_if(bars_.begin(), bars_.end(), [&](const ProgressBar& other) {
    return planned_ == other.total && other.done > resumed_ && other.seconds > 0;
  });
  return bar != bars_.end() ? &*bar : nullptr;
}

std::int64_t RunTotals::steps_made() const {
  const ProgressBar* bar = bar_of_all();
  return bar ? bar->done - resumed_ : 0;
}

bool RunTotals::add_unfinished(unsigned flags, std::size_t trainer, TrainerLog& log,
                               std::string_view before) const {
  const ProgressBar* bar = bar_of_all();
  if (!bar) return false;
  StepRecord record;
  record.step = bar->done;
  record.interval = bar->done - resumed_;
  const double per_step_ms = kMsPerSecond / static_cast<double>(record.interval);
  record.figure = {bar->seconds * per_step_ms, per_step_ms, 0};  // whole seconds
  record.span = Span::kTotal;
  record.flags = flags;
  log.add(trainer, record, before);
  return true;
}

/// The bar of all steps, which took as long, tells the last that was made: training may stop before
/// the last that was announced.
Count RunTotals::last_step(const RunTotal& total) const {
  for (const ProgressBar& bar : bars_) {
    const bool is_it = planned_ ? bar.total == *planned_ : agrees(bar.total, total);
    if (is_it && took_as_long(bar, total))
      return may_have_ended(bar, resumed_, total) ? bar.total : bar.done;
  }
  return planned_;
}

void RunTotals::add(const RunTotal& total, std::size_t trainer, TrainerLog& log) const {
  StepRecord record;
  double unsure = 0;  // as a share
  if (const Count last = last_step(total)) {
    record.step = *last;
  } else if (total.rate && total.rate->value > 0) {
    record.step = static_cast<std::int64_t>(std::round(total.rate->value * total.seconds.value));
    unsure = total.rate->quantum / total.rate->value;
    NamedValues& derived = log.launch().facts.derived;
    if (!find_value(derived, "steps"))
      derived.emplace_back("steps",
                           value_of(std::string("train_steps_per_second · train_runtime")));
  }
  record.interval = record.step - resumed_;
  if (record.interval < 1)
    return log.could_not_use(total.line,
                             "it is the time of all steps, and nothing says how many they were");
  const auto steps = static_cast<double>(record.interval);
  const double time = total.seconds.value * kMsPerSecond / steps;
  record.figure = {time, std::max(total.seconds.quantum * kMsPerSecond / steps, time * unsure), 0};
  record.span = Span::kTotal;
  record.flags = total.flags;
  log.add(trainer, record, std::string_view(total.line).substr(0, total.before));
}

}  // namespace pippin
