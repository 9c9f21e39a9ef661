// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/common/random.h"

namespace pippin::probes {

/// How a tensor is split over the tensor-parallel ranks.
enum class Split {
  kWhole,    ///< every rank has all of it
  kRows,     ///< equal runs of rows: column-parallel weights and biases, the vocabulary
  kColumns,  ///< equal runs of columns: row-parallel weights
  kGateUp,   ///< rows of two halves, gate and up, each split alike
};

/// One rank's part of a tensor.
struct TensorPart {
  std::int64_t rows, columns;  ///< of the part
  std::int64_t full_columns;
  Split split;
  std::int64_t ranks, rank;  ///< the tensor-parallel ranks, and which of them it is
};

/// Where element `i` of a part stands in the whole tensor.
PROBES_HOST_DEVICE std::int64_t place_in_whole(const TensorPart& part, std::int64_t i) {
  const std::int64_t row = i / part.columns, column = i % part.columns;
  switch (part.split) {
    case Split::kWhole:
      return i;
    case Split::kRows:
      return (part.rank * part.rows + row) * part.columns + column;
    case Split::kColumns:
      return row * part.full_columns + part.rank * part.columns + column;
    case Split::kGateUp:
      break;
  }
  const std::int64_t half = part.rows / 2, up = row / half;
  return (up * half * part.ranks + part.rank * half + row % half) * part.columns + column;
}

/// What a part starts from: normals with that SD, as one rank alone would draw the whole, or where
/// the SD is 0 a constant.
struct Drawing {
  std::uint64_t seed;
  double sd, constant;
  TensorPart part;
};

PROBES_HOST_DEVICE double drawn_at(const Drawing& drawing, std::int64_t i) {
  if (drawing.sd == 0) return drawing.constant;
  const auto place = static_cast<std::uint64_t>(place_in_whole(drawing.part, i));
  return drawing.sd * normal_at(drawing.seed, place);
}

}  // namespace pippin::probes
