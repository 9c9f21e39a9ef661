// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace pippin {

/// Numbers of one column, such as the step times of some hundred lines, in few bytes: what goes in
/// comes out, bit for bit. Each is (base + its offset) / scale, all three whole. Of reals that no
/// such whole numbers stand for, each is kept as it is.
class PackedNumbers {
 public:
  /// Stands for an unknown whole number; for an unknown real any NaN does.
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();

  enum class Form : std::uint8_t {
    kUnknown,   ///< all of them
    kConstant,  ///< all are `base`
    kLinear,    ///< base, base + step, base + 2 step, …; scale 1
    kOffsets,   ///< `largest_offset` or less above `base`
    kReals,     ///< as they are
  };

  PackedNumbers() = default;
  static PackedNumbers of_integers(std::span<const std::int64_t> numbers);
  static PackedNumbers of_reals(std::span<const double> numbers);

  std::size_t size() const { return size_; }
  /// Requires i < size(), and that integers, or reals, were packed.
  std::int64_t integer(std::size_t i) const;
  double real(std::size_t i) const;

  Form form() const { return form_; }
  bool has_unknown() const { return has_unknown_; }
  std::int64_t base() const { return base_; }
  std::int64_t step() const { return step_; }
  double scale() const { return scale_; }
  std::uint64_t largest_offset() const { return largest_offset_; }
  /// Requires kOffsets. The offset of number i; more than the largest where it is unknown.
  std::uint64_t offset(std::size_t i) const;

 private:
  static PackedNumbers packed(std::span<const std::int64_t> numbers, double scale);
  void put_offsets(std::span<const std::int64_t> numbers);
  void put_reals(std::span<const double> numbers);

  std::string bytes_;  ///< `width_` of each number, the lowest first
  std::int64_t base_ = 0, step_ = 0;
  std::uint64_t largest_offset_ = 0;
  double scale_ = 1;
  std::uint32_t size_ = 0;
  std::uint8_t width_ = 0;
  Form form_ = Form::kUnknown;
  bool has_unknown_ = true;
};

}  // namespace pippin
