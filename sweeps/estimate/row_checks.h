// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sweeps/estimate/point_rows.h"

namespace pippin {

/// Why a row cannot be read: a count that is none, a word that nobody knows; else empty. An empty
/// cell says nothing, and can be read.
std::string unreadable_reason(const PointRow& row);

}  // namespace pippin
