// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/plot/legend.h"
#include "reports/plot/plots.h"
#include "reports/plot/timed_runs.h"

namespace pippin {

namespace {

constexpr std::int64_t kHour = 3600, kDay = 86400;

/// Whether runs would stand in narrow heaps by the clock: few of the hours have any, or several
/// begin in each second.
bool are_heaped(const std::vector<TimedRun>& runs) {
  constexpr double kFilled = 0.35;
  std::size_t hours = 0, seconds = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::int64_t before = i > 0 ? runs[i - 1].started : -1;
    hours += i == 0 || runs[i].started / kHour != before / kHour ? 1 : 0;
    seconds += runs[i].started != before ? 1 : 0;
  }
  const std::int64_t all = runs.back().started / kHour - runs.front().started / kHour + 1;
  return static_cast<double>(hours) < kFilled * static_cast<double>(all) ||
         2 * seconds < runs.size();
}

/// The time of every so manieth run, of which each has a place.
std::vector<PlotTick> ticks_of_runs(const std::vector<TimedRun>& runs, std::size_t most) {
  const std::size_t every = runs.size() / std::max<std::size_t>(most, 1) + 1;
  std::vector<PlotTick> ticks;
  std::string last;
  for (std::size_t i = 0; i < runs.size(); i += every) {
    const std::string clock = utc_text(runs[i].started, "%H:%M");
    const std::string day = i == 0 ? day_text(runs[i].started) + " " : "";
    if (clock != last) ticks.push_back({static_cast<double>(i), day + clock});
    last = clock;
  }
  return ticks;
}

/// The days on the axis: their names in the middle, a rule between two.
void add_days(Plot& plot, const std::vector<TimedRun>& runs, bool evenly, std::size_t width) {
  constexpr std::size_t kColumnsPerRule = 8;
  const auto place = [&](std::size_t i) {
    return static_cast<double>(evenly ? static_cast<std::int64_t>(i) : runs[i].started);
  };
  for (std::size_t from = 0, to; from < runs.size(); from = to) {
    const std::int64_t day = runs[from].started / kDay;
    to = from;
    while (to < runs.size() && runs[to].started / kDay == day) ++to;
    const double middle =
        evenly ? (place(from) + place(to - 1)) / 2 : static_cast<double>(day * kDay) + kDay / 2.0;
    plot.x.ticks.push_back({std::clamp(middle, plot.x.low, plot.x.high), day_text(day * kDay)});
    if (from > 0)
      plot.x.rules.push_back(evenly ? place(from) - 0.5 : static_cast<double>(day * kDay));
  }
  if (plot.x.rules.size() * kColumnsPerRule > width) plot.x.rules.clear();
}

void fit_x_axis(Plot& plot, const std::vector<TimedRun>& runs, bool evenly, std::size_t width) {
  constexpr std::int64_t kLeastRoom = 1, kShare = 50;
  const std::size_t most_ticks = width / 12;
  const std::int64_t first = runs.front().started, last = runs.back().started;
  const double room =
      evenly ? 0.5 : static_cast<double>(std::max((last - first) / kShare, kLeastRoom));
  plot.x.title = evenly ? "runs in the order they began, UTC" : "when runs began, UTC";
  plot.x.low = (evenly ? 0 : static_cast<double>(first)) - room;
  plot.x.high = (evenly ? static_cast<double>(runs.size() - 1) : static_cast<double>(last)) + room;
  if (first / kDay != last / kDay && (evenly || last - first > 2 * kDay)) {
    add_days(plot, runs, evenly, width);
  } else {
    plot.x.ticks = evenly ? ticks_of_runs(runs, most_ticks) : clock_ticks(first, last, most_ticks);
  }
}

/// Puts each run where it belongs, and each campaign's name where it begins.
void place_runs(Plot& plot, const TimedRuns& timed, bool evenly) {
  std::set<std::size_t> begun;
  for (std::size_t i = 0; i < timed.runs().size(); ++i) {
    const TimedRun& run = timed.runs()[i];
    const auto x = static_cast<double>(evenly ? static_cast<std::int64_t>(i) : run.started);
    if (run.value) plot.series[run.value->first].points.push_back({x, run.value->second});
    if (run.is_lost()) plot.losses.push_back({x, run.state});
    if (timed.campaigns().size() > 1 && begun.insert(run.campaign).second)
      plot.above.push_back({x, timed.campaigns()[run.campaign]});
  }
}

/// "2026-11-26 19:56 to 20:10 UTC"
std::string span_text(const std::vector<TimedRun>& runs) {
  const std::int64_t first = runs.front().started, last = runs.back().started;
  const char* form = first / kDay == last / kDay ? "%H:%M" : "%F %H:%M";
  const std::string from = utc_text(first, "%F %H:%M");
  return first / 60 == last / 60 ? from + " UTC"
                                 : fmt::format("{} to {} UTC", from, utc_text(last, form));
}

std::string sentence_on(const Plot& plot, const TimedRuns& timed, const PlotMeasure& measure) {
  std::string text =
      fmt::format("{} of {}, {}; {}", counted(timed.count(), "run"),
                  counted(static_cast<std::int64_t>(plot.series.size()), "configuration"),
                  span_text(timed.runs()), range_text(plot, measure));
  if (!timed.lost().empty()) text += fmt::format("; at the foot: {}", losses_text(timed.lost()));
  if (!timed.never_began().empty())
    text += fmt::format("; not drawn: {}", losses_text(timed.never_began()));
  if (timed.unplaced() > 0)
    text += fmt::format("; {} not drawn: when they began is not known",
                        counted(timed.unplaced(), "run"));
  return text;
}

/// Errors: Error (bad input) saying what is lacking for a picture.
void check_drawable(const TimedRuns& timed, const PlotMeasure& measure) {
  if (timed.measured() == 0) {
    auto lost = timed.lost();
    for (const auto& [state, count] : timed.never_began()) lost[state] += count;
    bad_input("--plot time: of {} none has a {}{}", counted(timed.count(), "run"), measure.title,
              lost.empty() ? "" : ": " + losses_text(lost));
  }
  const std::int64_t placed = timed.measured() - timed.unplaced();
  if (placed < 2)
    bad_input(
        "--plot time: two runs with a {} are needed of which it is known when they began; "
        "there {}",
        measure.title, placed == 1 ? "is one" : "is none");
}

}  // namespace

Plot time_plot(const RowRange& runs, const PlotMeasure& measure, std::size_t width) {
  const TimedRuns timed(runs, measure);
  check_drawable(timed, measure);
  const bool evenly = are_heaped(timed.runs());
  Plot plot;
  for (auto& name : timed.names()) plot.series.push_back({std::move(name)});
  plot.lost = timed.lost();
  fit_x_axis(plot, timed.runs(), evenly, width);
  place_runs(plot, timed, evenly);
  fit_y_axis(plot, measure);
  plot.said.push_back(sentence_on(plot, timed, measure));
  return plot;
}

}  // namespace pippin
