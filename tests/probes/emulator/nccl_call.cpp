// SPDX-License-Identifier: Apache-2.0
#include "nccl_call.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <thread>
#include <utility>

#include "emulator.h"

namespace emulator {

using namespace pippin::probes;

namespace {

constexpr std::byte kPoison{0xFF};

const char* name_of(Operation operation) {
  constexpr const char* kNames[] = {"ncclAllReduce", "ncclAllGather", "ncclReduceScatter",
                                    "ncclBroadcast", "ncclReduce",    "ncclSend",
                                    "ncclRecv"};
  return kNames[static_cast<int>(operation)];
}

const char* name_of(ncclDataType_t type) {
  switch (type) {
    case ncclUint8:
      return "ncclUint8";
    case ncclFloat16:
      return "ncclFloat16";
    case ncclFloat32:
      return "ncclFloat32";
    case ncclFloat64:
      return "ncclFloat64";
    case ncclBfloat16:
      return "ncclBfloat16";
  }
  return "no type";
}

/// What ranks must agree on.
struct Terms {
  std::int64_t operation, count, type, op, root;
  friend bool operator==(const Terms&, const Terms&) = default;
};
Terms terms_of(const NcclCall& call) {
  return {static_cast<std::int64_t>(call.operation), call.count, call.type, call.op, call.peer};
}
NcclCall call_of(const Terms& terms) {
  return {static_cast<Operation>(terms.operation),
          nullptr,
          nullptr,
          terms.count,
          static_cast<ncclDataType_t>(terms.type),
          static_cast<ncclRedOp_t>(terms.op),
          static_cast<int>(terms.root)};
}

[[noreturn]] void disagree(const NcclCall& mine, int rank, const Terms& theirs, int other) {
  throw Mismatch("rank " + std::to_string(rank) + " calls " + mine.words() + ", rank " +
                 std::to_string(other) + " " + call_of(theirs).words());
}

/// The messages with one peer in one direction, one after the other: both sides tell their terms,
/// then come the bytes, then the receiver's word that it has them.
class Conversation {
 public:
  Conversation(Communicator& senders, Communicator& receivers, int peer, bool sends)
      : senders_(senders), receivers_(receivers), peer_(peer), sends_(sends) {}

  void add(Transfer& message) { messages_.push_back(&message); }
  bool is_over() const { return messages_.empty(); }

  /// Whether it moved.
  bool advance() {
    for (const auto& call : calls_)
      if (!call->done()) return false;
    calls_.clear();
    if (stage_ == Stage::kTerms) {
      tell_terms();
    } else if (stage_ == Stage::kBytes) {
      if (mine_.count != theirs_.count || mine_.type != theirs_.type)
        disagree(messages_.front()->call(), senders_.rank(), theirs_, peer_);
      send_bytes();
    } else if (stage_ == Stage::kReceipt) {
      send_receipt();
    } else {
      messages_.pop_front();
    }
    stage_ = static_cast<Stage>((static_cast<int>(stage_) + 1) % 4);
    return true;
  }

 private:
  enum class Stage { kTerms, kBytes, kReceipt, kEnd };

  void send(Communicator& by, const void* data, std::int64_t bytes) {
    calls_.push_back(by.start_send(data, bytes, Element::kByte, peer_));
  }
  void receive(Communicator& by, void* data, std::int64_t bytes) {
    calls_.push_back(by.start_receive(data, bytes, Element::kByte, peer_));
  }
  void tell_terms() {
    mine_ = terms_of(messages_.front()->call());
    send(sends_ ? senders_ : receivers_, &mine_, sizeof mine_);
    receive(sends_ ? receivers_ : senders_, &theirs_, sizeof theirs_);
  }
  void send_bytes() {
    Transfer& message = *messages_.front();
    const std::int64_t bytes = mine_.count * bytes_of(element_of(message.call().type));
    if (sends_)
      send(senders_, message.in(), bytes);
    else
      receive(senders_, message.out(), bytes);
  }
  void send_receipt() {
    if (sends_)
      receive(receivers_, &receipt_, sizeof receipt_);
    else
      send(receivers_, &receipt_, sizeof receipt_);
  }

  Communicator &senders_, &receivers_;
  int peer_;
  bool sends_;
  std::deque<Transfer*> messages_;
  Stage stage_ = Stage::kTerms;
  Terms mine_{}, theirs_{};
  char receipt_ = 0;
  std::vector<std::unique_ptr<Pending>> calls_;  ///< under way
};

/// A rank's messages to itself: what is sent first is received first.
void deliver(const std::vector<Transfer*>& sent, const std::vector<Transfer*>& received, int rank) {
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const NcclCall &from = sent[i]->call(), &to = received[i]->call();
    if (from.count != to.count || from.type != to.type) disagree(from, rank, terms_of(to), rank);
    std::copy_n(sent[i]->in(), from.in_bytes(rank, 0), received[i]->out());
  }
}

}  // namespace

Element element_of(ncclDataType_t type) {
  switch (type) {
    case ncclUint8:
      return Element::kByte;
    case ncclFloat16:
      return Element::kHalf;
    case ncclFloat32:
      return Element::kFloat;
    case ncclFloat64:
      return Element::kDouble;
    case ncclBfloat16:
      return Element::kBFloat16;
  }
  return Element::kByte;
}

