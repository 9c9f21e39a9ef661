// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/scrape/trainers/run_totals.h"
#include "harness/scrape/trainers/trainer.h"

namespace pippin::huggingface {

/// What is printed below "***** Running training *****": "  Total optimization steps = 16". It is
/// said again, with a smaller batch, where the first one does not fit into memory.
void read_header(const TrainerLine& line, TrainerLaunch& launch, RunTotals& totals);

/// "O^O/ \_/ \    Batch size per device = 2 | Gradient accumulation steps = 4", of Unsloth.
void read_banner(const TrainerLine& line, TrainerLaunch& launch, RunTotals& totals);

}  // namespace pippin::huggingface
