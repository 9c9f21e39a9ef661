// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/random.h"

namespace pippin::test {

/// One change of the kinds that torn, interleaved and damaged logs show.
inline void damage(std::string& text, Random& random) {
  if (text.empty()) return;
  const auto at = static_cast<std::size_t>(random.below(text.size()));
  const auto length = static_cast<std::size_t>(random.below(200));
  switch (random.below(6)) {
    case 0:
      text[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text.substr(text.size() / 2, length));
      break;
    case 3:
      text.resize(at);
      break;
    case 4:
      text.insert(at, std::string(1, "\n\r\x1b[|:.-9"[random.below(9)]));
      break;
    default:
      text.insert(at, std::string(length, '9'));
  }
}

}  // namespace pippin::test
