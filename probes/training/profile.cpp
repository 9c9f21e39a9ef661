// SPDX-License-Identifier: Apache-2.0
#include "probes/training/profile.h"

namespace pippin::probes {

const char* name_of(Class of) {
  constexpr std::array<const char*, kClasses> kNames = {
      "tp", "pp", "dp-reduce", "dp-gather", "embedding", "loss", "norm"};
  return kNames[static_cast<std::size_t>(of)];
}

const char* name_of(Activity activity) {
  constexpr std::array<const char*, kActivities> kNames = {
      "unattributed",      "batch-generator",   "forward-compute",   "backward-compute",
      "recompute",         "optimizer",         "tp-exposed",        "pp-exposed",
      "dp-reduce-exposed", "dp-gather-exposed", "embedding-exposed", "loss-exposed",
      "norm-exposed"};
  return kNames[static_cast<std::size_t>(activity)];
}

Profile::Profile(Clock& clock, bool watches) : clock_(clock), watches_(watches) {
  if (watches) begin_.ns = clock.nanoseconds(clock.moment());
}

std::vector<Mark> Profile::take() {
  enter(now_);
  std::vector<Mark> marks = {begin_};
  marks.reserve(moments_.size() + 1);
  for (const Change& change : moments_)
    marks.push_back({clock_.nanoseconds(change.at), change.activity});
  moments_.clear();
  begin_ = marks.back();
  return marks;
}

std::array<std::int64_t, kActivities> times_of(const std::vector<Mark>& marks) {
  std::array<std::int64_t, kActivities> sums{};
  for (std::size_t i = 1; i < marks.size(); ++i)
    sums[static_cast<std::size_t>(marks[i - 1].activity)] += marks[i].ns - marks[i - 1].ns;
  return sums;
}

}  // namespace pippin::probes
