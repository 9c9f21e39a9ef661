// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/operation.h"

namespace pippin::probes {

const std::vector<OperationKind>& operation_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {Operation::kAllReduce, "all_reduce", true, false, false},
      {Operation::kAllGather, "all_gather", false, false, true},
      {Operation::kReduceScatter, "reduce_scatter", true, false, true},
      {Operation::kBroadcast, "broadcast", false, true, false},
      {Operation::kReduce, "reduce", true, true, false},
      {Operation::kAllToAll, "all_to_all", false, false, true},
      {Operation::kSendRecv, "sendrecv", false, false, false},
  };
  return kKinds;
}

const OperationKind& kind_of(Operation operation) {
  return operation_kinds()[static_cast<std::size_t>(operation)];
}

std::int64_t count_within(Operation operation, std::int64_t bytes, Element element, int ranks) {
  const std::int64_t count = bytes / bytes_of(element);
  if (!kind_of(operation).in_parts) return count;
  const std::int64_t aligned = 16 / bytes_of(element);
  return count / ranks / aligned * aligned;
}

std::int64_t bytes_of(const CollectiveCall& call, int ranks) {
  return call.count * bytes_of(call.element) * (kind_of(call.operation).in_parts ? ranks : 1);
}

double bus_factor(Operation operation, int ranks) {
  const double n = ranks;
  switch (operation) {
    case Operation::kAllReduce:
      return 2 * (n - 1) / n;
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
      return (n - 1) / n;
    default:
      return 1;
  }
}

unsigned char* input_of(const CollectiveCall& call, int rank, CollectiveBuffers& buffers) {
  if (call.operation == Operation::kBroadcast && rank != call.root) return nullptr;
  if (!call.in_place) return buffers.send.data();
  const bool own_part = call.operation == Operation::kAllGather;
  return buffers.receive.data() + (own_part ? rank * call.count * bytes_of(call.element) : 0);
}

unsigned char* result_of(const CollectiveCall& call, int rank, CollectiveBuffers& buffers) {
  if (call.operation == Operation::kReduce && rank != call.root) return nullptr;
  if (call.operation == Operation::kBroadcast && rank == call.root)
    return input_of(call, rank, buffers);
  return buffers.receive.data();
}

PreparedCall::PreparedCall(const CollectiveCall& call, Communicator& comm,
                           CollectiveBuffers& buffers)
    : call_(call),
      comm_(comm),
      space_(buffers.space),
      in_(input_of(call, comm.rank(), buffers)),
      out_(buffers.receive.data()),
      send_(buffers.send.data()),
      next_((comm.rank() + 1) % comm.size()),
      before_((comm.rank() + comm.size() - 1) % comm.size()),
      bytes_(call.count * bytes_of(call.element)) {
  if (call.operation == Operation::kBroadcast) out_ = result_of(call, comm.rank(), buffers);
}

void PreparedCall::operator()() const {
  const auto& [operation, count, element, reduction, root, in_place] = call_;
  (void)in_place;
  switch (operation) {
    case Operation::kAllReduce:
      return comm_.all_reduce(in_, out_, count, element, reduction);
    case Operation::kAllGather:
      return comm_.all_gather(in_, out_, count, element);
    case Operation::kReduceScatter:
      return comm_.reduce_scatter(in_, out_, count, element);
    case Operation::kBroadcast:
      return comm_.broadcast(out_, count, element, root);
    case Operation::kReduce:
      return comm_.reduce(in_, out_, count, element, root);
    case Operation::kAllToAll:
      return comm_.all_to_all(in_, out_, count, element);
    case Operation::kSendRecv:
      return send_round();
  }
}

void PreparedCall::send_round() const {
  if (call_.in_place) space_.copy(out_, send_, bytes_);
  comm_.send_receive(send_, next_, out_, before_, call_.count, call_.element);
}

}  // namespace pippin::probes
