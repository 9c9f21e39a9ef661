#pragma once

#include <optional>
#include <string>

#include "sweeps/estimate/point_rows.h"

namespace pippin {

/// What is said of a row; what is not known is empty, and `why` says why.
struct PointJudgement {
  std::string id;
  std::optional<double> step_s, step_s_low, step_s_high;
  std::optional<double> allocated_gib, peak_gib;
  std::optional<bool> fits;
  std::string why;  ///< why not, or which stage needs how much of what is there
};

/// The memory is what the column `mem_kind` says was measured: PyTorch's allocator, of the last
/// rank where it says so, else of the stage that needs most; what it has reserved; or nvidia-smi.
PointJudgement judge_point(const PointRow& row);

/// Of a card that is sold with so many GB, what a program can have. Unit: bytes.
double usable_bytes(Generation generation, double memory_gb);

}  // namespace pippin
