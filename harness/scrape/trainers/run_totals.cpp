// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/run_totals.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/units.h"
#include "core/base/whole_number.h"
#include "harness/scrape/trainers/prefix.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

/// A rate as it was rounded: zeros at its end are not printed.
/// Source: speed_metrics() of transformers, src/transformers/trainer_utils.py, 2021-2026, rounds to
/// 3 decimals; logs of transformers 5 have 4 digits of all figures.
std::optional<Figure> rounded_rate(std::optional<Figure> rate) {
  constexpr double kDecimals = 0.001, kTen = 10;
  if (!rate) return rate;
  const double tens = std::floor(std::log10(std::max(rate->value, 1.0)));
  rate->quantum = std::min(rate->quantum, kDecimals * std::pow(kTen, tens));
  return rate;
}

/// Of how many steps a printed rate and time may be. Both are rounded, the time of a table is cut.
struct StepRange {
  std::int64_t least = 1, most = 0;  ///< 1 to 0: it has no rate
  bool has(std::int64_t steps) const { return least <= steps && steps <= most; }
};
StepRange steps_by_rate(const RunTotal& total) {
  if (!total.rate || !(total.rate->value > 0)) return {};
  constexpr double kRounding = 1e-6;
  const Figure &rate = *total.rate, &seconds = total.seconds;
  const double least = (rate.value - rate.quantum / 2) * (seconds.value - seconds.quantum / 2);
  const double most = (rate.value + rate.quantum / 2) * (seconds.value + seconds.quantum);
  const Count first = whole_number(std::ceil(least - kRounding));
  const Count last = whole_number(std::floor(most + kRounding));
  return first && last ? StepRange{*first, *last} : StepRange();
}

/// "93/94" is 93.
Count count_before(std::string_view value, char behind) {
  return count_of(whole_figure(value.substr(0, value.find(behind))));
}

void tell_law(NamedValues& derived, const char* name, const char* law) {
  if (!find_value(derived, name)) derived.emplace_back(name, value_of(std::string(law)));
}

/// The mean of `made` steps up to the last.
void set_mean(StepRecord& record, const RunTotal& total, std::int64_t last, std::int64_t made) {
  const auto steps = static_cast<double>(made);
  record.step = last;
  record.interval = made;
  record.figure = {total.seconds.value * kMsPerSecond / steps,
                   total.seconds.quantum * kMsPerSecond / steps, 0};
}

/// The mean of nobody knows how many steps.
void set_mean(StepRecord& record, const Figure& steps_per_second) {
  const double time_ms = kMsPerSecond / steps_per_second.value;
  record.flags |= kIntervalMean;
  record.figure = {time_ms, time_ms * steps_per_second.quantum / steps_per_second.value, 0};
}

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

bool take_figures(const std::vector<std::pair<std::string_view, std::string_view>>& said,
                  RunTotal& total) {
  std::optional<Figure> seconds;
  for (const auto& [name, value] : said) {
    if (name == "train_runtime") seconds = whole_figure(value);
    if (name == "train_steps_per_second") total.rate = rounded_rate(whole_figure(value));
    if (name == "global_step") total.global_step = count_of(whole_figure(value));
    if (name == "global_step/max_steps") total.global_step = count_before(value, '/');
    if (name == "train_loss") total.loss = value_of_figure(whole_figure(value));
    if (name == "total_flos") total.flops = value_of_figure(whole_figure(value));
  }
  total.seconds = seconds.value_or(Figure());
  return seconds.has_value();
}

/// Whether the first steps that it shows came too fast to be its own: it shows at once those of a
/// checkpoint.
bool RunTotals::began_behind(const SeenBar& bar) {
  constexpr double kMuchFaster = 2, kSecond = 1;
  const auto later = static_cast<double>(bar.done - bar.first_done);
  if (bar.first_done < 2 || later < 1) return false;
  const double first = static_cast<double>(bar.first_done) * (bar.seconds - bar.first_seconds);
  return first / later > kMuchFaster * (bar.first_seconds + kSecond);
}

