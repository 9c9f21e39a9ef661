// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/value.h"

namespace pippin {

/// The words of a launch, "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 …", or of a
/// part of it, as a dump names them. What stands before the first option, a launcher's but for
/// torchrun's counts, programs, options of one dash, and all behind a redirection or the command's
/// end say nothing. One word with blanks is
/// what a shell variable held. Errors: Error (bad input) where a variable is left that may hold
/// what counts.
NamedValues arguments_of_words(const std::vector<std::string>& words);

}  // namespace pippin
