// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_nesting.h"

#include <cstddef>

namespace pippin {

bool nests_little(std::string_view json) {
  constexpr std::size_t kDeepest = 100;
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text && c == '\\') ++i;
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    if ((c == '[' || c == '{') && ++depth > kDeepest) return false;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return true;
}

}  // namespace pippin
