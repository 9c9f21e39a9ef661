// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
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
  std::vector<std::string> untimed;  ///< those of them with which no time is known
};

/// What a person should know of it, a sentence each.
std::vector<std::string> what_was_taken(const MegatronSetup& read);

/// "Megatron-Core", and by what that was told where it is none.
std::string_view name_of(Framework framework);

/// What of a launch is left when its layout is taken away.
struct MegatronModel {
  MegatronSetup read;                ///< of one GPU, one sequence, no recomputation
  Count gpus, gbs;                   ///< as far as the launch says them
  std::int64_t vocab_divisor = 128;  ///< as of SearchSpace, as the others
  bool counts_embedding = false, counts_loss = false;
};

/// Of the GPU where none is named: Ampere, or, with products in 8 bits, the first that has those.
Generation usual_generation(const NamedValues& arguments);

/// `arguments` by the names of a dump ("num_layers"; of a flag the text is True), those of torchrun
/// among them. `gpus` and `gpus_per_node` go before what the arguments say of the world.
/// Errors: Error (bad input) where one that is needed is missing, is no count, does not divide, or
/// is a misspelt one that would count.
/// Source: Megatron-LM, megatron/training/arguments.py.
MegatronSetup megatron_setup(const NamedValues& arguments, const Count& gpus,
                             const Count& gpus_per_node,
                             Generation generation = Generation::kAmpere);

/// Errors: as megatron_setup(), but for what is wrong with the layout.
MegatronModel megatron_model(const NamedValues& arguments, const Count& gpus_per_node,
                             Generation generation);

/// What was refused, without the name of the command that usually asks.
std::string reason_of(const Error& error);

}  // namespace pippin
