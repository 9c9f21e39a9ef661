#include "probes/comm/watch.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <random>
#include <thread>
#include <unistd.h>
#include <vector>

#include "probes/comm/socket.h"
#include "probes/common/error.h"

namespace pippin::probes {

namespace {

enum class Word : char {
  kGoodbye = 'g',  ///< the rank is done
  kError = 'e',    ///< it ends with words of its own
  kLost = 'l',     ///< from the first rank: another died, which it has said
};

/// Two bytes say it all.
struct LastWord {
  Word word = Word::kGoodbye;
  unsigned char code = 0;  ///< the rank's exit code, of an error
};

/// Where the first rank is, and what proves that a connection belongs to this run.
struct Meeting {
  char host[256];
  std::uint16_t port;
  std::uint64_t password;
};

struct Hello {
  std::uint64_t password;
  std::int64_t rank;
};

constexpr double kPatience = 20;  ///< seconds for a rank to come

}  // namespace

/// The connections of one rank and the thread that listens to them.
class Watch::Post {
 public:
  Post(const std::string& program, Communicator& world, const Nodes& nodes)
      : program_(program),
        nodes_(nodes),
        rank_(world.rank()),
        peers_(static_cast<std::size_t>(rank_ == 0 ? world.size() : 1)) {
    if (rank_ == 0)
      host_meeting(world);
    else
      come(world);
    for (const auto& peer : peers_)
      if (peer) notice_silence(peer);
    if (::pipe(wake_) != 0) throw Error(ExitCode::kMachine, "cannot make a pipe");
    thread_ = std::thread([this] { listen(); });
  }

  ~Post() {
    tell_all(leaving_);
    (void)!::write(wake_[1], "x", 1);
    thread_.join();
    ::close(wake_[0]);
    ::close(wake_[1]);
  }

  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  void leave_in_error(ExitCode code) {
    leaving_ = {Word::kError, static_cast<unsigned char>(code)};
    tell_all(leaving_);
  }

 private:
  void host_meeting(Communicator& world) {
    Meeting meeting{};
    const Socket listening = listen_anywhere(meeting.port);
    ::gethostname(meeting.host, sizeof meeting.host - 1);
    std::random_device random;
    meeting.password = (std::uint64_t{random()} << 32) | random();
    world.broadcast(&meeting, sizeof meeting, Element::kByte, 0);
    for (int missing = world.size() - 1; missing > 0;) {
      pollfd ready{listening.descriptor(), POLLIN, 0};
      if (::poll(&ready, 1, static_cast<int>(kPatience * 1000)) <= 0)
        return remark(std::to_string(missing) + " ranks do not reach " + meeting.host);
      Socket socket = accept_from(listening);
      Hello hello{};
      notice_silence(socket);
      if (!socket.receive(&hello, sizeof hello) || hello.password != meeting.password) continue;
      if (hello.rank < 1 || hello.rank >= world.size()) continue;
      peers_[static_cast<std::size_t>(hello.rank)] = std::move(socket);
      --missing;
    }
  }

  /// Where TCP is not let through the run goes on; only the death of a rank may then go unnoticed.
  void remark(const std::string& what) const {
    std::fprintf(stderr, "%s: not every rank is watched: %s\n", program_.c_str(), what.c_str());
  }

  void come(Communicator& world) {
    Meeting meeting{};
    world.broadcast(&meeting, sizeof meeting, Element::kByte, 0);
    const auto here = static_cast<std::size_t>(rank_);
    const bool same_node = nodes_.of_rank[here] == nodes_.of_rank[0];
    const Hello hello{meeting.password, rank_};
    try {
      peers_[0] = connect_to(same_node ? "127.0.0.1" : meeting.host, meeting.port, kPatience / 2);
      (void)peers_[0].send(&hello, sizeof hello);
    } catch (const Error& error) {
      remark(error.what());
    }
  }

  void tell_all(LastWord last) {
    for (const auto& peer : peers_)
      if (peer) peer.send(&last, sizeof last);
  }

  /// Until this rank is done, or for ever with whoever is lost.
  void listen() {
    std::vector<pollfd> open = {{wake_[0], POLLIN, 0}};
    std::vector<int> ranks = {-1};
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (!peers_[i]) continue;
      open.push_back({peers_[i].descriptor(), POLLIN, 0});
      ranks.push_back(static_cast<int>(i));
    }
    while (::poll(open.data(), open.size(), -1) >= 0 || errno == EINTR) {
      if (open[0].revents != 0) return;
      for (std::size_t i = 1; i < open.size(); ++i) {
        if (open[i].revents == 0) continue;
        hear(ranks[i]);
        open[i].fd = -1;  // nothing more comes from there
        open[i].revents = 0;
      }
    }
  }

  /// The last word of a rank. Returns where it left in peace.
  void hear(int rank) {
    LastWord last;
    const Socket& peer = peers_[static_cast<std::size_t>(rank)];
    if (!peer.receive(&last, sizeof last)) return lose(rank);
    if (last.word == Word::kGoodbye) return;
    if (rank_ == 0) tell_all(last);
    if (last.word == Word::kLost) end(ExitCode::kLostRank);
    const auto code = static_cast<ExitCode>(last.code);
    // Its words are out when its connection closes; 5 s of silence will do, too. More may come
    // before: of other ranks in error.
    while (peer.receive(&last, sizeof last)) continue;
    end(code);
  }

  void lose(int rank) {
    // Where the first rank died every other sees it: the second has the word, or who outlives it.
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200 * (rank_ - 1)));
    std::fprintf(stderr,
                 "%s: rank %d on %s died: its connection broke; the launcher's or the node's log "
                 "may say why\n",
                 program_.c_str(), rank, nodes_.name_of(rank).c_str());
    std::fflush(stderr);
    if (rank_ == 0) tell_all({Word::kLost});
    end(ExitCode::kLostRank);
  }

  /// Without destructors: the main thread may hang in a call that will never return.
  [[noreturn]] static void end(ExitCode code) { std::_Exit(static_cast<int>(code)); }

  std::string program_;
  Nodes nodes_;
  int rank_;
  std::vector<Socket> peers_;  ///< of the first rank by rank, of another the first alone
  std::atomic<LastWord> leaving_ = LastWord{};
  int wake_[2] = {-1, -1};
  std::thread thread_;
};

Watch::Watch(const std::string& program, Communicator& world, const Nodes& nodes)
    : post_(world.size() > 1 ? std::make_unique<Post>(program, world, nodes) : nullptr) {}

Watch::~Watch() = default;

void Watch::leave_in_error(ExitCode code) {
  if (post_) post_->leave_in_error(code);
}

}  // namespace pippin::probes
