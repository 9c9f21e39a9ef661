#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "probes/common/clock.h"

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

/// A rank's time, without gaps: from each mark to the next it does one thing.
class Profile {
 public:
  struct Mark {
    std::int64_t ns;
    Activity activity;  ///< from here on
  };

  /// `watches`: false keeps no times at all, to know what keeping them costs.
  explicit Profile(bool watches = true) : watches_(watches) {}
  bool watches() const { return watches_; }

  /// Changes what the rank does; returns what it did.
  Activity enter(Activity activity) {
    if (!watches_) return activity;
    const Activity before = marks_.back().activity;
    marks_.push_back({now_ns(), activity});
    return before;
  }

  /// The nanoseconds of each activity since the last call; what is unattributed is kOther.
  std::array<std::int64_t, kActivities> take();

  const std::vector<Mark>& marks() const { return marks_; }

 private:
  bool watches_;
  std::vector<Mark> marks_ = {{now_ns(), Activity::kOther}};
};

/// An activity while it lives, then again what was before.
class During {
 public:
  During(Profile& profile, Activity activity)
      : profile_(profile), before_(profile.enter(activity)) {}
  ~During() { profile_.enter(before_); }
  During(const During&) = delete;
  During& operator=(const During&) = delete;

 private:
  Profile& profile_;
  Activity before_;
};

}  // namespace pippin::probes
