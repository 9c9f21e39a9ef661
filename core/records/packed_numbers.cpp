// SPDX-License-Identifier: Apache-2.0
#include "core/records/packed_numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace pippin {

namespace {

constexpr std::array<double, 16> kPowersOfTen{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr double kMostDigits = 1e15;  // below it a double tells all whole numbers apart

/// The nearest whole number. Requires |number| < 2^51.
double nearest(double number) {
  constexpr double kAllFraction = 6755399441055744.0;  // 1.5 * 2^52: behind it no bit is left
  return (number + kAllFraction) - kAllFraction;
}

/// Reals as whole numbers over one scale.
struct Scaled {
  std::vector<std::int64_t> numbers;
  double scale = 1;
};

/// Over the least power of ten that all of them are whole multiples of, as a log writes them.
std::optional<Scaled> as_decimals(std::span<const double> reals) {
  std::size_t power = 0;
  for (const double real : reals) {
    if (std::isnan(real)) continue;
    for (;; ++power) {
      if (power == kPowersOfTen.size()) return std::nullopt;
      const double scale = kPowersOfTen[power], many = real * scale;
      if (!(std::abs(many) < kMostDigits)) return std::nullopt;
      if (nearest(many) / scale == real) break;
    }
  }
  Scaled scaled;
  scaled.scale = kPowersOfTen[power];
  scaled.numbers.reserve(reals.size());
  for (const double real : reals) {
    const double many = nearest(real * scaled.scale);
    if (std::isnan(real)) {
      scaled.numbers.push_back(PackedNumbers::kUnknown);
    } else if (std::abs(many) < kMostDigits && many / scaled.scale == real &&
               !(many == 0 && std::signbit(real))) {
      scaled.numbers.push_back(static_cast<std::int64_t>(many));
    } else {
      return std::nullopt;
    }
  }
  return scaled;
}

/// Over a power of two, as sums and quotients come out.
std::optional<Scaled> as_binary(std::span<const double> reals) {
  constexpr int kFractionBits = 53, kMostBits = 62;
  int lowest = std::numeric_limits<int>::max(), highest = std::numeric_limits<int>::min();
  for (const double real : reals) {
    if (std::isnan(real)) continue;
    if (std::isinf(real) || (real == 0 && std::signbit(real))) return std::nullopt;
    if (real == 0) continue;
    int exponent = 0;
    const auto bits =
        static_cast<std::int64_t>(std::ldexp(std::frexp(real, &exponent), kFractionBits));
    lowest = std::min(lowest, exponent - kFractionBits +
                                  std::countr_zero(static_cast<std::uint64_t>(std::abs(bits))));
    highest = std::max(highest, exponent);
  }
  if (highest - lowest > kMostBits || std::abs(lowest) > 1000) return std::nullopt;
  Scaled scaled;
  scaled.scale = std::ldexp(1.0, -lowest);
  scaled.numbers.reserve(reals.size());
  for (const double real : reals)
    scaled.numbers.push_back(std::isnan(real)
                                 ? PackedNumbers::kUnknown
                                 : static_cast<std::int64_t>(std::ldexp(real, -lowest)));
  return scaled;
}

std::uint64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

std::uint8_t bytes_for(std::uint64_t largest) {
  constexpr int kByte = 8;
  return static_cast<std::uint8_t>((std::bit_width(largest) + kByte - 1) / kByte);
}

std::uint64_t all_ones(std::uint8_t width) {
  constexpr unsigned kByte = 8, kWord = 64;
  return ~std::uint64_t{0} >> (kWord - kByte * width);
}

}  // namespace

PackedNumbers PackedNumbers::of_integers(std::span<const std::int64_t> numbers) {
  return packed(numbers, 1);
}

PackedNumbers PackedNumbers::of_reals(std::span<const double> numbers) {
  std::optional<Scaled> scaled = as_decimals(numbers);
  if (!scaled) scaled = as_binary(numbers);
  if (scaled) return packed(scaled->numbers, scaled->scale);
  PackedNumbers reals;
  reals.put_reals(numbers);
  return reals;
}

PackedNumbers PackedNumbers::packed(std::span<const std::int64_t> numbers, double scale) {
  PackedNumbers packed;
  packed.size_ = static_cast<std::uint32_t>(numbers.size());
  packed.scale_ = scale;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = kUnknown;
  bool has_unknown = false, linear = scale == 1 && numbers.size() > 1;
  const std::uint64_t step = linear ? distance(numbers[0], numbers[1]) : 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t number = numbers[i];
    linear = linear && (i == 0 || distance(numbers[i - 1], number) == step);
    if (number == kUnknown) {
      has_unknown = true;
      continue;
    }
    least = std::min(least, number);
    most = std::max(most, number);
  }
  packed.has_unknown_ = has_unknown;
  if (most == kUnknown) return packed;
  packed.base_ = least;
  if (!has_unknown && least == most) {
    packed.form_ = Form::kConstant;
  } else if (!has_unknown && linear) {
    packed.form_ = Form::kLinear;
    packed.base_ = numbers[0];
    packed.step_ = static_cast<std::int64_t>(step);
  } else {
    packed.form_ = Form::kOffsets;
    packed.largest_offset_ = distance(least, most);
    packed.put_offsets(numbers);
  }
  return packed;
}

void PackedNumbers::put_offsets(std::span<const std::int64_t> numbers) {
  // One more than the largest, for those that are unknown; it cannot overflow: kUnknown is none.
  width_ = bytes_for(largest_offset_ + 1);
  bytes_.resize(numbers.size() * width_ + sizeof(std::uint64_t) - width_);
  char* at = bytes_.data();
  for (const std::int64_t number : numbers) {
    const std::uint64_t offset = number == kUnknown ? all_ones(width_) : distance(base_, number);
    std::memcpy(at, &offset, sizeof offset);
    at += width_;
  }
}

void PackedNumbers::put_reals(std::span<const double> numbers) {
  form_ = Form::kReals;
  size_ = static_cast<std::uint32_t>(numbers.size());
  has_unknown_ =
      std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
  bytes_.resize(numbers.size_bytes());
  std::memcpy(bytes_.data(), numbers.data(), numbers.size_bytes());
}

std::uint64_t PackedNumbers::offset(std::size_t i) const {
  std::uint64_t offset = 0;
  std::memcpy(&offset, bytes_.data() + i * width_, sizeof offset);
  return offset & all_ones(width_);
}

std::int64_t PackedNumbers::integer(std::size_t i) const {
  switch (form_) {
    case Form::kConstant:
      return base_;
    case Form::kLinear:
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(base_) +
                                       i * static_cast<std::uint64_t>(step_));
    case Form::kOffsets: {
      const std::uint64_t from_base = offset(i);
      return from_base > largest_offset_
                 ? kUnknown
                 : static_cast<std::int64_t>(static_cast<std::uint64_t>(base_) + from_base);
    }
    case Form::kUnknown:
    case Form::kReals:
      break;
  }
  return kUnknown;
}

double PackedNumbers::real(std::size_t i) const {
  if (form_ == Form::kReals) {
    double real = 0;
    std::memcpy(&real, bytes_.data() + i * sizeof real, sizeof real);
    return real;
  }
  const std::int64_t number = integer(i);
  return number == kUnknown ? std::numeric_limits<double>::quiet_NaN()
                            : static_cast<double>(number) / scale_;
}

}  // namespace pippin
