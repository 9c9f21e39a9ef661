// SPDX-License-Identifier: Apache-2.0
#include "core/base/moderate_json.h"

#include <cstddef>

namespace pippin {

bool is_moderate_json(std::string_view json, std::size_t most_values, std::size_t deepest) {
  std::size_t depth = 0, values = 1;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text && c == '\\') ++i;
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    if ((c == '[' || c == '{') && ++depth > deepest) return false;
    const bool begins_value = c == ',' || c == '[' || c == '{';
    if (begins_value && ++values > most_values) return false;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return true;
}

}  // namespace pippin
