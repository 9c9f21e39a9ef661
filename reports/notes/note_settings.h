#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pippin {

/// What a row's own cells don't say.
struct NoteSettings {
  std::int64_t seq = 1024;     ///< where the table has no column of it
  bool full_recompute = true;  ///< the factor of the TFLOPS formula is 4, else 3
};

/// What stands in a line and cannot be right.
struct NoteRemark {
  std::size_t line = 0;
  std::string what;  ///< "GBS 4 is not MBS 1 × GAS 4 × DP 4 = 16"
};

}  // namespace pippin
