// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "probes/comm/communicator.h"
#include "probes/comm/host/mesh.h"

namespace pippin::probes {

/// All ranks of a mesh as a group whose data lie in the processor's memory. The mesh lives as long
/// as any group of it.
std::unique_ptr<Communicator> make_host_communicator(std::shared_ptr<Mesh> mesh);

}  // namespace pippin::probes
