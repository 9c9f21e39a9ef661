// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace pippin {

/// The field of `order` elements 0 … order - 1, where order is a prime or a power of 2: numbers
/// modulo the prime, or polynomials over GF(2) as bits.
class FiniteField {
 public:
  /// Nothing where there is no field of that order here: below 2, composite, an odd prime's power,
  /// above 1024 a power of 2.
  static std::optional<FiniteField> of_order(std::size_t order);

  std::size_t order() const { return order_; }
  std::size_t add(std::size_t a, std::size_t b) const;
  std::size_t multiply(std::size_t a, std::size_t b) const;

 private:
  FiniteField(std::size_t order, std::size_t polynomial) : order_(order), polynomial_(polynomial) {}
  std::size_t order_, polynomial_;  ///< 0 where the order is a prime above 2
};

}  // namespace pippin
