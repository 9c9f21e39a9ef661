// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/watch.h"

#include <algorithm>
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
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

enum class Word : char {
  kGoodbye = 'g',  ///< the rank is done
  kError = 'e',    ///< it ends with words of its own
  kHere = 'h',     ///< it lives
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

using SteadyClock = std::chrono::steady_clock;

/// How often ranks say that they live: often enough for `patience`, seldom enough to be no load.
std::chrono::milliseconds between_signs(std::chrono::milliseconds patience) {
  return std::clamp<std::chrono::milliseconds>(patience / 5, std::chrono::milliseconds(1),
                                               std::chrono::seconds(15));
}

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
    (void)!::write(wake_[1], &kLeaves, 1);
    thread_.join();
    ::close(wake_[0]);
    ::close(wake_[1]);
  }

  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  void limit_silence(std::chrono::milliseconds patience) {
    patience_ = patience;
    (void)!::write(wake_[1], "p", 1);
  }

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
    while (::poll(open.data(), open.size(), until_next_sign()) >= 0 || errno == EINTR) {
      if (open[0].revents != 0 && is_leaving()) return;
      open[0].revents = 0;
      for (std::size_t i = 1; i < open.size(); ++i) {
        if (open[i].revents != 0 && !hear(ranks[i])) open[i].fd = -1;  // nothing more comes
        open[i].revents = 0;
      }
      look_for_silence(open, ranks);
    }
  }

  bool is_leaving() {
    char why = kLeaves;
    return ::read(wake_[0], &why, 1) != 1 || why == kLeaves;
  }

  /// For poll(), in milliseconds.
  int until_next_sign() const {
    const std::chrono::milliseconds patience = patience_;
    return patience.count() == 0 ? -1 : static_cast<int>(between_signs(patience).count());
  }

  /// Says that this rank lives, and ends all where another has not for too long.
  void look_for_silence(const std::vector<pollfd>& open, const std::vector<int>& ranks) {
    const std::chrono::milliseconds patience = patience_;
    const auto now = SteadyClock::now();
    const auto between = between_signs(patience);
    if (patience.count() == 0 || now < last_sign_ + between) return;
    // This rank was stopped itself, as all may have been, or has only begun to look.
    if (now > last_sign_ + 2 * between) std::fill(heard_.begin(), heard_.end(), now);
    last_sign_ = now;
    for (std::size_t i = 1; i < open.size(); ++i) {
      if (open[i].fd < 0) continue;
      const auto peer = static_cast<std::size_t>(ranks[i]);
      const LastWord here{Word::kHere};
      if (leaving_.load().word != Word::kError) (void)peers_[peer].send(&here, sizeof here);
      if (now > heard_[peer] + patience) miss(ranks[i], patience);
    }
  }

  /// A word of a rank. True where more may come, false where it left in peace.
  bool hear(int rank) {
    LastWord last;
    const Socket& peer = peers_[static_cast<std::size_t>(rank)];
    if (!peer.receive(&last, sizeof last)) lose(rank, "died: its connection broke");
    heard_[static_cast<std::size_t>(rank)] = SteadyClock::now();
    if (last.word == Word::kHere) return true;
    if (last.word == Word::kGoodbye) return false;
    if (rank_ == 0) tell_all(last);
    if (last.word == Word::kLost) end(ExitCode::kLostRank);
    const auto code = static_cast<ExitCode>(last.code);
    // Its words are out when its connection closes; 5 s of silence will do, too. More may come
    // before: of other ranks in error.
    while (peer.receive(&last, sizeof last)) continue;
    end(code);
  }

  [[noreturn]] void miss(int rank, std::chrono::milliseconds patience) {
    lose(rank, text("died or is stopped: no sign of life for %.3g s",
                    std::chrono::duration<double>(patience).count()));
  }

  [[noreturn]] void lose(int rank, const std::string& how) {
    // Where the first rank died every other sees it: the second has the word, or who outlives it.
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200 * (rank_ - 1)));
    std::fprintf(stderr, "%s: rank %d on %s %s; the launcher's or the node's log may say why\n",
                 program_.c_str(), rank, nodes_.name_of(rank).c_str(), how.c_str());
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
  std::atomic<std::chrono::milliseconds> patience_ = std::chrono::milliseconds(0);  ///< 0: any
  SteadyClock::time_point last_sign_ = {};       ///< of this rank's
  std::vector<SteadyClock::time_point> heard_ =  ///< … and of each peer's
      std::vector<SteadyClock::time_point>(peers_.size());
  static constexpr char kLeaves = 'x';
  int wake_[2] = {-1, -1};
  std::thread thread_;
};

Watch::Watch(const std::string& program, Communicator& world, const Nodes& nodes)
    : post_(world.size() > 1 ? std::make_unique<Post>(program, world, nodes) : nullptr) {}

Watch::~Watch() = default;

void Watch::limit_silence(std::chrono::milliseconds patience) {
  if (post_) post_->limit_silence(patience);
}

void Watch::leave_in_error(ExitCode code) {
  if (post_) post_->leave_in_error(code);
}

}  // namespace pippin::probes
