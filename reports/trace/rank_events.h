// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/records/rank_trace.h"
#include "reports/trace/events.h"
#include "reports/trace/tracks.h"

namespace pippin {

/// What all ranks of a trace have in common.
class RanksTogether {
 public:
  /// `begin_ns`: of the trace, by the first rank's clock.
  RanksTogether(const std::vector<TracedRank>& ranks, std::int64_t begin_ns);

  std::int64_t begin_ns() const { return begin_ns_; }
  /// Whether there is a rank of that stage in the same pipeline.
  bool has_stage(const TracedRank& rank, std::int64_t stage) const;
  /// How many ranks stand above this one: stages of one pipeline stand together, in their order.
  std::int64_t place_of(const TracedRank& rank) const;

 private:
  using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  ///< dp, tp, pp

  std::int64_t begin_ns_;
  std::map<Place, std::int64_t> places_;  ///< with how many places stand before
};

/// Draws what one rank has written down, as its records come: a process with tracks of its
/// iterations, of what it computed, of when it stood still, and of its calls, those to and from
/// each stage apart. Gaps in what it computed are the pipeline's bubble and other waiting.
class RankEvents {
 public:
  RankEvents(const TracedRank& rank, const RanksTogether& together, TraceEvents& out);
  ~RankEvents() = default;
  RankEvents(const RankEvents&) = delete;
  RankEvents& operator=(const RankEvents&) = delete;

  /// False, and nothing drawn, where its times are before the trace's begin, negative, or longer
  /// than kLongest_ns.
  bool take(const TracedActivity& activity);
  bool take(const TracedCall& call);
  /// After the last record.
  void finish();

  static constexpr std::int64_t kLongest_ns = 1'000'000'000'000'000;  // 11 days

 private:
  /// A stretch of the trace. Unit: nanoseconds since its begin.
  struct Stretch {
    std::int64_t begin_ns = 0, end_ns = 0;
  };

  std::optional<Stretch> stretch(std::int64_t begin_ns, std::int64_t duration_ns) const;
  void enter(std::int64_t iteration);
  void draw_arrow(const TracedCall& call, TraceTrack at, const Stretch& when);

  const TracedRank& rank_;
  const RanksTogether& together_;
  TraceEvents& out_;
  TraceTracks tracks_;
  std::optional<std::int64_t> iteration_;
  std::optional<Stretch> of_iteration_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>
      messages_;  ///< of this iteration, by the stages of sender and receiver
};

}  // namespace pippin
