// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/common/half.h"

namespace pippin::probes {

/// What an element of a message is.
enum class Element { kByte, kHalf, kBFloat16, kFloat, kDouble };
enum class Reduction { kSum, kMax };

std::int64_t bytes_of(Element element);

template <typename T>
constexpr Element element_of();
template <>
constexpr Element element_of<unsigned char>() {
  return Element::kByte;
}
template <>
constexpr Element element_of<Half>() {
  return Element::kHalf;
}
template <>
constexpr Element element_of<BFloat16>() {
  return Element::kBFloat16;
}
template <>
constexpr Element element_of<float>() {
  return Element::kFloat;
}
template <>
constexpr Element element_of<double>() {
  return Element::kDouble;
}

/// Calls `visit` with a value of the element's type.
template <typename Visit>
auto visit_element(Element element, const Visit& visit) {
  switch (element) {
    case Element::kByte:
      return visit(static_cast<unsigned char>(0));
    case Element::kHalf:
      return visit(Half());
    case Element::kBFloat16:
      return visit(BFloat16());
    case Element::kFloat:
      return visit(0.0F);
    case Element::kDouble:
      break;
  }
  return visit(0.0);
}

}  // namespace pippin::probes
