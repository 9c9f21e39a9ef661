// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/transfers.h"

#include <cstring>
#include <string>

#include "probes/comm/host/combine.h"
#include "probes/comm/host/mesh.h"
#include "probes/common/error.h"

namespace pippin::probes {

HostTransfers::HostTransfers(MessageName name, const std::vector<int>& members, Element element,
                             Reduction reduction)
    : name_(name), members_(members), element_(element), reduction_(reduction) {}

Message& HostTransfers::add(Move::Kind kind, int peer, std::int64_t count) {
  if (peer < 0 || peer >= static_cast<int>(members_.size()))
    throw Error(ExitCode::kMachine, "there is no rank " + std::to_string(peer) + " in a group of " +
                                        std::to_string(members_.size()));
  moves_.push_back({kind, step_, {}});
  Message& message = moves_.back().message;
  message.name = name_;
  message.peer = members_[static_cast<std::size_t>(peer)];
  message.bytes = count * bytes_of(element_);
  message.element = element_;
  message.reduction = reduction_;
  message.open = &open_;
  return message;
}

void HostTransfers::send(int to, const std::byte* from, std::int64_t count) {
  if (count > 0) add(Move::Kind::kSend, to, count).from = from;
}

void HostTransfers::receive(int from, std::byte* to, std::int64_t count) {
  if (count > 0) add(Move::Kind::kReceive, from, count).to = to;
}

void HostTransfers::receive_and_combine(int from, const std::byte* with, std::byte* to,
                                        std::int64_t count, bool arrived_first) {
  if (count == 0) return;
  Message& message = add(Move::Kind::kReceive, from, count);
  message.with = with;
  message.to = to;
  message.arrived_first = arrived_first;
}

void HostTransfers::copy(const std::byte* from, std::byte* to, std::int64_t count) {
  if (count == 0 || from == to) return;
  Message& message = add(Move::Kind::kCopy, 0, count);
  message.from = from;
  message.to = to;
}

void HostTransfers::combine(const std::byte* first, const std::byte* second, std::byte* to,
                            std::int64_t count) {
  if (count == 0) return;
  Message& message = add(Move::Kind::kCombine, 0, count);
  message.from = first;
  message.with = second;
  message.to = to;
}

void HostTransfers::then() { ++step_; }

std::byte* HostTransfers::scratch(std::int64_t count) {
  const auto bytes = static_cast<std::size_t>(count * bytes_of(element_));
  scratch_.push_back(std::unique_ptr<std::byte[]>(new std::byte[bytes]));
  return scratch_.back().get();
}

bool HostTransfers::advance(Mesh& mesh) {
  const std::size_t before = next_;
  while (open_ == 0 && next_ < moves_.size()) {
    const std::size_t begin_of_step = next_;
    const std::int64_t step = moves_[next_].step;
    for (; next_ < moves_.size() && moves_[next_].step == step; ++next_)
      if (moves_[next_].kind <= Move::Kind::kReceive) ++open_;
    for (std::size_t i = begin_of_step; i < next_; ++i) begin(moves_[i], mesh);
  }
  return next_ > before;
}

void HostTransfers::begin(Move& move, Mesh& mesh) {
  Message& message = move.message;
  switch (move.kind) {
    case Move::Kind::kSend:
      return mesh.send(message);
    case Move::Kind::kReceive:
      return mesh.receive(message);
    case Move::Kind::kCopy:
      std::memcpy(message.to, message.from, static_cast<std::size_t>(message.bytes));
      return;
    case Move::Kind::kCombine:
      return probes::combine(element_, reduction_, message.from, message.with, message.to,
                             message.bytes / bytes_of(element_));
  }
}

}  // namespace pippin::probes