/// What it drew before, which is the last of all then. Trainings and evaluations may count to the
/// same number: of two that it could go on from, it is the one that is drawn anew or made one step,
/// or else the one that was drawn last.
RunTotals::SeenBar* RunTotals::drawn_before(const ProgressBar& bar) {
  auto found = bars_.rend();
  for (auto seen = bars_.rbegin(); seen != bars_.rend(); ++seen) {
    const bool may_be = seen->total == bar.total && seen->done <= bar.done;
    if (!may_be || seen->seconds > bar.seconds) continue;
    const bool is_near = bar.done - seen->done <= 1;
    if (is_near || found == bars_.rend()) found = seen;
    if (is_near) break;
  }
  if (found == bars_.rend()) return nullptr;
  std::rotate(std::next(found).base(), found.base(), bars_.end());
  return &bars_.back();
}

/// Whether it shows a step of a training that it did not show before.
bool RunTotals::go_on(SeenBar& seen, const ProgressBar& bar) const {
  const bool is_step = bar.done > seen.done;
  static_cast<ProgressBar&>(seen) = bar;
  if (!is_step) return false;
  seen.reached_seconds = bar.seconds;
  const unsigned pauses = std::exchange(seen.pauses_behind, 0U);
  seen.pauses |= pauses;
  if (seen.first_done > resumed_) {
    seen.pauses_shown |= pauses;
  } else {
    seen.first_done = bar.done;
    seen.first_seconds = bar.seconds;
  }
  return !planned_ || bar.total == *planned_;
}

bool RunTotals::see_bar(const ProgressBar& bar) {
  const auto same = std::find_if(bars_.rbegin(), bars_.rend(),
                                 [&](const SeenBar& seen) { return seen.total == bar.total; });
  SeenBar begun{bar, false, false, bar.done, bar.seconds, bar.seconds};
  if (bar.done > 0) begun.pauses = pauses_;
  if (same == bars_.rend()) {
    begun.is_next = has_total_ && bar.done == 0;
    bars_.push_back(begun);
  } else if (has_total_ && bar.done == 0) {
    begun.is_next = true;
    begun.is_again = same->is_again;
    *same = begun;
  } else if (bar.done == 0 && same->done > 1) {
    begun.is_again = true;
    std::erase_if(bars_,
                  [&](const SeenBar& seen) { return seen.total == bar.total && seen.is_again; });
    bars_.push_back(begun);
  } else if (SeenBar* seen = drawn_before(bar)) {
    return go_on(*seen, bar);
  }
  return false;
}

RunTotals::Bars RunTotals::see_bars(std::string_view line) {
  Bars seen;
  for (const ProgressBar& bar : bars_in(line)) {
    if (bar.is_named) continue;
    seen.may_be_of_steps = true;
    last_bar_ = bar;
    if (see_bar(bar)) seen.show_step = true;
  }
  return seen;
}

void RunTotals::see_losses() {
  if (!last_bar_ || last_bar_->done == 0 || last_bar_->done >= last_bar_->total) return;
  is_above_several_ = is_above_several_ || (above_ && above_ != last_bar_->total);
  above_ = last_bar_->total;
}

void RunTotals::see_pause(unsigned flag) {
  pauses_ |= flag;
  for (SeenBar& bar : bars_) bar.pauses_behind |= flag;
}

void RunTotals::see_evaluated() {
  pauses_ |= kAfterEvaluation;
  for (SeenBar& bar : bars_) {
    bar.pauses |= kAfterEvaluation;
    if (bar.first_done > resumed_) bar.pauses_shown |= kAfterEvaluation;
  }
}

void RunTotals::keep(const RunTotal& total) {
  totals_.push_back(total);
  totals_.back().flags = pauses_;
  const auto before = std::string_view(total.line).substr(0, total.before);
  seen_.push_back({speaker_of(before).name, total.seconds, total.loss, total.flops});
  has_total_ = true;
}

void RunTotals::forget_last_run() {
  has_total_ = goes_on_ = is_above_several_ = false;
  above_.reset();
  seen_.clear();
  resumed_ = 0;
  std::erase_if(bars_, [](const SeenBar& bar) { return !bar.is_next && !bar.is_again; });
  for (SeenBar& bar : bars_) bar.is_next = bar.is_again = false;
}

