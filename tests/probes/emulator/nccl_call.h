// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nccl.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "probes/comm/communicator.h"

// What a call of NCCL's does, once it is its turn in the stream.

namespace emulator {

enum class Operation { kAllReduce, kAllGather, kReduceScatter, kBroadcast, kReduce, kSend, kRecv };

/// One of NCCL's functions as a rank has called it. What it has no part in is null.
struct NcclCall {
  Operation operation;
  const void* in;
  void* out;
  std::int64_t count;
  ncclDataType_t type;
  ncclRedOp_t op = ncclSum;
  int peer = 0;  ///< or root

  bool is_message() const { return operation == Operation::kSend || operation == Operation::kRecv; }
  std::int64_t in_bytes(int rank, int size) const;
  std::int64_t out_bytes(int rank, int size) const;
  /// "ncclAllReduce of 8 ncclFloat32 (ncclSum)"
  std::string words() const;
};

pippin::probes::Element element_of(ncclDataType_t type);

/// The data of a call under way: its result is poison until land(), and what anybody writes into
/// either meanwhile is a Fault.
class Transfer {
 public:
  Transfer(const NcclCall& call, int rank, int size);
  void read();
  void poison();
  void land();

  const NcclCall& call() const { return call_; }
  const std::byte* in() const { return in_.data(); }
  std::byte* out() { return out_.data(); }

 private:
  using Bytes = std::vector<std::byte>;
  NcclCall call_;
  Bytes in_, out_;
  Bytes left_in_, left_out_;  ///< the device's memory as this left it
};
using Transfers = std::vector<Transfer>;

/// Ranks that did not call the same.
class Mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The ranks of a communicator.
class NcclRanks {
 public:
  explicit NcclRanks(std::unique_ptr<pippin::probes::Communicator> all);

  /// A group of calls: collectives one after the other, then all messages at once. Returns when the
  /// peers have done their part. Errors: Mismatch; Error (lost rank).
  void perform(Transfers& transfers);

 private:
  void collective(Transfer& transfer);
  void must_agree(const NcclCall& call);
  void messages(Transfers& transfers);

  std::unique_ptr<pippin::probes::Communicator> all_;
  /// What senders say, and what receivers do: messages of either are in their order.
  std::unique_ptr<pippin::probes::Communicator> senders_, receivers_;
};

}  // namespace emulator
