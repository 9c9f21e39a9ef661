// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/host_space.h"

#include <cstring>

#include "probes/collective/check.h"

namespace pippin::probes {

void HostSpace::clear(void* data, std::int64_t bytes) {
  std::memset(data, 0, static_cast<std::size_t>(bytes));
}

void HostSpace::copy(const void* from, void* to, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void HostSpace::fill(const KnownData& data, void* place) {
  visit_element(data.call().element, [&]<typename T>(T) {
    T* elements = static_cast<T*>(place);
    for (std::int64_t i = 0; i < data.inputs(); ++i) elements[i] = data.input<T>(i);
  });
}

std::int64_t HostSpace::count_wrong(const KnownData& data, const void* place) {
  return visit_element(data.call().element, [&]<typename T>(T) {
    const T* elements = static_cast<const T*>(place);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < data.results(); ++i) wrong += elements[i] != data.result<T>(i);
    return wrong;
  });
}

}  // namespace pippin::probes
