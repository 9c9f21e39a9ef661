// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pippin {

/// Names without the parts between hyphens that all of them have, unless they become the same.
std::vector<std::string> short_names(const std::vector<std::string>& names);

}  // namespace pippin
