// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "probes/comm/host/message.h"

namespace pippin::probes {

class Mesh;

/// What one rank does in a call: steps of moves, of which a step begins when the one before it is
/// through. All moves of a step are under way together. Ranks in the constructor's `members` order.
class HostTransfers {
 public:
  HostTransfers(MessageName name, const std::vector<int>& members, Element element,
                Reduction reduction = Reduction::kSum);
  HostTransfers(const HostTransfers&) = delete;
  HostTransfers& operator=(const HostTransfers&) = delete;

  // Counts are elements; of 0 nothing is done, on either side.
  void send(int to, const std::byte* from, std::int64_t count);
  void receive(int from, std::byte* to, std::int64_t count);
  /// to = with (sum or max) what arrives; in that order, or the other.
  void receive_and_combine(int from, const std::byte* with, std::byte* to, std::int64_t count,
                           bool arrived_first = false);
  /// At the beginning of the step, before its messages.
  void copy(const std::byte* from, std::byte* to, std::int64_t count);
  void combine(const std::byte* first, const std::byte* second, std::byte* to, std::int64_t count);
  /// What follows waits until what is planned is through.
  void then();

  /// Memory that lives as long as the transfers.
  std::byte* scratch(std::int64_t count);

  /// Begins every step that can begin; returns whether there was one.
  bool advance(Mesh& mesh);
  bool is_done() const { return open_ == 0 && next_ == moves_.size(); }

 private:
  struct Move {
    enum class Kind { kSend, kReceive, kCombine, kCopy } kind;
    std::int64_t step;
    Message message;
  };
  Message& add(Move::Kind kind, int peer, std::int64_t count);
  void begin(Move& move, Mesh& mesh);

  MessageName name_;
  const std::vector<int>& members_;
  Element element_;
  Reduction reduction_;
  std::int64_t step_ = 0;
  std::vector<Move> moves_;
  std::vector<std::unique_ptr<std::byte[]>> scratch_;
  std::size_t next_ = 0;  ///< the move that has not begun
  int open_ = 0;          ///< messages of the step that are under way
};

}  // namespace pippin::probes
