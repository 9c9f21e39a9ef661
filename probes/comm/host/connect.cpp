// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/connect.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/resource.h>
#include <utility>

#include "probes/comm/host/shared_link.h"
#include "probes/comm/host/tcp_link.h"
#include "probes/common/clock.h"
#include "probes/common/error.h"

namespace pippin::probes {

namespace {

/// What a connection says first.
struct Hello {
  std::uint64_t password;
  std::int64_t rank;
};

/// Every rank is a connection: more than the 1024 files that a process usually begins with.
void allow_many_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

class Connector {
 public:
  Connector(Roster roster, double patience)
      : roster_(std::move(roster)), patience_(patience), links_(roster_.peers.size()) {}

  std::vector<std::unique_ptr<Link>> run() {
    const auto own = static_cast<std::size_t>(roster_.rank);
    links_[own] = make_own_link();
    for (std::size_t rank = 0; rank < own; ++rank) links_[rank] = reach(rank);
    const double end = now_seconds() + patience_;
    while (std::any_of(links_.begin(), links_.end(), [](const auto& link) { return !link; }))
      let_in(end - now_seconds());
    return std::move(links_);
  }

 private:
  bool shares_node(std::size_t rank) const {
    return roster_.peers[rank].node == roster_.peers[static_cast<std::size_t>(roster_.rank)].node;
  }

  /// Ranks before this one listen already: they need not have come so far.
  std::unique_ptr<Link> reach(std::size_t rank) const {
    const Peer& peer = roster_.peers[rank];
    Socket socket = shares_node(rank) ? connect_locally(local_name(peer.port))
                                      : connect_to(peer.host, peer.port, patience_);
    const Hello hello{roster_.password, roster_.rank};
    if (!socket.send(&hello, sizeof hello))
      throw Error(ExitCode::kLostRank, "rank " + std::to_string(rank) + " left before all had met");
    return shares_node(rank) ? offer_shared_link(std::move(socket))
                             : make_tcp_link(std::move(socket));
  }

  void let_in(double seconds) {
    pollfd doors[2] = {{roster_.listening.descriptor(), POLLIN, 0},
                       {roster_.listening_locally.descriptor(), POLLIN, 0}};
    const int ready = ::poll(doors, 2, std::max(0, static_cast<int>(1000 * seconds)));
    if (ready == 0) give_up();
    if (doors[0].revents != 0) greet(accept_from(roster_.listening), false);
    if (doors[1].revents != 0) greet(accept_from(roster_.listening_locally), true);
  }

  /// Whoever is no rank of this run is sent away.
  void greet(Socket socket, bool local) {
    Hello hello{};
    give_up_after(socket, 5);
    if (!socket.receive(&hello, sizeof hello) || hello.password != roster_.password) return;
    const auto rank = static_cast<std::size_t>(hello.rank);
    if (rank >= links_.size() || links_[rank]) return;
    links_[rank] = local ? accept_shared_link(std::move(socket)) : make_tcp_link(std::move(socket));
  }

  [[noreturn]] void give_up() const {
    std::vector<int> absent;
    for (std::size_t rank = 0; rank < links_.size(); ++rank)
      if (!links_[rank]) absent.push_back(static_cast<int>(rank));
    throw Error(ExitCode::kMachine, words_of_ranks(absent) + " did not connect to rank " +
                                        std::to_string(roster_.rank) +
                                        "; does a firewall stand between the nodes?");
  }

  Roster roster_;
  double patience_;
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace

std::vector<std::unique_ptr<Link>> connect_all(Roster roster, double patience) {
  allow_many_files();
  return Connector(std::move(roster), patience).run();
}

}  // namespace pippin::probes
