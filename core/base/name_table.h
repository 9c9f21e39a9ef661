// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// Finds the numbers of many names: those counted from 0 as they were added. It keeps them close
/// together, as most of a search's time is waiting for memory.
class NameTable {
 public:
  /// Room for `most` names.
  explicit NameTable(std::size_t most = 0);

  /// False where the name is there already. Requires that there is room.
  bool add(std::string_view name);
  std::optional<std::size_t> find(std::string_view name) const;
  std::size_t size() const { return count_; }
  /// Of all names in their order.
  std::string hash() const;

 private:
  struct Slot {
    std::uint32_t mark = 0;  ///< half of the name's hash
    std::uint32_t end = 0;   ///< behind its entry; 0: the slot is free
  };
  /// Where the name is, or would be.
  std::size_t slot_of(std::string_view name, std::uint32_t mark, std::size_t first) const;

  std::vector<Slot> slots_;  ///< a power of two, at least half of them free
  std::string entries_;      ///< each is a name, and its number and length
  std::uint32_t count_ = 0;
};

}  // namespace pippin
