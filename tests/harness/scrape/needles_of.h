// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "harness/scrape/needles.h"

namespace pippin::test {

/// Those that are wanted, a flag each, or all; looked for by their first bytes.
inline Needles needles_of(const std::vector<std::string_view>& texts,
                          std::vector<bool> wanted = {}) {
  wanted.resize(texts.size(), wanted.empty());
  return {texts, std::vector<NeedleMark>(texts.size()), wanted};
}

}  // namespace pippin::test
