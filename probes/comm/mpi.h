// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "probes/comm/communicator.h"
#include "probes/common/error.h"

/// MPI as a session needs it: mpi.cpp, or without_mpi.cpp in a build that has none.
namespace pippin::probes::mpi {

/// Whether this build has it.
bool is_built();

/// The library and its version, "none" without one.
std::string library();

// The rest requires is_built().

/// All ranks. Errors: Error (bad input) where MPI sees another number of them than were launched.
std::unique_ptr<Communicator> join(int launched);
/// After the last group of join()'s is gone.
void leave();
/// Ends every rank.
[[noreturn]] void abort(ExitCode code);

}  // namespace pippin::probes::mpi
