// SPDX-License-Identifier: Apache-2.0
#include "probes/common/half.h"

#include <bit>
#include <cmath>
#include <limits>

#include "probes/common/random.h"
#include "tests/support/catch.h"

using namespace pippin::probes;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::uint32_t kPatterns = 1U << 16;

template <typename T>
T of_bits(std::uint32_t bits) {
  T number;
  number.bits = static_cast<std::uint16_t>(bits);
  return number;
}

/// Of two finite neighbours the nearer, of two as near the even.
template <typename T>
void check_between(std::uint32_t low) {
  const T a = of_bits<T>(low), b = of_bits<T>(low + 1);
  const double middle = (static_cast<double>(float(a)) + static_cast<double>(float(b))) / 2;
  const auto tie = static_cast<float>(middle);
  REQUIRE(static_cast<double>(tie) == middle);
  REQUIRE(T(tie).bits == (low % 2 == 0 ? a : b).bits);
  REQUIRE(T(std::nextafter(tie, float(a))).bits == a.bits);
  REQUIRE(T(std::nextafter(tie, float(b))).bits == b.bits);
}

template <typename T>
void check_all() {
  for (std::uint32_t bits = 0; bits < kPatterns; ++bits) {
    const float value = of_bits<T>(bits);
    if (std::isnan(value))
      REQUIRE(std::isnan(float(T(value))));
    else
      REQUIRE(T(value).bits == bits);
    if (bits % 0x8000U != 0x7fffU && std::isfinite(value) &&
        std::isfinite(float(of_bits<T>(bits + 1))))
      check_between<T>(bits);
  }
}

}  // namespace

TEST_CASE("every bfloat16 comes back from float, and what lies between goes to the nearer") {
  check_all<BFloat16>();
  CHECK(float(BFloat16(1)) == 1);
  CHECK(BFloat16(1).bits == 0x3f80);
  CHECK(float(BFloat16(std::numeric_limits<float>::max())) == kInfinity);
  CHECK(std::signbit(float(BFloat16(-0.0F))));
}

TEST_CASE("every half comes back from float, and what lies between goes to the nearer") {
  check_all<Half>();
  CHECK(Half(1).bits == 0x3c00);
  CHECK(float(Half(65504)) == 65504);
  CHECK(float(Half(65519.996F)) == 65504);
  CHECK(float(Half(65520)) == kInfinity);
  CHECK(float(Half(-1e30F)) == -kInfinity);
  CHECK(Half(0x1p-24F).bits == 1);
  CHECK(Half(0x1p-25F).bits == 0);
  CHECK(Half(std::nextafter(0x1p-25F, 1.0F)).bits == 1);
  CHECK(Half(-0x1p-26F).bits == 0x8000);
}

#ifdef __FLT16_MAX__
TEST_CASE("half is rounded as the compiler's own") {
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const auto value =
        static_cast<float>(normal_at(1, i) * std::exp2(static_cast<double>(i % 48) - 30));
    REQUIRE(Half(value).bits == std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)));
  }
}
#endif
