// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/scrape/trainers/launch.h"

namespace pippin {

/// What scripts on top of transformers print beside its own words. `key`: the text by which the
/// line was found.

/// They are not the model's where only a part is trained, or ZeRO has split them (0).
void read_trainable(std::int64_t count, LaunchFacts& facts);

/// "tensor_parallel_size=2", "sequence_parallel_size: 4", of any options that are printed.
void read_parallel(std::string_view line, std::string_view key, LaunchFacts& facts);

/// The vocabulary of a configuration that is printed whole: that of the model at hand, too, where
/// only its shape is overridden.
void read_vocabulary(std::string_view line, std::string_view key, LaunchFacts& facts);

/// "Overriding config: n_embd=7168,n_head=32,n_layer=40,n_positions=1024", of run_clm.py. The
/// configurations that are printed whole are also those of other models.
void read_shape(std::string_view line, std::string_view key, LaunchFacts& facts);

/// "{'loss': '1.25', 'memory/max_allocated (GiB)': '2.42', …}", "…/max_mem_allocated(gib)" before.
void read_memory(std::string_view line, std::string_view key, TrainerLaunch& launch);

/// Whether it says what an evaluation came to: "{'eval_loss': 1.2, 'eval_runtime': 3.21, …}", also
/// "'eval_wikitext_loss': …". The options of evaluations begin with "'eval_", too.
bool says_evaluated(std::string_view line);

/// Whether a step's losses are printed as transformers' trainer does: "{'loss': 1.5, 'grad_norm':
/// …". They may be cut.
bool are_own_losses(std::string_view losses);

}  // namespace pippin