void RunTotals::say_rate(const Figure& steps_per_second) {
  for (RunTotal& total : totals_) {
    if (!total.rate) total.rate = rounded_rate(steps_per_second);
  }
}

void RunTotals::say_steps(std::int64_t steps) {
  for (RunTotal& total : totals_) {
    if (!total.steps) total.steps = steps;
  }
}

bool RunTotals::is_of_next_run(const RunTotal& total) const {
  return std::any_of(bars_.begin(), bars_.end(), [&](const SeenBar& bar) {
    return bar.is_next && bar.done > 0 && agrees(bar.total, total) && took_as_long(bar, total);
  });
}

/// Processes of a run sum up their operations, and most often their losses, and end together.
bool RunTotals::may_be_same_run(const SeenTotal& seen, const RunTotal& total) {
  if (seen.flops && total.flops && *seen.flops != *total.flops) return false;
  return is_same_training(seen.seconds.value, seen.loss, total.seconds.value, total.loss);
}

bool RunTotals::is_of_other_run(const RunTotal& total) const {
  const auto before = std::string_view(total.line).substr(0, total.before);
  const std::string speaker = speaker_of(before).name;
  const bool spoke = std::any_of(seen_.begin(), seen_.end(),
                                 [&](const SeenTotal& seen) { return seen.speaker == speaker; });
  return spoke && std::none_of(seen_.begin(), seen_.end(),
                               [&](const SeenTotal& seen) { return may_be_same_run(seen, total); });
}

bool RunTotals::was_said(const RunTotal& total) const {
  return std::any_of(seen_.begin(), seen_.end(), [&](const SeenTotal& seen) {
    const double apart = std::abs(seen.seconds.value - total.seconds.value);
    return apart <= std::max(seen.seconds.quantum, total.seconds.quantum) / 2;
  });
}

void RunTotals::add_known(std::size_t trainer, TrainerLog& log) {
  std::erase_if(totals_, [&](const RunTotal& total) {
    if (!last_step(total)) return false;
    add(total, std::nullopt, trainer, log);
    return true;
  });
}

void RunTotals::add_all(std::size_t trainer, TrainerLog& log) {
  const Count by_rates = steps_by_rates();
  for (const auto& total : totals_) add(total, by_rates, trainer, log);
  totals_.clear();
}

/// nullptr: none shows a step that was made.
const RunTotals::SeenBar* RunTotals::bar_of_all(Which which) const {
  const SeenBar* longest = nullptr;
  for (const SeenBar& bar : bars_) {
    const bool is_it = bar.total == all_steps() && bar.done > resumed_ && bar.reached_seconds > 0;
    if (!is_it || (which == Which::kBeforeNext && bar.is_again)) continue;
    if (!longest || bar.seconds > longest->seconds) longest = &bar;
  }
  return longest;
}

std::int64_t RunTotals::steps_made() const {
  const SeenBar* bar = bar_of_all();
  return bar ? bar->done - resumed_ : 0;
}

/// From the first step that it shows to the last: before that the run starts up, and behind it the
/// bar is drawn anew while no step is made. All steps, where the clock tells no start-up from them,
/// or one step only is shown. Without a header the bar may count steps that another run made.
RunTotals::Made RunTotals::made_by(const SeenBar& bar) const {
  constexpr double kAlike = 0.05, kSecond = 1;
  const bool is_of_this_run = (planned_ && !goes_on_) || bar.first_done == 1;
  const unsigned first = bar.done - resumed_ == 1 ? static_cast<unsigned>(kFirst) : 0U;
  const Made all{bar.done - resumed_, bar.reached_seconds, bar.pauses | first};
  const Made shown{bar.done - bar.first_done, bar.reached_seconds - bar.first_seconds,
                   bar.pauses_shown};
  const double each = all.seconds / static_cast<double>(all.steps);
  if (bar.first_done > resumed_ && shown.steps > 0 && shown.seconds > 0) {
    const double apart = std::abs(each * static_cast<double>(shown.steps) - shown.seconds);
    return is_of_this_run && apart <= kSecond ? all : shown;
  }
  const bool fits = std::abs(each - bar.seconds_each) <= kAlike * bar.seconds_each;
  return is_of_this_run || (fits && !goes_on_) ? all : Made();
}

