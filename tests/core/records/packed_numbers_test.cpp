// SPDX-License-Identifier: Apache-2.0
#include "core/records/packed_numbers.h"

#include <bit>
#include <cmath>
#include <random>

#include "tests/support/catch.h"

using namespace pippin;
using Form = PackedNumbers::Form;

namespace {

constexpr std::int64_t kUnknown = PackedNumbers::kUnknown;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

PackedNumbers packed(const std::vector<double>& reals) {
  PackedNumbers numbers = PackedNumbers::of_reals(reals);
  REQUIRE(numbers.size() == reals.size());
  for (std::size_t i = 0; i < reals.size(); ++i) {
    CAPTURE(i, reals[i], numbers.real(i));
    if (std::isnan(reals[i])) {
      REQUIRE(std::isnan(numbers.real(i)));
    } else {
      REQUIRE(std::bit_cast<std::uint64_t>(numbers.real(i)) ==
              std::bit_cast<std::uint64_t>(reals[i]));
    }
  }
  return numbers;
}

PackedNumbers packed(const std::vector<std::int64_t>& integers) {
  PackedNumbers numbers = PackedNumbers::of_integers(integers);
  REQUIRE(numbers.size() == integers.size());
  for (std::size_t i = 0; i < integers.size(); ++i) REQUIRE(numbers.integer(i) == integers[i]);
  return numbers;
}

}  // namespace

TEST_CASE("whole numbers come back, in the shortest form") {
  using Numbers = std::vector<std::int64_t>;
  CHECK(packed(Numbers{}).form() == Form::kUnknown);
  CHECK(packed(Numbers{kUnknown, kUnknown}).form() == Form::kUnknown);
  CHECK(packed(Numbers{7}).form() == Form::kConstant);
  CHECK(packed(Numbers{7, 7, 7}).form() == Form::kConstant);
  CHECK(packed(Numbers{10, 8, 6}).form() == Form::kLinear);
  CHECK(packed(Numbers{10, 8, 6}).step() == -2);
  CHECK(packed(Numbers{10, 8, 7}).largest_offset() == 3);
  CHECK(packed(Numbers{10, kUnknown, 10}).form() == Form::kOffsets);
  CHECK(packed(Numbers{10, kUnknown, 10}).has_unknown());
  CHECK_FALSE(packed(Numbers{10, 8, 7}).has_unknown());
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  packed(Numbers{most, -most, kUnknown, 0, 5});
  packed(Numbers{-most, 0, most});
  for (const std::int64_t range : {254, 255, 256, 65534, 65535, 65536}) {
    packed(Numbers{0, kUnknown, range, 1});
    packed(Numbers{0, range, 1});
  }
}

TEST_CASE("what a log writes is kept as whole numbers over a power of ten") {
  const PackedNumbers times = packed(std::vector<double>{15432.1, 15440.7, 15433.0});
  CHECK(times.form() == Form::kOffsets);
  CHECK(times.scale() == 10);
  CHECK(times.base() == 154321);
  CHECK(times.largest_offset() == 86);
  CHECK(packed(std::vector<double>{1.037655e+01, 9.832410e-02}).scale() == 1e7);
  CHECK(packed(std::vector<double>{65536, 65536}).form() == Form::kConstant);
  CHECK(packed(std::vector<double>{0.3, 0.3, kNan}).has_unknown());
  CHECK(packed(std::vector<double>{kNan}).form() == Form::kUnknown);
}

TEST_CASE("sums and quotients are kept as whole numbers over a power of two") {
  const PackedNumbers thirds = packed(std::vector<double>{1.0 / 3, 2.0 / 3, 0, kNan, -1.0 / 3});
  CHECK(thirds.form() == Form::kOffsets);
  CHECK(std::exp2(std::round(std::log2(thirds.scale()))) == thirds.scale());
  packed(std::vector<double>{0.1 + 0.2, 1.1 * 1.1});
}

TEST_CASE("reals that no whole numbers stand for are kept as they are") {
  for (const auto& reals :
       {std::vector<double>{kInfinity, 1, kNan, -kInfinity}, std::vector<double>{-0.0, 1},
        std::vector<double>{1e300, 1e-300}, std::vector<double>{5e-324, 1.0 / 3}})
    CHECK(packed(reals).form() == Form::kReals);
}

TEST_CASE("random reals of all sizes come back") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<double> reals(1 + random() % 40);
    const auto digits = static_cast<int>(random() % 12), size = static_cast<int>(random() % 14);
    const unsigned kind = random() % 4;
    for (auto& real : reals) {
      const auto whole = static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000;
      real = std::strtod((std::to_string(whole) + "e" + std::to_string(size - digits)).c_str(),
                         nullptr);
      if (kind == 1) real /= 3;
      if (kind == 2) real = std::bit_cast<double>(random());
      if (random() % 8 == 0) real = kNan;
    }
    packed(reals);
  }
}
