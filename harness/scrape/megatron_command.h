// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/records/value.h"

namespace pippin {

/// The arguments of a command that a shell wrote into the log, "+ python pretrain_gpt.py
/// --num-layers 24 …", as a dump names them. Empty where the line is none, is cut, or has variables
/// of a script in it.
NamedValues arguments_of_command(std::string_view line);

}  // namespace pippin
