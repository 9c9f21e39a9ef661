// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/choose_marks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "harness/scrape/mark_tables.h"

namespace pippin {

namespace {

constexpr std::size_t kMarkBytes = MarkTables::kMarkBytes, kGroups = MarkTables::kGroups;
constexpr std::size_t kHalves = 16, kHalfBits = 4, kLowHalf = 15;
constexpr std::size_t kMostRounds = 12;

/// Places in the usual text, a bit each.
using Places = std::vector<std::uint64_t>;
constexpr std::size_t kBits = 64;

std::size_t byte_of(char c) { return static_cast<unsigned char>(c); }

void add(Places& places, const Places& more) {
  for (std::size_t i = 0; i < places.size(); ++i) places[i] |= more[i];
}

/// The places of the usual text whose byte, or one of the next five, has a given half.
class Usual {
 public:
  explicit Usual(std::string_view text) : words_((text.size() + kBits - 1) / kBits) {
    for (std::size_t before = 0; before < kMarkBytes; ++before) {
      low_[before].fill(Places(words_));
      high_[before].fill(Places(words_));
      for (std::size_t place = 0; place + before < text.size(); ++place) {
        const std::size_t byte = byte_of(text[place + before]);
        const std::uint64_t bit = std::uint64_t{1} << place % kBits;
        low_[before][byte & kLowHalf][place / kBits] |= bit;
        high_[before][byte >> kHalfBits][place / kBits] |= bit;
      }
    }
  }

  std::size_t words() const { return words_; }
  const Places& low(std::size_t before, std::size_t half) const { return low_[before][half]; }
  const Places& high(std::size_t before, std::size_t half) const { return high_[before][half]; }

 private:
  std::size_t words_;
  std::array<std::array<Places, kHalves>, kMarkBytes> low_, high_;
};

/// The marks of one group: where in the usual text it stops a search. As in MarkTables, a byte
/// passes that has the low half of one mark and the high half of another.
class Group {
 public:
  explicit Group(const Usual& usual) : usual_(&usual) {
    low_.fill(Places(usual.words()));
    high_.fill(Places(usual.words()));
  }

  void add(std::string_view mark) {
    for (std::size_t i = 0; i < kMarkBytes; ++i) {
      for (std::size_t half = 0; half < kHalves; ++half) {
        // Behind a short mark's end there may be any byte.
        const bool is_short = i >= mark.size();
        if (is_short || half == (byte_of(mark[i]) & kLowHalf))
          pippin::add(low_[i], usual_->low(i, half));
        if (is_short || half == byte_of(mark[i]) >> kHalfBits)
          pippin::add(high_[i], usual_->high(i, half));
      }
    }
    stops_ = stops_with({});
  }

  std::size_t stops() const { return stops_; }

  /// How often it stops a search with one more mark.
  std::size_t stops_with(std::string_view mark) const {
    std::array<const Places*, kMarkBytes> low{}, high{};
    for (std::size_t i = 0; i < mark.size(); ++i) {
      low[i] = &usual_->low(i, byte_of(mark[i]) & kLowHalf);
      high[i] = &usual_->high(i, byte_of(mark[i]) >> kHalfBits);
    }
    const bool is_short = !mark.empty() && mark.size() < kMarkBytes;
    std::size_t count = 0;
    for (std::size_t word = 0; word < usual_->words(); ++word) {
      std::uint64_t some = ~std::uint64_t{0};
      for (std::size_t i = 0; i < kMarkBytes && some != 0; ++i) {
        if (is_short && i >= mark.size()) break;
        const std::uint64_t lows = low_[i][word] | (low[i] ? (*low[i])[word] : 0);
        const std::uint64_t highs = high_[i][word] | (high[i] ? (*high[i])[word] : 0);
        some &= lows & highs;
      }
      count += static_cast<std::size_t>(std::popcount(some));
    }
    return count;
  }

 private:
  const Usual* usual_;
  std::array<Places, kMarkBytes> low_, high_;  ///< by the mark's byte
  std::size_t stops_ = 0;
};

/// Places needles in groups, each where it adds least to what they stop.
class Placing {
 public:
  Placing(const std::vector<std::string_view>& needles, std::vector<NeedleMark>& marks,
          const Usual& usual)
      : needles_(needles), marks_(marks), usual_(usual), groups_(kGroups, Group(usual)) {}

  /// Returns whether its mark is another than before.
  bool place(std::size_t needle) {
    const NeedleMark before = marks_[needle];
    auto least = std::numeric_limits<std::ptrdiff_t>::max();
    const std::size_t length = std::min(needles_[needle].size(), kMarkBytes);
    for (std::size_t offset = 0; offset + length <= needles_[needle].size(); ++offset) {
      const auto bytes = needles_[needle].substr(offset, length);
      for (std::size_t group = 0; group < kGroups; ++group) {
        const auto cost = static_cast<std::ptrdiff_t>(groups_[group].stops_with(bytes)) -
                          static_cast<std::ptrdiff_t>(groups_[group].stops());
        if (cost >= least) continue;
        least = cost;
        marks_[needle] = {static_cast<std::uint16_t>(offset), static_cast<std::uint8_t>(group)};
      }
    }
    put(needle);
    return marks_[needle].offset != before.offset || marks_[needle].group != before.group;
  }

  /// As its mark says.
  void put(std::size_t needle) {
    members_[marks_[needle].group].push_back(needle);
    groups_[marks_[needle].group].add(bytes_of(needle));
  }

  void remove(std::size_t needle) {
    auto& members = members_[marks_[needle].group];
    std::erase(members, needle);
    Group rest(usual_);
    for (const std::size_t member : members) rest.add(bytes_of(member));
    groups_[marks_[needle].group] = std::move(rest);
  }

 private:
  std::string_view bytes_of(std::size_t needle) const {
    return needles_[needle].substr(marks_[needle].offset, kMarkBytes);
  }

  const std::vector<std::string_view>& needles_;
  std::vector<NeedleMark>& marks_;
  const Usual& usual_;
  std::vector<Group> groups_;
  std::array<std::vector<std::size_t>, kGroups> members_;
};

}  // namespace

/// First each beside those placed before, the short ones first; then each once more beside all
/// others, until none finds a better place.
std::vector<NeedleMark> choose_marks(const std::vector<std::string_view>& needles,
                                     const std::vector<std::vector<std::size_t>>& sets,
                                     std::string_view usual_text) {
  const Usual usual(usual_text);
  std::vector<NeedleMark> marks(needles.size());
  for (const auto& set : sets) {
    Placing placing(needles, marks, usual);
    if (&set != &sets.front()) {
      for (const std::size_t needle : sets.front()) placing.put(needle);
    }
    auto order = set;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return std::min(needles[left].size(), kMarkBytes) <
             std::min(needles[right].size(), kMarkBytes);
    });
    for (const std::size_t needle : order) placing.place(needle);
    bool is_better = true;
    for (std::size_t round = 0; is_better && round < kMostRounds; ++round) {
      is_better = false;
      for (const std::size_t needle : order) {
        placing.remove(needle);
        is_better = placing.place(needle) || is_better;
      }
    }
  }
  return marks;
}

}  // namespace pippin
