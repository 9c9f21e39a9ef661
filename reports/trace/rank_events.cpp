// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/rank_events.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/hash.h"

namespace pippin {

namespace {

constexpr const char *kIterations = "iterations", *kComputing = "computing",
                     *kStandingStill = "standing still";
constexpr double kNsPerUs = 1e3;
constexpr std::size_t kIdDigits = 16;

/// What a rank does while it stands still for a class of traffic. Source: probes/LOG_FORMAT.md,
/// "Where the time went".
bool stands_still(const std::string& activity) { return activity.ends_with("-exposed"); }

double us(std::int64_t ns) { return static_cast<double>(ns) / kNsPerUs; }

/// "pp to stage 1": calls that are under way at a time stand on tracks of their own.
std::string track_of(const TracedCall& call) {
  if (call.to) return fmt::format("{} to stage {}", call.of, *call.to);
  if (call.from) return fmt::format("{} from stage {}", call.of, *call.from);
  return call.of;
}

TraceArguments arguments_of(const TracedCall& call) {
  TraceArguments arguments{{"iteration", call.iteration}, {"bytes", call.bytes}};
  if (call.to) arguments.emplace_back("to_stage", *call.to);
  if (call.from) arguments.emplace_back("from_stage", *call.from);
  arguments.emplace_back("exposed_us", us(call.exposed_ns));
  arguments.emplace_back("waiting_us", us(call.waiting_ns));
  return arguments;
}

}  // namespace

RanksTogether::RanksTogether(const std::vector<TracedRank>& ranks, std::int64_t begin_ns)
    : begin_ns_(begin_ns) {
  for (const auto& rank : ranks) places_.emplace(Place(rank.dp, rank.tp, rank.pp), 0);
  std::int64_t before = 0;
  for (auto& place : places_) place.second = before++;
}

bool RanksTogether::has_stage(const TracedRank& rank, std::int64_t stage) const {
  return places_.count({rank.dp, rank.tp, stage}) > 0;
}

std::int64_t RanksTogether::place_of(const TracedRank& rank) const {
  return places_.at({rank.dp, rank.tp, rank.pp});
}

RankEvents::RankEvents(const TracedRank& rank, const RanksTogether& together, TraceEvents& out)
    : rank_(rank), together_(together), out_(out), tracks_(rank.rank, out) {
  out_.process(
      rank.rank,
      fmt::format("rank {} (tp{} dp{} pp{}) {}", rank.rank, rank.tp, rank.dp, rank.pp, rank.node),
      together.place_of(rank));
  for (const char* name : {kIterations, kComputing, kStandingStill}) tracks_.free_track(name, 0, 0);
}

std::optional<RankEvents::Stretch> RankEvents::stretch(std::int64_t begin_ns,
                                                       std::int64_t duration_ns) const {
  const std::int64_t begin = begin_ns + rank_.clock_offset_ns - together_.begin_ns();
  const auto fits = [](std::int64_t ns) { return ns >= 0 && ns <= kLongest_ns; };
  if (!fits(begin) || !fits(duration_ns)) return std::nullopt;
  return Stretch{begin, begin + duration_ns};
}

bool RankEvents::take(const TracedActivity& activity) {
  const auto when = stretch(activity.begin_ns, activity.duration_ns);
  if (!when) return false;
  enter(activity.iteration);
  if (!of_iteration_) of_iteration_ = when;
  of_iteration_->begin_ns = std::min(of_iteration_->begin_ns, when->begin_ns);
  of_iteration_->end_ns = std::max(of_iteration_->end_ns, when->end_ns);
  const bool still = stands_still(activity.name);
  const auto at =
      tracks_.free_track(still ? kStandingStill : kComputing, when->begin_ns, when->end_ns);
  out_.span({at, activity.name, still ? "standing still" : "computing", when->begin_ns,
             activity.duration_ns},
            {{"iteration", activity.iteration}});
  return true;
}

bool RankEvents::take(const TracedCall& call) {
  const auto when = stretch(call.begin_ns, call.busy_ns);
  if (!when) return false;
  enter(call.iteration);
  const auto at = tracks_.free_track(track_of(call), when->begin_ns, when->end_ns);
  out_.span({at, call.of, "call", when->begin_ns, call.busy_ns}, arguments_of(call));
  draw_arrow(call, at, *when);
  return true;
}

/// From a message's begin at who sends it to its end at who receives it. Messages of a sender to a
/// receiver do not overtake each other, so the nth that was sent is the nth that was received.
void RankEvents::draw_arrow(const TracedCall& call, TraceTrack at, const Stretch& when) {
  if (call.to.has_value() == call.from.has_value()) return;
  const std::int64_t sender = call.from.value_or(rank_.pp), receiver = call.to.value_or(rank_.pp);
  const std::int64_t number = ++messages_[{sender, receiver}];
  if (!together_.has_stage(rank_, call.to ? receiver : sender)) return;
  const std::string message = fmt::format("{}/{}/{}/{}/{}/{}/{}", call.iteration, rank_.tp,
                                          rank_.dp, call.of, sender, receiver, number);
  const std::int64_t last = std::max(when.begin_ns, when.end_ns - 1);
  // Perfetto takes a number in hexadecimal digits for one.
  out_.arrow(call.to.has_value(), hash_of(message).substr(0, kIdDigits), at, call.of,
             call.to ? when.begin_ns : last);
}

void RankEvents::enter(std::int64_t iteration) {
  if (iteration_ == iteration) return;
  finish();
  iteration_ = iteration;
}

void RankEvents::finish() {
  messages_.clear();
  if (!of_iteration_) return;
  const auto [begin_ns, end_ns] = *of_iteration_;
  of_iteration_.reset();
  const auto at = tracks_.free_track(kIterations, begin_ns, end_ns);
  out_.span(
      {at, fmt::format("iteration {}", *iteration_), "iteration", begin_ns, end_ns - begin_ns});
}

}  // namespace pippin
