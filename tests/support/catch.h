// SPDX-License-Identifier: Apache-2.0
#pragma once

// Catch2, version 2 (Debian 12) or 3 (Debian 13), under the names of version 2.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

namespace Catch {

inline Matchers::StringContainsMatcher Contains(const std::string& part,
                                                CaseSensitive how = CaseSensitive::Yes) {
  return Matchers::ContainsSubstring(part, how);
}
using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;
using Matchers::UnorderedEquals;

}  // namespace Catch

using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
