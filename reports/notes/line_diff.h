// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pippin {

/// What `diff -u` prints of two texts that differ within lines, none of which came or went; empty
/// where they are equal. Requires as many lines in both. `patch` accepts it.
std::string line_diff(std::string_view before, std::string_view after, const std::string& name);

}  // namespace pippin
