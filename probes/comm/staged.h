// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "probes/comm/communicator.h"

namespace pippin::probes {

/// To and from memory that a processor cannot touch. Both return when the copy is made, to_host()
/// of what all work before has left there.
struct DeviceCopies {
  std::function<void(std::int64_t bytes, const void* device, void* host)> to_host;
  std::function<void(std::int64_t bytes, const void* host, void* device)> to_device;
};

/// A communicator for a device's memory over one for the host's: every call copies there and back.
/// For ranks that share a device, which NCCL refuses, and to prove what others do faster.
std::unique_ptr<Communicator> make_staged_communicator(std::unique_ptr<Communicator> host,
                                                       const DeviceCopies& copies);

}  // namespace pippin::probes
