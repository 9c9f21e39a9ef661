// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/tracks.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace pippin {

namespace {

constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

}  // namespace

/// As many as there are where none is.
std::size_t TraceTracks::Tracks::first_free(std::int64_t at_ns) const {
  if (numbers.empty() || taken_until_ns[1] > at_ns) return numbers.size();
  const std::size_t leaves = taken_until_ns.size() / 2;
  std::size_t node = 1;
  while (node < leaves) node = 2 * node + (taken_until_ns[2 * node] <= at_ns ? 0 : 1);
  return node - leaves;
}

void TraceTracks::Tracks::take(std::size_t place, std::int64_t until_ns) {
  std::size_t node = taken_until_ns.size() / 2 + place;
  taken_until_ns[node] = until_ns;
  while (node /= 2)
    taken_until_ns[node] = std::min(taken_until_ns[2 * node], taken_until_ns[2 * node + 1]);
}

void TraceTracks::Tracks::add(std::int64_t number) {
  numbers.push_back(number);
  if (numbers.size() <= taken_until_ns.size() / 2) return;
  const std::vector<std::int64_t> before = std::move(taken_until_ns);
  const std::size_t leaves = std::max<std::size_t>(before.size(), 1);
  taken_until_ns.assign(2 * leaves, kForEver);
  for (std::size_t i = 0; i < before.size() / 2; ++i) take(i, before[before.size() / 2 + i]);
}

TraceTrack TraceTracks::free_track(const std::string& name, std::int64_t begin_ns,
                                   std::int64_t end_ns) {
  Tracks& tracks = by_name_[name];
  const std::size_t free = tracks.first_free(begin_ns);
  if (free == tracks.numbers.size()) {
    tracks.add(++last_);
    const std::string beside =
        tracks.numbers.size() > 1 ? fmt::format(" ({})", tracks.numbers.size()) : "";
    out_->track({process_, last_}, name + beside);
  }
  tracks.take(free, end_ns);
  return {process_, tracks.numbers[free]};
}

TraceTrack TraceTracks::track_named(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return free_track(name, 0, 0);
  return {process_, found->second.numbers.front()};
}

}  // namespace pippin
