// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "probes/comm/communicator.h"

namespace pippin::probes {

/// What tells a message from all others between two ranks: two with one name arrive in the order in
/// which they were sent.
struct MessageName {
  std::uint64_t call = 0;   ///< the number of the call in its group
  std::uint64_t group = 0;  ///< the group's

  friend bool operator==(const MessageName&, const MessageName&) = default;
};

/// One that is sent or received. Its place must not change until it has been.
struct Message {
  MessageName name;
  int peer = 0;  ///< a rank of the mesh
  std::int64_t bytes = 0;
  const std::byte* from = nullptr;  ///< of one that is sent
  std::byte* to = nullptr;          ///< of one that is received
  /// Where what arrives is to be combined with this instead of stored.
  const std::byte* with = nullptr;
  bool arrived_first = false;  ///< what arrives is the first of the two
  Element element = Element::kByte;
  Reduction reduction = Reduction::kSum;

  std::int64_t moved = 0;
  int* open = nullptr;  ///< one less when the message is through
};

}  // namespace pippin::probes
