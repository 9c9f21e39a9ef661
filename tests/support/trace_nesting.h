// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pippin::test {

/// The microseconds of an event in nanoseconds, as they have three decimals.
inline std::int64_t ns_of(const nlohmann::json& microseconds) {
  constexpr double kNsPerUs = 1e3;
  return std::llround(microseconds.get<double>() * kNsPerUs);
}

/// By how much a moment may be off: who reads a trace has numbers of 53 bits, 104 days of
/// nanoseconds.
inline std::int64_t rounding_of(std::int64_t ns) { return ns >> 52; }

/// A span of a track that stands across the end of another, or that begins with another, comes
/// before it and is shorter; empty where there is none.
inline std::string crossing_span(const nlohmann::json& events) {
  using Span = std::pair<std::int64_t, std::int64_t>;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Span>> tracks;
  for (const auto& event : events) {
    if (event.at("ph") != "X") continue;
    const std::int64_t begin = ns_of(event.at("ts"));
    tracks[{event.at("pid"), event.at("tid")}].emplace_back(begin, begin + ns_of(event.at("dur")));
  }
  for (auto& [track, spans] : tracks) {
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return a.first < b.first; });
    std::vector<std::int64_t> open;
    for (const auto& [begin, end] : spans) {
      while (!open.empty() && open.back() <= begin + rounding_of(begin)) open.pop_back();
      if (!open.empty() && end > open.back() + rounding_of(end))
        return fmt::format("process {}, track {}: {} to {} ns stands across an end at {} ns",
                           track.first, track.second, begin, end, open.back());
      open.push_back(end);
    }
  }
  return "";
}

}  // namespace pippin::test
