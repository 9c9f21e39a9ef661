// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/comm/communicator.h"

namespace pippin::probes {

// What every rank says, in the order of the ranks; every rank must call them.
std::vector<double> gathered(Communicator& comm, double mine);
std::vector<std::string> gathered(Communicator& comm, const std::string& mine);
/// Rows of equal length, one after the other.
std::vector<double> gathered(Communicator& comm, const std::vector<double>& mine);

/// The largest over the ranks, element by element.
std::vector<double> largest(Communicator& comm, const std::vector<double>& mine);
double largest(Communicator& comm, double mine);

}  // namespace pippin::probes