std::int64_t NcclCall::in_bytes(int rank, int size) const {
  const std::int64_t part = count * bytes_of(element_of(type));
  if (operation == Operation::kReduceScatter) return part * size;
  if (operation == Operation::kRecv) return 0;
  return operation == Operation::kBroadcast && rank != peer ? 0 : part;
}

std::int64_t NcclCall::out_bytes(int rank, int size) const {
  const std::int64_t part = count * bytes_of(element_of(type));
  if (operation == Operation::kAllGather) return part * size;
  if (operation == Operation::kSend) return 0;
  return operation == Operation::kReduce && rank != peer ? 0 : part;
}

std::string NcclCall::words() const {
  std::string text =
      std::string(name_of(operation)) + " of " + std::to_string(count) + " " + name_of(type);
  const bool reduces = operation == Operation::kAllReduce || operation == Operation::kReduce ||
                       operation == Operation::kReduceScatter;
  if (reduces) text += op == ncclSum ? " (ncclSum)" : " (ncclMax)";
  const bool has_root = operation == Operation::kBroadcast || operation == Operation::kReduce;
  if (has_root) text += " with root " + std::to_string(peer);
  return text;
}

Transfer::Transfer(const NcclCall& call, int rank, int size)
    : call_(call),
      in_(static_cast<std::size_t>(call.in_bytes(rank, size))),
      out_(static_cast<std::size_t>(call.out_bytes(rank, size))) {}

void Transfer::read() {
  if (!in_.empty()) std::memcpy(in_.data(), call_.in, in_.size());
}

/// In place this is the input's memory, too.
void Transfer::poison() {
  if (!out_.empty()) std::memset(call_.out, static_cast<int>(kPoison), out_.size());
  const auto* in = static_cast<const std::byte*>(call_.in);
  left_in_.assign(in, in + in_.size());
  left_out_.assign(out_.size(), kPoison);
}

void Transfer::land() {
  if (!in_.empty() && std::memcmp(call_.in, left_in_.data(), in_.size()) != 0)
    throw Fault(call_.words() + " was under way when its input was written to");
  if (out_.empty()) return;
  if (std::memcmp(call_.out, left_out_.data(), out_.size()) != 0)
    throw Fault(call_.words() + " was under way when the memory of its result was written to");
  std::memcpy(call_.out, out_.data(), out_.size());
}

NcclRanks::NcclRanks(std::unique_ptr<Communicator> all)
    : all_(std::move(all)), senders_(all_->split(0)), receivers_(all_->split(0)) {}

void NcclRanks::perform(Transfers& transfers) {
  for (auto& transfer : transfers)
    if (!transfer.call().is_message()) collective(transfer);
  messages(transfers);
}

/// Begins when all ranks have called it.
void NcclRanks::must_agree(const NcclCall& call) {
  const Terms mine = terms_of(call);
  std::vector<Terms> all(static_cast<std::size_t>(all_->size()));
  all_->all_gather(&mine, all.data(), sizeof mine, Element::kByte);
  for (int rank = 0; rank < all_->size(); ++rank)
    if (const Terms& theirs = all[static_cast<std::size_t>(rank)]; theirs != mine)
      disagree(call, all_->rank(), theirs, rank);
}

void NcclRanks::collective(Transfer& transfer) {
  const NcclCall& call = transfer.call();
  must_agree(call);
  const Element element = element_of(call.type);
  const std::byte* in = transfer.in();
  std::byte* out = transfer.out();
  switch (call.operation) {
    case Operation::kAllReduce:
      return all_->all_reduce(in, out, call.count, element,
                              call.op == ncclMax ? Reduction::kMax : Reduction::kSum);
    case Operation::kAllGather:
      return all_->all_gather(in, out, call.count, element);
    case Operation::kReduceScatter:
      return all_->reduce_scatter(in, out, call.count, element);
    case Operation::kReduce:
      return all_->reduce(in, out, call.count, element, call.peer);
    case Operation::kBroadcast:
      if (all_->rank() == call.peer) std::copy_n(in, call.count * bytes_of(element), out);
      return all_->broadcast(out, call.count, element, call.peer);
    default:
      return;
  }
}

void NcclRanks::messages(Transfers& transfers) {
  std::map<std::pair<int, bool>, Conversation> conversations;
  std::vector<Transfer*> sent, received;  // to and from this rank itself
  for (auto& transfer : transfers) {
    const NcclCall& call = transfer.call();
    if (!call.is_message()) continue;
    const bool sends = call.operation == Operation::kSend;
    if (call.peer == all_->rank())
      (sends ? sent : received).push_back(&transfer);
    else
      conversations.try_emplace({call.peer, sends}, *senders_, *receivers_, call.peer, sends)
          .first->second.add(transfer);
  }
  deliver(sent, received, all_->rank());
  std::chrono::microseconds nap{20};
  while (!conversations.empty()) {
    bool moved = false;
    for (auto& [name, one] : conversations) moved = one.advance() || moved;
    std::erase_if(conversations, [](const auto& one) { return one.second.is_over(); });
    nap = moved ? std::chrono::microseconds{20} : std::min(2 * nap, std::chrono::microseconds{500});
    if (!moved) std::this_thread::sleep_for(nap);
  }
}

}  // namespace emulator
