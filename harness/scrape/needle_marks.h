#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace pippin {

/// The few bytes that a needle is looked for by.
struct NeedleMark {
  std::size_t offset = 0;  ///< where they stand in it
  std::size_t group = 0;   ///< of MarkTables
};

/// One for each needle: bytes that a log rarely has, and groups that rarely pass in vain.
std::vector<NeedleMark> choose_marks(const std::vector<std::string_view>& needles);

}  // namespace pippin
