// SPDX-License-Identifier: Apache-2.0
#include "probes/training/timers.h"

#include <algorithm>

#include "probes/comm/gather.h"
#include "probes/common/text.h"
#include "probes/training/clock_offset.h"
#include "probes/training/waits.h"

namespace pippin::probes {

namespace {

/// Calls that a rank remembers before it has to learn who was late in them: 64 bytes each.
constexpr std::int64_t kManyCalls = 1 << 18;

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

/// As Megatron-LM's timers.py prints one.
std::string timer_line(const std::string& name, double least, double most) {
  constexpr std::size_t kWidth = 48;
  const std::string label = name + " ";
  return "    " + label + std::string(kWidth - std::min(kWidth, label.size()), '.') +
         text(": (%.2f, %.2f)", least, most);
}

/// The names of what mine() lists.
std::vector<std::string> timer_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kActivities; ++i)
    names.emplace_back(name_of(static_cast<Activity>(i)));
  for (std::size_t i = 0; i < kClasses; ++i) {
    const std::string of = name_of(static_cast<Class>(i));
    names.push_back(of + "-busy");
    names.push_back(of + "-waiting");
  }
  return names;
}

}  // namespace

Timers::Timers(Communicator& world, Groups& groups, const Nodes& nodes, Trace* trace)
    : world_(world),
      groups_(groups),
      nodes_(nodes),
      trace_(trace),
      clock_offset_ns_(clock_offset_ns(world, nodes)) {
  if (groups.profile.watches()) take_marks();  // what came before is nobody's
  if (trace_)
    trace_->begin(world.rank(), groups.place, nodes.name_of(world.rank()), clock_offset_ns_);
}

void Timers::add(std::int64_t iteration) {
  if (!groups_.profile.watches()) return;
  const auto marks = take_marks();
  if (trace_) trace_->marks(iteration, marks);
  const auto taken = times_of(marks);
  for (std::size_t i = 0; i < kActivities; ++i) activities_[i] += taken[i];
  ++iterations_;
  last_iteration_ = iteration;
  if (settle_every_ == 0) choose_settling();
  if (iterations_ % settle_every_ == 0) settle_calls(iteration);
}

std::vector<Mark> Timers::take_marks() {
  auto marks = groups_.profile.take();
  for (Channel* channel : groups_.all()) channel->tell_times();
  groups_.profile.clock().forget();
  return marks;
}

/// From the first iteration's calls, the same on every rank.
void Timers::choose_settling() {
  double calls = 1;
  for (const Channel* channel : groups_.all())
    calls = std::max(calls, static_cast<double>(channel->calls().size()));
  const auto most = static_cast<std::int64_t>(largest(world_, calls));
  settle_every_ = trace_ ? 1 : std::max<std::int64_t>(kManyCalls / most, 1);
}

void Timers::settle_calls(std::int64_t iteration) {
  for (Channel* channel : groups_.all()) {
    const auto waits = waits_of(*channel, clock_offset_ns_);
    ClassTimes& sums = classes_[static_cast<std::size_t>(channel->of())];
    for (std::size_t i = 0; i < waits.size(); ++i) {
      const CallTime& call = channel->calls()[i];
      sums.busy += call.busy_ns;
      sums.waiting += waits[i];
      if (trace_) trace_->call(iteration, channel->of(), call, waits[i]);
    }
    channel->forget_calls();
  }
}

/// This rank's milliseconds per iteration.
std::vector<double> Timers::mine() const {
  const auto n = static_cast<double>(std::max<std::int64_t>(iterations_, 1));
  std::vector<double> row;
  for (const std::int64_t ns : activities_) row.push_back(ms(ns) / n);
  for (const auto& times : classes_) {
    row.push_back(ms(times.busy) / n);
    row.push_back(ms(times.waiting) / n);
  }
  return row;
}

std::vector<std::string> Timers::lines() {
  if (!groups_.profile.watches()) return {};
  settle_calls(last_iteration_);
  const auto names = timer_names();
  const auto all = gathered(world_, mine());
  iterations_ = 0;
  activities_ = {};
  classes_ = {};
  if (world_.rank() > 0) return {};
  std::vector<std::string> lines = {"(min, max) time across ranks (ms):"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    double least = all[i], most = all[i];
    for (std::size_t at = i; at < all.size(); at += names.size()) {
      least = std::min(least, all[at]);
      most = std::max(most, all[at]);
    }
    if (most > 0) lines.push_back(timer_line(names[i], least, most));
  }
  if (world_.size() > 1) lines.push_back(slowest_line(all));
  return lines;
}

/// The rank that computed longest, which the others wait for.
std::string Timers::slowest_line(const std::vector<double>& all) const {
  const std::size_t width = all.size() / static_cast<std::size_t>(world_.size());
  std::int64_t slowest = 0;
  double most = 0, sum = 0;
  for (std::int64_t rank = 0; rank < world_.size(); ++rank) {
    double computing = 0;
    for (const Activity activity : {Activity::kBatch, Activity::kForward, Activity::kBackward,
                                    Activity::kRecompute, Activity::kOptimizer})
      computing += all[static_cast<std::size_t>(rank) * width + static_cast<std::size_t>(activity)];
    sum += computing;
    if (computing > most) {
      most = computing;
      slowest = rank;
    }
  }
  return text(" slowest rank: %lld on %s | computing (ms): %.2f | mean of all ranks (ms): %.2f",
              static_cast<long long>(slowest), nodes_.name_of(static_cast<int>(slowest)).c_str(),
              most, sum / static_cast<double>(world_.size()));
}

std::string Timers::traffic_line(std::int64_t iterations) {
  std::vector<double> sums(2 * kClasses);
  for (const Channel* channel : groups_.all()) {
    const auto i = static_cast<std::size_t>(channel->of());
    sums[2 * i] += static_cast<double>(channel->traffic().calls);
    sums[2 * i + 1] += static_cast<double>(channel->traffic().bytes);
  }
  world_.all_reduce(sums.data(), sums.data(), static_cast<std::int64_t>(sums.size()),
                    Element::kDouble, Reduction::kSum);
  std::string line = "communication per iteration over all ranks (calls, bytes)";
  const auto n = static_cast<double>(iterations);
  for (std::size_t i = 0; i < kClasses; ++i)
    if (sums[2 * i] > 0)
      line += text(" | %s: %.0f, %.0f", name_of(static_cast<Class>(i)), sums[2 * i] / n,
                   sums[2 * i + 1] / n);
  return line;
}

}  // namespace pippin::probes
