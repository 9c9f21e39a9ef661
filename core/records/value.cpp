// SPDX-License-Identifier: Apache-2.0
#include "core/records/value.h"

#include "core/base/text.h"

namespace pippin {

Value value_of(std::string text) {
  const auto number = parse_number(text);
  return {std::move(text), number};
}

Value value_of(double number) { return {number_text(number), number}; }

const Value* find_value(const NamedValues& values, const std::string& name) {
  for (const auto& [key, value] : values) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace pippin