const char* RunTotals::add_unfinished(std::size_t trainer, TrainerLog& log, std::string_view before,
                                      Which which) const {
  if (!planned_ && is_above_several_)
    return "it says no time of a step, and the bars before such lines count to several numbers";
  const SeenBar* bar = bar_of_all(which);
  if (!bar)
    return "it says no time of a step, and neither a train_runtime nor a bar of all steps does";
  const Made made = made_by(*bar);
  if (made.steps == 0)
    return "it says no time of a step, and its bar may count steps of a run before: its seconds do "
           "not fit its rate";
  StepRecord record;
  record.step = bar->done;
  record.interval = made.steps;
  const double per_step_ms = kMsPerSecond / static_cast<double>(made.steps);
  record.figure = {made.seconds * per_step_ms, per_step_ms, 0};  // whole seconds
  record.span = Span::kTotal;
  record.flags = made.flags;
  if (!log.launch().planned) log.launch().planned = bar->total;
  log.add(trainer, record, before);
  return nullptr;
}

/// The bar of all steps, which took as long.
const RunTotals::SeenBar* RunTotals::bar_of(const RunTotal& total) const {
  const Count all = total.steps ? total.steps : planned_;
  const auto bar = std::find_if(bars_.begin(), bars_.end(), [&](const SeenBar& other) {
    const bool is_it = all ? other.total == *all : agrees(other.total, total);
    return is_it && took_as_long(other, total);
  });
  return bar != bars_.end() ? &*bar : nullptr;
}

/// The bar tells the last that was made: training may stop before the last that was announced.
Count RunTotals::last_step(const RunTotal& total) const {
  if (total.steps) return total.steps;
  const SeenBar* bar = bar_of(total);
  if (!bar) return planned_;
  return may_have_ended(*bar, resumed_, total) ? bar->total : bar->done;
}

/// The only number that the rate of a process can be of, and those of all others, too.
Count RunTotals::steps_by_rates() const {
  const auto may_be = [&](std::int64_t steps) {
    return std::all_of(totals_.begin(), totals_.end(), [&](const RunTotal& total) {
      return !total.rate || steps_by_rate(total).has(steps);
    });
  };
  for (const auto& total : totals_) {
    const StepRange range = steps_by_rate(total);
    if (range.least == range.most) return may_be(range.least) ? Count(range.least) : std::nullopt;
  }
  return std::nullopt;
}

void RunTotals::add(const RunTotal& total, const Count& by_rates, std::size_t trainer,
                    TrainerLog& log) const {
  const SeenBar* bar = bar_of(total);
  if (goes_on_ || (resumed_ == 0 && bar && began_behind(*bar)))
    return log.could_not_use(total.line,
                             "it goes on from a checkpoint, and nothing says from which step");
  StepRecord record;
  record.flags = total.flags;
  NamedValues& derived = log.launch().facts.derived;
  const Count shown = last_step(total), said = shown ? shown : total.global_step;
  const Count last = said || !total.rate ? said : by_rates;
  if (last && *last > resumed_) {
    set_mean(record, total, *last, *last - resumed_);
    if (!said) tell_law(derived, "steps", "train_steps_per_second · train_runtime");
  } else if (!last && resumed_ == 0 && steps_by_rate(total).most > 0) {
    set_mean(record, *total.rate);
    tell_law(derived, "step_time", "1 / train_steps_per_second");
  } else {
    return log.could_not_use(total.line,
                             "it is the time of all steps, and nothing says how many they were");
  }
  record.span = Span::kTotal;
  record.loss_of_all = total.loss;
  if (bar && !log.launch().planned) log.launch().planned = bar->total;
  log.add(trainer, record, std::string_view(total.line).substr(0, total.before));
}

}  // namespace pippin
