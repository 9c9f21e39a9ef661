// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "probes/common/clock.h"
#include "probes/common/error.h"

namespace pippin::probes {

/// What traffic is for. Each is counted apart.
enum class Class { kTp, kPp, kDpReduce, kDpGather, kEmbedding, kLoss, kNorm };
inline constexpr std::size_t kClasses = 7;
/// "tp", "pp", "dp-reduce", "dp-gather", "embedding", "loss", "norm".
const char* name_of(Class of);

/// What a rank does at a moment: it computes, or it stands still for a class of communication.
enum class Activity { kOther, kBatch, kForward, kBackward, kRecompute, kOptimizer, kFirstClass };
inline constexpr std::size_t kActivities =
    static_cast<std::size_t>(Activity::kFirstClass) + kClasses;
/// As Megatron-LM's timers where it has them: "forward-compute", "batch-generator", …
const char* name_of(Activity activity);

inline Activity exposed(Class of) {
  return static_cast<Activity>(static_cast<std::size_t>(Activity::kFirstClass) +
                               static_cast<std::size_t>(of));
}

/// From here on a rank does something else.
struct Mark {
  std::int64_t ns;
  Activity activity;
};

/// A rank's time, without gaps: from each mark to the next it does one thing.
class Profile {
 public:
  /// `clock` must outlive it. `watches`: false keeps no times at all, to know what keeping them
  /// costs.
  explicit Profile(Clock& clock, bool watches = true);
  bool watches() const { return watches_; }
  Clock& clock() { return clock_; }

  /// Changes what the rank does; returns what it did.
  Activity enter(Activity activity) {
    if (!watches_) return activity;
    const Activity before = now_;
    now_ = activity;
    moments_.push_back({clock_.moment(), activity});
    return before;
  }
  /// When enter() was last called. Requires watches().
  Clock::Moment last_moment() const { return moments_.back().at; }

  /// The marks since the last call, the last of which is now and begins what follows.
  std::vector<Mark> take();

 private:
  struct Change {
    Clock::Moment at;
    Activity activity;
  };

  Clock& clock_;
  bool watches_;
  Activity now_ = Activity::kOther;
  Mark begin_ = {};
  std::vector<Change> moments_;
};

/// The nanoseconds of each activity; what is unattributed is kOther.
std::array<std::int64_t, kActivities> times_of(const std::vector<Mark>& marks);

/// An activity while it lives, then again what was before.
class During {
 public:
  During(Profile& profile, Activity activity)
      : profile_(profile), before_(profile.enter(activity)) {}
  ~During() {
    try {
      profile_.enter(before_);
    } catch (const Error&) {
      // A device's clock fails where the device has; who waits for it next says so.
    }
  }
  During(const During&) = delete;
  During& operator=(const During&) = delete;

 private:
  Profile& profile_;
  Activity before_;
};

}  // namespace pippin::probes
