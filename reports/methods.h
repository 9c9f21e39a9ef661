// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/format.h"

namespace pippin {

/// One paragraph that says how the numbers of this table came about, for a paper.
std::string methods_of(const Report& report);

}  // namespace pippin
