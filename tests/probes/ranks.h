// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/process.h"

namespace pippin::test {

using Words = std::vector<std::string>;

/// Runs a program on `ranks` ranks of this machine, however many cores it has: by mpirun, where
/// there is none or the probes are built without MPI by themselves.
Outcome run_ranks(int ranks, const Words& command);

/// One rank on each of the nodes, which are but names.
Outcome run_nodes(const Words& nodes, const Words& command);

Words lines_of(const std::string& text);
Words words_of(const std::string& line);

}  // namespace pippin::test
