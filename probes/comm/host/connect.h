// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "probes/comm/host/link.h"
#include "probes/comm/rendezvous.h"

namespace pippin::probes {

/// A link from this rank to every rank, itself among them: through memory to those of its node, by
/// TCP to the others. Every rank must call it. Errors: Error (machine) naming who did not come in
/// `patience` seconds, or what could not be reached.
std::vector<std::unique_ptr<Link>> connect_all(Roster roster, double patience = kMeetingPatience);

}  // namespace pippin::probes
