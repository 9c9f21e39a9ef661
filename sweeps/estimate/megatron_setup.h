// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/records/point.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// Megatron's arguments as a setup.
struct MegatronSetup {
  Setup setup;
  std::vector<std::string> assumed;  ///< what they leave open and how it was taken, in words
  std::vector<std::string> unused;   ///< names that change nothing that is estimated
  std::vector<std::string> unknown;  ///< names that change it, and nobody knows by how much
};

/// The words of a launch, "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 …", or of a
/// part of it, as a dump names them; what stands before the first option, and programs, say
/// nothing. One word with blanks is what a shell variable held. Errors: Error (bad input) where a
/// variable is left in it.
NamedValues arguments_of_words(const std::vector<std::string>& words);

/// `arguments` by the names of a dump ("num_layers"; of a flag the text is True), those of torchrun
/// among them. `gpus` and `gpus_per_node` go before what the arguments say of the world.
/// Errors: Error (bad input) where one that is needed is missing, is no count, does not divide, or
/// is a misspelt one that would count.
/// Source: Megatron-LM, megatron/training/arguments.py.
MegatronSetup megatron_setup(const NamedValues& arguments, const Count& gpus,
                             const Count& gpus_per_node,
                             Generation generation = Generation::kAmpere);

/// What was refused, without the name of the command that usually asks.
std::string reason_of(const Error& error);

}  // namespace pippin
