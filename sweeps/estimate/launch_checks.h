// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// Errors: Error (bad input) for what Megatron does not start with. Source: Megatron-LM,
/// arguments.py and transformer_config.py.
void check_needs(const MegatronGiven& given, const Setup& setup);

/// Adds what of the time is as if something were not so.
void tell_untimed(const Setup& setup, std::vector<std::string>& assumed);

}  // namespace pippin
