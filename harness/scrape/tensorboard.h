#pragma once

#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// Whether the beginning of a file is that of TensorBoard's events (events.out.tfevents.*).
bool looks_like_events(std::string_view head);

/// The launches whose scalars an event file has: one, and one more wherever its steps go back.
/// Empty where it has no time of a trainer that is known.
/// Shape: model, layout and arguments are those of Megatron-LM, which writes its arguments as
/// texts; unknown of other trainers. Scalars over samples or tokens instead of steps are left out.
/// What is torn at the end is left out.
/// Errors: Error (bad input) of a broken record before the end, and of one that is too large.
std::vector<LogRun> read_events(std::string_view file);

}  // namespace pippin
