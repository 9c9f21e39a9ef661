#include "harness/scrape/needles.h"

#include <stdexcept>

namespace pippin {

namespace {

constexpr std::size_t kBytes = 256, kMostNeedles = 64, kMostStates = 65535;

std::size_t index_of(char c) { return static_cast<unsigned char>(c); }

}  // namespace

Needles::Needles(const std::vector<std::string_view>& needles) : next_(kBytes), found_(1) {
  if (needles.size() > kMostNeedles) throw std::logic_error("too many needles");
  for (std::size_t i = 0; i < needles.size(); ++i) {
    std::size_t state = 0;
    for (const char c : needles[i]) {
      if (next_[state * kBytes + index_of(c)] == 0) {
        if (found_.size() > kMostStates) throw std::logic_error("needles are too long");
        next_[state * kBytes + index_of(c)] = static_cast<std::uint16_t>(found_.size());
        next_.resize(next_.size() + kBytes);
        found_.push_back(0);
      }
      state = next_[state * kBytes + index_of(c)];
    }
    found_[state] |= std::uint64_t{1} << i;
  }
  // Breadth first: where a state has no way on for a byte, it goes where its longest proper
  // suffix goes. The tree's own edges are told from these by pointing to a deeper state.
  std::vector<std::uint16_t> suffix(found_.size(), 0), queue;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    if (next_[byte] != 0) queue.push_back(next_[byte]);
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::size_t state = queue[head];
    found_[state] |= found_[suffix[state]];
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      std::uint16_t& next = next_[state * kBytes + byte];
      const std::uint16_t fallback = next_[suffix[state] * kBytes + byte];
      if (next == 0) {
        next = fallback;
      } else {
        suffix[next] = fallback;
        queue.push_back(next);
      }
    }
  }
}

std::uint64_t Needles::in(std::string_view line) const {
  std::size_t state = 0;
  std::uint64_t found = 0;
  for (const char c : line) {
    state = next_[state * kBytes + index_of(c)];
    found |= found_[state];
  }
  return found;
}

}  // namespace pippin
