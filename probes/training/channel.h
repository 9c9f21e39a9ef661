// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "probes/comm/communicator.h"
#include "probes/training/profile.h"

namespace pippin::probes {

/// What went through a channel. A collective counts once on each of its ranks, with the bytes of
/// the whole that it makes or takes (all_gather, reduce_scatter: of all parts); a message counts on
/// the rank that sends it.
struct Traffic {
  std::int64_t calls = 0, bytes = 0;
};

/// One call, for the timers. Nanoseconds of now_ns().
struct CallTime {
  std::int64_t begin_ns;           ///< the rank began it
  std::int64_t stood_from_ns = 0;  ///< … and stood still for it from here on
  std::int64_t exposed_ns = 0;     ///< so long
  std::int64_t busy_ns = 0;        ///< from its begin to where this rank saw that it was done
  std::int64_t bytes = 0;
  int peer = kEverybody;  ///< of a message
  bool receives = false;

  static constexpr int kEverybody = -1;
};

/// A group of ranks and one class of traffic between them: everything is counted and timed. A group
/// of one moves nothing and counts nothing.
class Channel {
 public:
  Channel(std::unique_ptr<Communicator> group, Class of, Profile& profile);

  int rank() const { return group_->rank(); }
  int size() const { return group_->size(); }
  Class of() const { return of_; }
  Communicator& group() { return *group_; }

  template <typename T>
  void all_reduce(std::int64_t count, T* data, Reduction reduction = Reduction::kSum);
  /// `count` elements of each rank's part.
  template <typename T>
  void all_gather(std::int64_t count, const T* part, T* whole);
  template <typename T>
  void reduce_scatter(std::int64_t count, const T* whole, T* part);

  /// A call beside the computation.
  class Started {
   public:
    explicit operator bool() const { return call_ != nullptr; }

   private:
    friend class Channel;
    std::unique_ptr<Pending> call_;
    std::size_t index_ = 0;  ///< in open_
    bool done_ = false;      ///< seen by poll()
  };
  template <typename T>
  Started start_all_reduce(std::int64_t count, T* data);
  template <typename T>
  Started start_all_gather(std::int64_t count, const T* part, T* whole);
  template <typename T>
  Started start_reduce_scatter(std::int64_t count, const T* whole, T* part);
  template <typename T>
  Started start_send(std::int64_t count, const T* data, int to);
  template <typename T>
  Started start_receive(std::int64_t count, T* data, int from);
  void wait(Started& started);
  /// Moves a call on.
  void poll(Started& started);

  const Traffic& traffic() const { return traffic_; }
  /// The calls that were waited for by the last tell_times().
  const std::vector<CallTime>& calls() const { return calls_; }
  /// Asks the clock when the calls since the last time were made: after Profile::take() and before
  /// the clock forgets.
  void tell_times();
  void forget_calls() { calls_.clear(); }

 private:
  /// A call whose times are not told yet.
  struct OpenCall {
    CallTime time;  ///< but for its nanoseconds
    Clock::Moment begin = 0, stood_from = 0, stood_to = 0;
    std::optional<Clock::Moment> over = {};  ///< where something saw it before it was waited for
  };

  template <typename Call>
  void blocking(std::int64_t bytes, const Call& call);
  template <typename Call>
  Started begin(const CallTime& time, const Call& call);

  std::unique_ptr<Communicator> group_;
  Class of_;
  Profile& profile_;
  Traffic traffic_;
  std::vector<OpenCall> open_;
  std::vector<CallTime> calls_;
};

}  // namespace pippin::probes
