// SPDX-License-Identifier: Apache-2.0
#include "core/records/checkpoint.h"

#include <algorithm>
#include <array>

namespace pippin {

namespace {

constexpr std::array<std::string_view, 2> kKinds{"save", "load"};
constexpr std::array<std::string_view, 4> kStates{"done", "begun", "unfinished", "failed"};

template <typename Texts>
std::size_t place_of(const Texts& texts, std::string_view text) {
  return static_cast<std::size_t>(std::find(texts.begin(), texts.end(), text) - texts.begin());
}

}  // namespace

std::string_view text_of(CheckpointKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

std::string_view text_of(CheckpointState state) {
  return kStates.at(static_cast<std::size_t>(state));
}

CheckpointKind checkpoint_kind_of(std::string_view text) {
  return static_cast<CheckpointKind>(place_of(kKinds, text));
}

CheckpointState checkpoint_state_of(std::string_view text) {
  return static_cast<CheckpointState>(place_of(kStates, text));
}

}  // namespace pippin
