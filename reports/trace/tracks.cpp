// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/tracks.h"

#include <algorithm>
#include <fmt/format.h>

namespace pippin {

TraceTrack TraceTracks::free_track(const std::string& name, std::int64_t begin_ns,
                                   std::int64_t end_ns) {
  auto& tracks = by_name_[name];
  auto free = std::find_if(tracks.begin(), tracks.end(),
                           [&](const Track& track) { return track.taken_until_ns <= begin_ns; });
  if (free == tracks.end()) {
    free = tracks.insert(tracks.end(), {++last_, 0});
    const std::string beside = tracks.size() > 1 ? fmt::format(" ({})", tracks.size()) : "";
    out_->track({process_, free->number}, name + beside);
  }
  free->taken_until_ns = end_ns;
  return {process_, free->number};
}

TraceTrack TraceTracks::track_named(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return free_track(name, 0, 0);
  return {process_, found->second.front().number};
}

}  // namespace pippin
