// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pippin {

/// The few bytes that a text is looked for by.
struct NeedleMark {
  std::uint16_t offset = 0;  ///< where they stand in it
  std::uint8_t group = 0;    ///< of MarkTables
};

/// One for each of log_texts().all, as chosen when pippin was built: bytes that logs rarely have.
std::span<const NeedleMark> chosen_marks();

}  // namespace pippin
