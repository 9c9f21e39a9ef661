// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/comm/host/link.h"
#include "probes/comm/socket.h"

namespace pippin::probes {

/// A link over a TCP connection, to a rank of another node.
std::unique_ptr<Link> make_tcp_link(Socket socket);

}  // namespace pippin::probes
