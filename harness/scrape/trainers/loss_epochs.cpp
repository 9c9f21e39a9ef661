// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/loss_epochs.h"

#include <algorithm>
#include <functional>

namespace pippin {

LossEpochs::Seen LossEpochs::see(double epoch, std::string_view losses,
                                 const std::string& speaker) {
  constexpr std::size_t kMostKept = 1U << 16, kMostSpeakers = 1U << 12;
  constexpr double kRounding = 0.01;  // until 2025
  const std::size_t said = std::hash<std::string_view>()(losses);
  const bool is_kept = said_.size() < kMostKept;
  if (is_kept ? !said_.insert(said).second : said_.count(said) > 0) return Seen::kGoesOn;
  const auto known = places_.find(speaker);
  if (known == places_.end()) {
    const bool is_time = places_.size() >= kMostSpeakers;  // no name is in so many forms
    if (!is_time) places_.emplace(speaker, Place{epoch, epoch, std::nullopt});
    return Seen::kGoesOn;
  }
  Place& place = known->second;
  if (epoch >= place.epoch) {
    place.most_apart = std::max(place.most_apart.value_or(0), epoch - place.epoch);
    place.epoch = epoch;
    return Seen::kGoesOn;
  }
  const double apart = place.most_apart.value_or(place.first);
  clear();
  said_.insert(said);
  places_.emplace(speaker, Place{epoch, epoch, std::nullopt});
  return epoch <= apart + kRounding ? Seen::kAnew : Seen::kAnewBehind;
}

void LossEpochs::clear() {
  places_.clear();
  said_.clear();
}

}  // namespace pippin
