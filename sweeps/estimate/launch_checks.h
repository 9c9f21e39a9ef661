// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// Why Megatron does not start with that layout and those choices; empty: it does. Source, as of
/// all of these: Megatron-LM, arguments.py and transformer_config.py.
std::string_view why_not_started(const Setup& setup);

/// Errors: Error (bad input) for what Megatron does not start with.
void check_needs(const MegatronGiven& given, const Setup& setup);

/// The same of arguments that exclude each other, of a launch that somebody typed: what ran was
/// started by the Megatron of its day. Errors: Error (bad input).
void check_typed_launch(const NamedValues& arguments, const Setup& setup);

/// What of a launch that somebody typed is not used and Megatron-LM has no argument of, but another
/// trainer: it may change memory.
std::vector<std::string> strangers_among(const NamedValues& arguments, const MegatronSetup& read);
/// Takes these from what is not used to what is not known.
void doubt_strangers(const NamedValues& arguments, MegatronSetup& read);

/// Adds what of the time is as if something were not so.
void tell_untimed(const Setup& setup, std::vector<std::string>& assumed);

}  // namespace pippin
