// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reports/trace/events.h"

namespace pippin {

/// The tracks of a process by their names, made as they are asked for. Spans of one name that
/// overlap get tracks beside each other, as none may stand across another's end.
class TraceTracks {
 public:
  TraceTracks(std::int64_t process, TraceEvents& out) : process_(process), out_(&out) {}

  /// The first track of that name that is free from `begin_ns` on; it is taken up to `end_ns`.
  TraceTrack free_track(const std::string& name, std::int64_t begin_ns, std::int64_t end_ns);

  /// The first track of that name, free or not.
  TraceTrack track_named(const std::string& name);

 private:
  /// Those of one name, from the first on.
  struct Tracks {
    std::vector<std::int64_t> numbers;
    /// Until when each is taken, and above it, as a tree, the least of each two: node i has the
    /// children 2i and 2i + 1, the root is 1. What is no track is taken for ever.
    std::vector<std::int64_t> taken_until_ns;

    std::size_t first_free(std::int64_t at_ns) const;
    void take(std::size_t place, std::int64_t until_ns);
    void add(std::int64_t number);
  };

  std::int64_t process_;
  TraceEvents* out_;
  std::map<std::string, Tracks, std::less<>> by_name_;
  std::int64_t last_ = 0;
};

}  // namespace pippin
