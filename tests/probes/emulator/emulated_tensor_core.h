// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "emulator.h"

namespace emulator {

// The warp's matrix instructions as the PTX ISA defines them.

/// Where element `i` of a lane's fragment lies in the matrix.
struct Place {
  int row, column;
};

/// Source: PTX ISA 8.x, "Matrix Fragments for mma.m16n8k16 with floating point type", a.
inline Place place_in_a(int lane, int i) {
  const int group = lane >> 2, in_group = lane % 4;
  const bool upper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
  return {upper ? group : group + 8, in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}

/// Source: as above, b.
inline Place place_in_b(int lane, int i) {
  return {(lane % 4) * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane >> 2};
}

/// Source: as above, c and d.
inline Place place_in_c(int lane, int i) {
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, (lane % 4) * 2 + (i & 1)};
}

/// Two numbers of 16 bits share a register, the one with the lower index in the lower half.
template <typename T>
float element(const std::uint32_t* registers, int i) {
  T number;
  number.bits = static_cast<std::uint16_t>(registers[i / 2] >> (i % 2 * 16));
  return number;
}

struct Product {
  const std::uint32_t *a, *b;
  float* c;
};

/// c += a·b. Source: PTX ISA 8.x, mma.sync.aligned.m16n8k16.row.col.f32.T.T.f32.
template <typename T>
void multiply_add(const std::uint32_t* a, const std::uint32_t* b, float* c) {
  Product own{a, b, c};
  together(0xFFFFFFFFU, "mma.sync", &own, [](void* const* lanes) {
    float whole_a[16][16], whole_b[16][8];
    for (int lane = 0; lane < 32; ++lane) {
      const auto& from = *static_cast<const Product*>(lanes[lane]);
      for (int i = 0; i < 8; ++i) {
        const Place at = place_in_a(lane, i);
        whole_a[at.row][at.column] = element<T>(from.a, i);
      }
      for (int i = 0; i < 4; ++i) {
        const Place at = place_in_b(lane, i);
        whole_b[at.row][at.column] = element<T>(from.b, i);
      }
    }
    float sums[16][8] = {};
    for (int row = 0; row < 16; ++row)
      for (int k = 0; k < 16; ++k)
        for (int column = 0; column < 8; ++column)
          sums[row][column] += whole_a[row][k] * whole_b[k][column];
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        const Place at = place_in_c(lane, i);
        static_cast<const Product*>(lanes[lane])->c[i] += sums[at.row][at.column];
      }
  });
}

struct MatrixLoad {
  const void* row;
  std::uint32_t* fragments;
};

/// Four matrices of 8 × 8 numbers of 16 bits; lanes 8i … 8i + 7 name the rows of matrix i. Lane l
/// gets elements 2(l mod 4) and the next of row l/4; transposed, of column l/4.
/// Source: PTX ISA 8.x, ldmatrix.sync.aligned.m8n8.x4.shared.b16.
template <bool transposed>
void load_matrices(const void* row, std::uint32_t* fragments) {
  require_shared(row, 16, 16, "ldmatrix");
  MatrixLoad own{row, fragments};
  together(0xFFFFFFFFU, transposed ? "ldmatrix.trans" : "ldmatrix", &own, [](void* const* lanes) {
    for (int matrix = 0; matrix < 4; ++matrix) {
      std::uint16_t whole[8][8];
      for (int i = 0; i < 8; ++i)
        std::memcpy(whole[i], static_cast<const MatrixLoad*>(lanes[matrix * 8 + i])->row, 16);
      for (int lane = 0; lane < 32; ++lane) {
        const int outer = lane / 4, inner = lane % 4 * 2;
        const std::uint32_t low = transposed ? whole[inner][outer] : whole[outer][inner];
        const std::uint32_t high = transposed ? whole[inner + 1][outer] : whole[outer][inner + 1];
        static_cast<const MatrixLoad*>(lanes[lane])->fragments[matrix] = low | high << 16;
      }
    }
  });
}

}  // namespace emulator
