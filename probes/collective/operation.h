// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/collective/memory_space.h"
#include "probes/comm/communicator.h"
#include "probes/device/memory.h"

namespace pippin::probes {

enum class Operation {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kSendRecv,  ///< round the ring: each rank to its next
};

/// One row of what there is.
struct OperationKind {
  Operation operation;
  const char* name;  ///< "all_reduce"
  bool reduces;
  bool has_root;
  bool in_parts;  ///< its size is that of one part of every rank together
};

const std::vector<OperationKind>& operation_kinds();
const OperationKind& kind_of(Operation operation);

/// One call of an operation, the same on every rank but for the buffers.
struct CollectiveCall {
  Operation operation = Operation::kAllReduce;
  std::int64_t count = 0;  ///< elements as the call takes them: of one part where it has parts
  Element element = Element::kFloat;
  Reduction reduction = Reduction::kSum;  ///< kMax for all_reduce only
  int root = 0;
  bool in_place = false;
};

/// The elements of a call of at most `bytes`: with parts as many as divide evenly, each a multiple
/// of 16 bytes. Source: nccl-tests 2.17, src/all_gather.cu.
std::int64_t count_within(Operation operation, std::int64_t bytes, Element element, int ranks);

/// What the table calls its size and divides by the time. Source: nccl-tests, doc/PERFORMANCE.md.
std::int64_t bytes_of(const CollectiveCall& call, int ranks);

/// The bus bandwidth for an algorithm bandwidth of 1. Source: nccl-tests, doc/PERFORMANCE.md.
double bus_factor(Operation operation, int ranks);

/// What calls send from and receive into.
struct CollectiveBuffers {
  CollectiveBuffers(MemorySpace& place, std::int64_t bytes)
      : space(place), send(place.memory(), {bytes}), receive(place.memory(), {bytes}) {}
  MemorySpace& space;
  Buffer<unsigned char> send, receive;
};

// Where a rank's own data stand before a call and its result after it; null where it has none. Out
// of place a broadcast leaves the root's data where they are.
unsigned char* input_of(const CollectiveCall& call, int rank, CollectiveBuffers& buffers);
unsigned char* result_of(const CollectiveCall& call, int rank, CollectiveBuffers& buffers);

/// A call whose places are worked out beforehand, so that the time of making it is the call's own.
/// In place a sendrecv sends a copy, as MPI_Sendrecv_replace does.
class PreparedCall {
 public:
  /// `comm` and `buffers` must outlive it.
  PreparedCall(const CollectiveCall& call, Communicator& comm, CollectiveBuffers& buffers);
  /// May return before it is done, see Communicator.
  void operator()() const;
  /// Waits until all that were made are done.
  void complete() const { comm_.complete(); }

 private:
  void send_round() const;

  CollectiveCall call_;
  Communicator& comm_;
  MemorySpace& space_;
  const unsigned char* in_;
  unsigned char *out_, *send_;
  int next_, before_;  ///< ranks round the ring
  std::int64_t bytes_;
};

}  // namespace pippin::probes
