// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include "core/base/text_numbers.h"
#include "core/records/value.h"

namespace pippin {

/// Finds names among values that grow at their end, however many there are.
class ValueIndex {
 public:
  /// Whether one of the values has that name. Requires in front those that it was asked about
  /// before, until reset().
  bool has(const NamedValues& values, std::string_view name) {
    constexpr std::size_t kFew = 32;  // are found sooner one by one
    if (values.size() <= kFew)
      return std::any_of(values.begin(), values.end(),
                         [&](const auto& one) { return one.first == name; });
    const auto name_of = [&](std::size_t i) { return std::string_view(values[i].first); };
    if (values.size() < known_) reset();
    for (; known_ < values.size(); ++known_) names_.add(name_of(known_), known_, name_of);
    return names_.find(name, name_of).has_value();
  }
  void reset() { *this = {}; }

 private:
  TextNumbers names_;
  std::size_t known_ = 0;
};

}  // namespace pippin
