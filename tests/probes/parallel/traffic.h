// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "probes/training/groups.h"

namespace pippin::probes::test {

/// What one rank's channels have counted in one iteration against the formulas, written out again
/// from the papers; `activation` and `gradient` are bytes of an element of them. Empty where all
/// are equal, else the channel and both numbers.
std::string traffic_complaint(const Setup& setup, Groups& groups, std::int64_t activation,
                              std::int64_t gradient);

}  // namespace pippin::probes::test
