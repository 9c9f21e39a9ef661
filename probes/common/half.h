// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/common/host_device.h"

namespace pippin::probes {

// Numbers of 16 bits as they lie in memory: arithmetic is done in float, and rounded to the
// nearest, ties to even, when it is put back.

/// 8 bits of exponent, as float has them, and 8 of precision.
struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;
  PROBES_HOST_DEVICE explicit BFloat16(float value);
  PROBES_HOST_DEVICE operator float() const;  // NOLINT(google-explicit-constructor): loses nothing
};

/// IEEE 754 binary16: 5 bits of exponent, 11 of precision; the largest is 65504.
struct Half {
  std::uint16_t bits;

  Half() = default;
  PROBES_HOST_DEVICE explicit Half(float value);
  PROBES_HOST_DEVICE operator float() const;  // NOLINT(google-explicit-constructor): loses nothing
};

/// What sums, gradients, statistics and master weights of numbers T are kept in.
template <typename T>
struct WideOf {
  using type = float;
};
template <>
struct WideOf<double> {
  using type = double;
};
template <typename T>
using Wide = typename WideOf<T>::type;

#ifdef __CUDA_ARCH__  // the same by one instruction

PROBES_HOST_DEVICE BFloat16::BFloat16(float value) {
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
}
PROBES_HOST_DEVICE BFloat16::operator float() const {
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
}
PROBES_HOST_DEVICE Half::Half(float value) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
}
PROBES_HOST_DEVICE Half::operator float() const {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

#else

PROBES_HOST_DEVICE BFloat16::BFloat16(float value) {
  const auto word = __builtin_bit_cast(std::uint32_t, value);
  const bool is_nan = (word & 0x7fffffffU) > 0x7f800000U;
  const std::uint32_t rounded = word + 0x7fffU + ((word >> 16) & 1U);
  bits = static_cast<std::uint16_t>((is_nan ? word | 0x400000U : rounded) >> 16);
}

PROBES_HOST_DEVICE BFloat16::operator float() const {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}

PROBES_HOST_DEVICE Half::Half(float value) {
  const auto word = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = (word >> 16) & 0x8000U, magnitude = word & 0x7fffffffU;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000U) {
    half = 0x7e00U;  // not a number
  } else if (magnitude >= 0x47800000U) {
    half = 0x7c00U;  // 65536 and more
  } else if (magnitude >= 0x38800000U) {
    // The exponent's bias goes from 127 to 15, 13 bits of the fraction go; what is rounded up past
    // the largest becomes infinity by itself.
    half = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  } else {
    // Below 2^-14 there is one step: adding 0.5 leaves multiples of it, 2^-24, in the last bits.
    const float shifted = __builtin_bit_cast(float, magnitude) + 0.5F;
    half = __builtin_bit_cast(std::uint32_t, shifted) - 0x3f000000U;
  }
  bits = static_cast<std::uint16_t>(sign | half);
}

PROBES_HOST_DEVICE Half::operator float() const {
  const std::uint32_t sign = (bits & 0x8000U) << 16, magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00U)
    return __builtin_bit_cast(float, sign | 0x7f800000U | (magnitude << 13));
  if (magnitude >= 0x400U)
    return __builtin_bit_cast(float, sign | ((magnitude << 13) + 0x38000000U));
  const float small = static_cast<float>(magnitude) * 0x1p-24F;
  return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, small));
}

#endif

}  // namespace pippin::probes
