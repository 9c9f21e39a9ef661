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

std::array<std::int64_t, kActivities> Profile::take() {
  enter(marks_.back().activity);
  std::array<std::int64_t, kActivities> sums{};
  for (std::size_t i = 1; i < marks_.size(); ++i)
    sums[static_cast<std::size_t>(marks_[i - 1].activity)] += marks_[i].ns - marks_[i - 1].ns;
  marks_.erase(marks_.begin(), marks_.end() - 1);
  return sums;
}

}  // namespace pippin::probes
