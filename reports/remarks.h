#pragma once

#include <string>
#include <vector>

#include "core/records/summary.h"

namespace pippin {

/// What a reader of a table must know, one remark each: what ± is, why a row has none, what its
/// marks mean, and what the rows themselves say. A remark of several rows comes once and names
/// them.
std::vector<std::string> remarks_on(const std::vector<Summary>& rows);

/// "a, b" or "a, b, c and 4 more", of at most three names.
std::string listed(const std::vector<std::string>& names);

}  // namespace pippin
