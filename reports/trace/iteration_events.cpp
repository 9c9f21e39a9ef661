// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/iteration_events.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

namespace {

/// Of whom a timer is. Megatron up to 2022 prints those of one rank, the last; since then those of
/// all, as the least and the most.
enum class Whose { kOne, kLeast, kMost };

const char* words_of(Whose whose) {
  switch (whose) {
    case Whose::kOne:
      return "by the rank that prints";
    case Whose::kLeast:
      return "the least of all ranks";
    case Whose::kMost:
      return "the most of all ranks";
  }
  return "";
}

struct NamedTimer {
  Whose whose = Whose::kOne;
  std::string name;
};

/// "params-all-gather": as Megatron calls timers; what else a line says has blanks or slashes.
bool looks_like_timer(const std::string& name) {
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return name.find('-') != std::string::npos && std::all_of(name.begin(), name.end(), is_of_name);
}

/// "forward-compute max" → the most of forward-compute; nothing where it is no timer's name.
std::optional<NamedTimer> timer_named(const std::string& name) {
  NamedTimer timer{Whose::kOne, name};
  for (const Whose whose : {Whose::kLeast, Whose::kMost}) {
    const std::string_view suffix = whose == Whose::kLeast ? " min" : " max";
    if (name.ends_with(suffix)) timer = {whose, name.substr(0, name.size() - suffix.size())};
  }
  if (!is_known_timer(timer.name) && !looks_like_timer(timer.name)) return std::nullopt;
  return timer;
}

/// The timers of a line; none of a line in which no known one is.
std::map<Whose, std::vector<IterationTimer>> timers_of(const Iteration& line, std::int64_t& bad) {
  std::map<Whose, std::vector<IterationTimer>> timers;
  bool any_known = false;
  std::int64_t strange = 0;
  for (const auto& [name, value] : line.other) {
    const auto timer = value.number ? timer_named(name) : std::nullopt;
    if (!timer) continue;
    any_known = any_known || is_known_timer(timer->name);
    if (std::isfinite(*value.number) && *value.number >= 0) {
      timers[timer->whose].push_back({timer->name, *value.number});
    } else {
      ++strange;
    }
  }
  if (!any_known) return {};
  bad += strange;
  return timers;
}

std::string name_of(const Iteration& line) {
  if (line.number == 0) return "steps";
  if (line.interval <= 1 || line.interval > line.number)
    return fmt::format("iteration {}", line.number);
  return fmt::format("iterations {}–{}", line.number - line.interval + 1, line.number);
}

TraceArguments arguments_of(const Iteration& line) {
  TraceArguments arguments{{"iteration", line.number}, {"step_time_ms", line.step_time_ms}};
  if (line.interval > 1) {
    arguments.emplace_back("mean_of", line.interval);
  } else if ((line.flags & (kIntervalMean | kMovingMean | kWholeRun | kNoted)) != 0) {
    arguments.emplace_back("mean_of", std::string("several iterations, nobody knows how many"));
  }
  return arguments;
}

TraceArguments arguments_of(const DrawnTimer& timer, const Iteration& line) {
  TraceArguments arguments{{"ms", timer.ms}, {"iteration", line.number}};
  if (line.interval > 1) arguments.emplace_back("mean_of", line.interval);
  if (timer.is_cut) arguments.emplace_back("drawn", std::string("shorter than it was"));
  return arguments;
}

}  // namespace

IterationEvents::IterationEvents(TraceEvents& out) : out_(out), tracks_(0, out) {}

bool IterationEvents::take(const Iteration& line) {
  constexpr double kNsPerMs = 1e6;
  const std::int64_t iterations = std::max<std::int64_t>(line.interval, 1);
  const double length = line.step_time_ms * kNsPerMs * static_cast<double>(iterations);
  const bool fits = length >= 0 && length <= static_cast<double>(kLongest_ns - now_ns_);
  if (!fits) return false;
  const std::int64_t begin = now_ns_, end = now_ns_ + static_cast<std::int64_t>(length);
  if (lines_++ == 0) out_.process(0, "iterations of the log, end to end", 0);
  const auto at = tracks_.free_track("iterations", begin, end);
  out_.span({at, name_of(line), "iteration", begin, end - begin}, arguments_of(line));
  timed_lines_ += draw_timers(line, begin, end) ? 1 : 0;
  now_ns_ = end;
  return true;
}

bool IterationEvents::draw_timers(const Iteration& line, std::int64_t begin_ns,
                                  std::int64_t end_ns) {
  const std::int64_t iterations = std::max<std::int64_t>(line.interval, 1);
  const auto all = timers_of(line, bad_timers_);
  for (const auto& [whose, timers] : all) {
    for (const auto& timer : drawn_timers(timers, iterations, begin_ns, end_ns)) {
      const auto at = track_of(timer, words_of(whose));
      out_.span({at, timer.name, "timer", timer.begin_ns, timer.duration_ns},
                arguments_of(timer, line));
    }
  }
  return !all.empty();
}

TraceTrack IterationEvents::track_of(const DrawnTimer& timer, const std::string& whose) {
  const std::string what = timer.apart.empty() ? "timers" : timer.apart;
  return tracks_.track_named(fmt::format("{} (how long, not when), {}", what, whose));
}

}  // namespace pippin
