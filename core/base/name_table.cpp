// SPDX-License-Identifier: Apache-2.0
#include "core/base/name_table.h"

#include <bit>
#include <cstring>
#include <functional>

#include "core/base/hash.h"

namespace pippin {

namespace {

struct Place {
  std::size_t first;   ///< slot to look at, before it is cut to their number
  std::uint32_t mark;  ///< of other bits
};

Place place_of(std::string_view name) {
  constexpr int kMarkBits = 32;
  const std::uint64_t hash = std::hash<std::string_view>()(name);
  return {static_cast<std::size_t>(hash), static_cast<std::uint32_t>(hash >> kMarkBits)};
}

/// Behind a name.
struct Foot {
  std::uint32_t number, length;
};

Foot foot_before(const std::string& entries, std::size_t end) {
  Foot foot{};
  std::memcpy(&foot, entries.data() + end - sizeof foot, sizeof foot);
  return foot;
}

bool is_before(const std::string& entries, std::size_t end, std::string_view name) {
  const Foot foot = foot_before(entries, end);
  return foot.length == name.size() && std::memcmp(entries.data() + end - sizeof foot - name.size(),
                                                   name.data(), name.size()) == 0;
}

}  // namespace

std::string NameTable::hash() const { return hash_of(std::string_view(entries_)); }

NameTable::NameTable(std::size_t most) : slots_(std::bit_ceil(2 * most + 1)) {}

std::size_t NameTable::slot_of(std::string_view name, std::uint32_t mark, std::size_t first) const {
  for (std::size_t i = first & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[i];
    if (slot.end == 0 || (slot.mark == mark && is_before(entries_, slot.end, name))) return i;
  }
}

bool NameTable::add(std::string_view name) {
  const auto [first, mark] = place_of(name);
  Slot& slot = slots_[slot_of(name, mark, first)];
  if (slot.end != 0) return false;
  const Foot foot{count_++, static_cast<std::uint32_t>(name.size())};
  entries_.append(name).append(reinterpret_cast<const char*>(&foot), sizeof foot);
  slot = {mark, static_cast<std::uint32_t>(entries_.size())};
  return true;
}

std::optional<std::size_t> NameTable::find(std::string_view name) const {
  const auto [first, mark] = place_of(name);
  const std::uint32_t end = slots_[slot_of(name, mark, first)].end;
  return end == 0 ? std::nullopt : std::optional<std::size_t>(foot_before(entries_, end).number);
}

}  // namespace pippin
