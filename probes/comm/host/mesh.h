// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "probes/comm/host/link.h"
#include "probes/comm/host/mailbox.h"
#include "probes/comm/host/message.h"
#include "probes/comm/host/transfers.h"
#include "probes/comm/socket.h"

namespace pippin::probes {

/// The links of this process to all ranks, and the calls of all its groups that are under way.
/// Whoever waits for one call moves all of them on, so that no order of waiting can block. One
/// thread at a time.
class Mesh {
 public:
  /// Takes a link to every rank, this one among them.
  Mesh(std::vector<std::unique_ptr<Link>> links, int rank);
  /// Stays until every rank is here, or an error is on its way out.
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(boxes_.size()); }

  /// Begins a call; the transfers is done when it says so, and must live until forget().
  void start(HostTransfers& transfers);
  void forget(const HostTransfers& transfers);
  // Errors of both: Error (lost rank) where one is gone; Error (machine) of what it sends.
  /// Moves all calls on; returns whether anything moved.
  bool work();
  /// … until that one is done, and forgets it.
  void wait(const HostTransfers& transfers);

  // For plans: their messages.
  void send(Message& message) { box(message.peer).send(message); }
  void receive(Message& message) { box(message.peer).receive(message); }

  /// A number that no group which this process knows has.
  std::uint64_t next_group() const { return next_group_; }
  void take_group(std::uint64_t group) { next_group_ = group + 1; }

 private:
  Mailbox& box(int rank) { return *boxes_[static_cast<std::size_t>(rank)]; }
  bool work_boxes();
  bool hear(int milliseconds);
  bool sleep();
  bool idle(double seconds);
  void watch_for_room(int rank, bool wanted);
  void lose(int rank);
  void leave();

  int rank_;
  std::vector<std::unique_ptr<Mailbox>> boxes_;  ///< by rank
  std::vector<int> in_memory_, streams_;         ///< the ranks whose links are that
  Socket events_;                                ///< an epoll instance over all descriptors
  std::vector<bool> gone_;                       ///< by rank
  int lost_ = -1;                                ///< a rank that is gone without a goodbye
  std::vector<HostTransfers*> calls_;            ///< under way
  std::uint64_t next_group_ = 1;
  double spin_seconds_;
};

}  // namespace pippin::probes
