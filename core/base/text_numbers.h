// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace pippin {

/// Finds the numbers of texts that lie elsewhere, as those of a vector's elements: 8 to 16 bytes a
/// text, and no copy of it. `text_of(number)` gives the text of a number that was added.
/// Requires numbers below 2^32 - 1.
class TextNumbers {
 public:
  /// The number of `text`: one that was added before, or else `number`, which is added.
  template <typename TextOf>
  std::size_t add(std::string_view text, std::size_t number, const TextOf& text_of) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    const std::uint32_t hash = hash_of_text(text);
    Slot& slot = slots_[place_of(text, hash, text_of)];
    if (slot.number != kFree) return slot.number;
    slot = {hash, static_cast<std::uint32_t>(number)};
    ++count_;
    return number;
  }

  /// Nothing where no number has that text.
  template <typename TextOf>
  std::optional<std::size_t> find(std::string_view text, const TextOf& text_of) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[place_of(text, hash_of_text(text), text_of)];
    return slot.number == kFree ? std::nullopt : std::optional<std::size_t>(slot.number);
  }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  struct Slot {
    std::uint32_t hash = 0, number = kFree;
  };

  static std::uint32_t hash_of_text(std::string_view text) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  }

  /// The slot of the text, or the free one where it belongs.
  template <typename TextOf>
  std::size_t place_of(std::string_view text, std::uint32_t hash, const TextOf& text_of) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    while (slots_[place].number != kFree &&
           (slots_[place].hash != hash || text_of(slots_[place].number) != text))
      place = (place + 1) & mask;
    return place;
  }

  void grow() {
    constexpr std::size_t kFewest = 16;
    const std::vector<Slot> before = std::move(slots_);
    slots_.assign(before.empty() ? kFewest : 2 * before.size(), {});
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : before) {
      if (slot.number == kFree) continue;
      std::size_t place = slot.hash & mask;
      while (slots_[place].number != kFree) place = (place + 1) & mask;
      slots_[place] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< a power of two, at least half of them free
  std::size_t count_ = 0;
};

}  // namespace pippin
