// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/finite_field.h"

#include <algorithm>
#include <array>

namespace pippin {

namespace {

struct BinaryField {
  std::size_t order, polynomial;
};

/// x + 1 of GF(2), x^2 + x + 1, x^3 + x + 1 … Source: irreducible trinomials and pentanomials of
/// least weight, G. Seroussi, Table of Low-Weight Binary Irreducible Polynomials, HPL-98-135.
constexpr std::array<BinaryField, 10> kBinaryFields{{{2, 0b11},
                                                     {4, 0b111},
                                                     {8, 0b1011},
                                                     {16, 0b10011},
                                                     {32, 0b100101},
                                                     {64, 0b1000011},
                                                     {128, 0b10000011},
                                                     {256, 0b100011011},
                                                     {512, 0b1000000011},
                                                     {1024, 0b10000001001}}};

bool is_prime(std::size_t number) {
  for (std::size_t i = 2; i * i <= number; ++i) {
    if (number % i == 0) return false;
  }
  return number >= 2;
}

}  // namespace

std::optional<FiniteField> FiniteField::of_order(std::size_t order) {
  for (const auto& field : kBinaryFields) {
    if (field.order == order) return FiniteField(order, field.polynomial);
  }
  return is_prime(order) ? std::optional(FiniteField(order, 0)) : std::nullopt;
}

std::size_t FiniteField::add(std::size_t a, std::size_t b) const {
  return polynomial_ ? a ^ b : (a + b) % order_;
}

std::size_t FiniteField::multiply(std::size_t a, std::size_t b) const {
  if (!polynomial_) return a * b % order_;
  std::size_t product = 0;
  for (; b > 0; b >>= 1) {
    if (b & 1) product ^= a;
    a <<= 1;
    if (a & order_) a ^= polynomial_;
  }
  return product;
}

}  // namespace pippin
