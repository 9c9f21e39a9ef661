// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/comm/host/link.h"
#include "probes/comm/socket.h"

namespace pippin::probes {

// A link through memory that two processes of a node share: a ring of bytes each way. It belongs to
// no name, so that nothing is left of it however they end. A local connection between them carries
// the memory to the other side, wakes who sleeps, and tells when one is gone.
// Errors of both: Error (machine) where the memory or the connection cannot be had.

/// Makes the memory and sends it.
std::unique_ptr<Link> offer_shared_link(Socket connection);
/// Takes the memory that the other side offers.
std::unique_ptr<Link> accept_shared_link(Socket connection);
/// From a rank to itself.
std::unique_ptr<Link> make_own_link();

}  // namespace pippin::probes
