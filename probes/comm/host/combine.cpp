// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/combine.h"

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

template <typename T, typename Combined>
void each(const T* first, const T* second, T* to, std::int64_t count, const Combined& combined) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) to[i] = combined(first[i], second[i]);
}

template <typename T>
void combine_as(Reduction reduction, const void* first, const void* second, void* to,
                std::int64_t count) {
  const auto* a = static_cast<const T*>(first);
  const auto* b = static_cast<const T*>(second);
  if (reduction == Reduction::kSum)
    each(a, b, static_cast<T*>(to), count, [](T x, T y) { return static_cast<T>(x + y); });
  else
    each(a, b, static_cast<T*>(to), count, [](T x, T y) { return x < y ? y : x; });
}

}  // namespace

void combine(Element element, Reduction reduction, const void* first, const void* second, void* to,
             std::int64_t count) {
  switch (element) {
    case Element::kHalf:
      return combine_as<Half>(reduction, first, second, to, count);
    case Element::kBFloat16:
      return combine_as<BFloat16>(reduction, first, second, to, count);
    case Element::kFloat:
      return combine_as<float>(reduction, first, second, to, count);
    case Element::kDouble:
      return combine_as<double>(reduction, first, second, to, count);
    case Element::kByte:
      break;
  }
  throw Error(ExitCode::kMachine, "bytes can be moved, not reduced");
}

}  // namespace pippin::probes
