// SPDX-License-Identifier: Apache-2.0
#include "probes/training/clock_offset.h"

#include <limits>

#include "probes/common/clock.h"

namespace pippin::probes {

namespace {

constexpr int kAnswers = 16;

/// Answers one rank's questions with the time here.
void answer(Communicator& world, int rank) {
  for (int i = 0; i < kAnswers; ++i) {
    double now = 0;
    world.start_receive(&now, 1, Element::kDouble, rank)->wait();
    now = static_cast<double>(now_ns());
    world.start_send(&now, 1, Element::kDouble, rank)->wait();
  }
}

std::int64_t ask(Communicator& world) {
  std::int64_t quickest = std::numeric_limits<std::int64_t>::max(), offset = 0;
  for (int i = 0; i < kAnswers; ++i) {
    double theirs = 0;
    const std::int64_t asked = now_ns();
    world.start_send(&theirs, 1, Element::kDouble, 0)->wait();
    world.start_receive(&theirs, 1, Element::kDouble, 0)->wait();
    const std::int64_t answered = now_ns(), took = answered - asked;
    if (took >= quickest) continue;
    quickest = took;
    offset = static_cast<std::int64_t>(theirs) - (asked + answered) / 2;
  }
  return offset;
}

}  // namespace

std::int64_t clock_offset_ns(Communicator& world, const Nodes& nodes) {
  std::int64_t offset = 0;
  for (int rank = 1; rank < world.size(); ++rank) {
    const auto at = [&](int r) { return nodes.of_rank[static_cast<std::size_t>(r)]; };
    if (at(rank) == at(0)) continue;
    if (world.rank() == 0) answer(world, rank);
    if (world.rank() == rank) offset = ask(world);
  }
  return offset;
}

}  // namespace pippin::probes
