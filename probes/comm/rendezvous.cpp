// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/rendezvous.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <memory>
#include <poll.h>
#include <random>
#include <thread>
#include <unistd.h>
#include <utility>

#include "probes/comm/rendezvous_file.h"
#include "probes/common/clock.h"
#include "probes/common/environment.h"
#include "probes/common/error.h"
#include "probes/common/text.h"

namespace pippin::probes {

namespace {

constexpr char kMagic[8] = {'p', 'r', 'o', 'b', 'e', 's', '1', '\n'};
constexpr double kAnswerSeconds = 5;  ///< for a first rank to say that it is one

/// What a rank says first.
struct Hello {
  char magic[8];
  std::uint64_t password;  ///< from the file; 0 at a port
  std::int64_t rank, world;
  std::uint16_t port;
  char run[102];  ///< the launcher's name for the run
  char host[128], node[256];
};

enum class Verdict : std::int64_t {
  kHeard,    ///< wait for the others
  kAllCome,  ///< the password, then every rank follow
  kRefused,  ///< for the reason that follows
  kFailed,   ///< not this rank's fault; the first rank has said it
};

/// What the first rank answers.
struct Answer {
  char magic[8];
  Verdict verdict;
  std::uint64_t password;
  char reason[256];
};

struct Seat {
  std::uint16_t port;
  char host[62], node[256];
};

template <std::size_t N>
void put(char (&to)[N], const std::string& word) {
  to[word.copy(to, N - 1)] = '\0';
}

template <typename T>
bool has_magic(const T& message) {
  return std::memcmp(message.magic, kMagic, sizeof kMagic) == 0;
}

Answer answer_of(Verdict verdict, const std::string& reason = "") {
  Answer answer{};
  std::memcpy(answer.magic, kMagic, sizeof kMagic);
  answer.verdict = verdict;
  put(answer.reason, reason);
  return answer;
}

void say(const Socket& socket, const Answer& answer) { (void)socket.send(&answer, sizeof answer); }

std::uint64_t new_password() {
  std::random_device random;
  return ((std::uint64_t{random()} << 32) | random()) | 1;  // 0 is none
}

std::string host_name() {
  char host[128] = "";
  ::gethostname(host, sizeof host - 1);
  return host;
}

/// Two jobs that meet at one place by mistake differ in it.
std::string run_name() {
  return environment("SLURM_JOB_ID") + "." + environment("SLURM_STEP_ID") + "." +
         environment("TORCHELASTIC_RUN_ID");
}

Hello hello_of(const Newcomer& self, std::uint64_t password, std::uint16_t port) {
  Hello hello{};
  std::memcpy(hello.magic, kMagic, sizeof kMagic);
  hello.password = password;
  hello.rank = self.rank;
  hello.world = self.world;
  hello.port = port;
  put(hello.run, run_name());
  put(hello.host, host_name());
  put(hello.node, self.node);
  return hello;
}

/// "60 s" or "0.5 s".
std::string words_of(double seconds) { return text("%g s", seconds); }

/// Before the others can know of them.
void open_doors(Roster& roster, std::uint16_t& port) {
  roster.listening = listen_anywhere(port);
  roster.listening_locally = listen_locally(local_name(port));
}

/// The first rank while the others come.
class Host {
 public:
  Host(const MeetingPlace& place, const Newcomer& self, double patience)
      : place_(place.name()),
        patience_(patience),
        hellos_(static_cast<std::size_t>(self.world)),
        guests_(static_cast<std::size_t>(self.world)),
        missing_(self.world - 1) {
    std::uint64_t password = 0;
    if (place.file.empty()) {
      listening_ = listen_on(place.port);
    } else {
      std::uint16_t port = 0;
      listening_ = listen_anywhere(port);
      password = new_password();
      rendezvous_file_ = std::make_unique<RendezvousFile>(
          place.file, RendezvousEntry{host_name(), port, password});
    }
    open_doors(roster_, own_port_);
    hellos_[0] = hello_of(self, password, own_port_);
  }

  Roster run() {
    const double end = now_seconds() + patience_;
    while (missing_ > 0) {
      const double left = end - now_seconds();
      if (left <= 0)
        give_up(words_of_ranks(absent()) + " did not come to " + place_ + " within " +
                words_of(patience_) + ": were all launched, and can they reach it?");
      wait(left);
    }
    return send_home();
  }

 private:
  std::vector<int> absent() const {
    std::vector<int> ranks;
    for (std::size_t rank = 1; rank < guests_.size(); ++rank)
      if (!guests_[rank]) ranks.push_back(static_cast<int>(rank));
    return ranks;
  }

  /// Until somebody comes, speaks or leaves, or the time is over.
  void wait(double seconds) {
    std::vector<pollfd> watched = {{listening_.descriptor(), POLLIN, 0}};
    for (const auto& stranger : strangers_) watched.push_back({stranger.descriptor(), POLLIN, 0});
    const std::size_t first_guest = watched.size();
    for (const auto& guest : guests_) watched.push_back({guest.descriptor(), POLLIN, 0});
    if (::poll(watched.data(), watched.size(), static_cast<int>(1000 * seconds) + 1) <= 0) return;
    for (std::size_t i = first_guest; i < watched.size(); ++i)
      if (watched[i].revents != 0) lose(static_cast<int>(i - first_guest));
    for (std::size_t i = first_guest - 1; i > 0; --i)
      if (watched[i].revents != 0) hear(i - 1);
    if (watched[0].revents != 0) strangers_.push_back(accept_from(listening_));
  }

  /// Whoever is no rank of this run is sent away without a word.
  void hear(std::size_t index) {
    const Socket socket = std::exchange(strangers_[index], Socket());
    strangers_.erase(strangers_.begin() + static_cast<std::ptrdiff_t>(index));
    Hello hello{};
    give_up_after(socket, 1);
    if (!socket.receive(&hello, sizeof hello) || !has_magic(hello)) return;
    for (char* last : {std::end(hello.run), std::end(hello.host), std::end(hello.node)})
      last[-1] = '\0';
    if (hello.password != hellos_[0].password || std::strcmp(hello.run, hellos_[0].run) != 0)
      return;
    welcome(hello, socket);
  }

  void welcome(const Hello& hello, const Socket& socket) {
    const std::int64_t world = hellos_[0].world;
    const std::string who = "rank " + std::to_string(hello.rank) + " on " + hello.host;
    const std::string remedy = "; each process needs a RANK of its own, all the same WORLD_SIZE";
    if (hello.world != world)
      refuse(socket, who + " was launched as one of " + std::to_string(hello.world) +
                         " processes, rank 0 on " + hellos_[0].host + " as one of " +
                         std::to_string(world) + remedy);
    if (hello.rank < 0 || hello.rank >= world)
      refuse(socket, who + " is none of 0 to " + std::to_string(world - 1) + remedy);
    const auto seat = static_cast<std::size_t>(hello.rank);
    if (seat == 0 || guests_[seat])
      refuse(socket,
             who + " is a second one: another on " + hellos_[seat].host + " came before" + remedy);
    say(socket, answer_of(Verdict::kHeard));
    hellos_[seat] = hello;
    guests_[seat] = Socket(::dup(socket.descriptor()));
    --missing_;
  }

  [[noreturn]] void refuse(const Socket& socket, const std::string& reason) {
    say(socket, answer_of(Verdict::kRefused, reason));
    tell_all(answer_of(Verdict::kFailed));
    bad_input(reason);
  }

  [[noreturn]] void give_up(const std::string& reason) {
    tell_all(answer_of(Verdict::kFailed));
    throw Error(ExitCode::kMachine, reason);
  }

  [[noreturn]] void lose(int rank) {
    guests_[static_cast<std::size_t>(rank)] = Socket();
    give_up("rank " + std::to_string(rank) + " on " + hellos_[static_cast<std::size_t>(rank)].host +
            " left before all had come; its own words may say why");
  }

  void tell_all(const Answer& answer) const {
    for (const auto& guest : guests_)
      if (guest) say(guest, answer);
  }

  /// A guest from this machine has an address that only this machine knows: an empty host stands
  /// for the one that the first rank was reached at.
  Seat seat_of(std::size_t rank) const {
    Seat seat{};
    seat.port = hellos_[rank].port;
    put(seat.node, hellos_[rank].node);
    if (!guests_[rank]) return seat;
    const std::string address = address_of_other(guests_[rank]);
    if (address.rfind("127.", 0) != 0) put(seat.host, address);
    return seat;
  }

  Roster send_home() {
    std::vector<Seat> seats;
    for (std::size_t rank = 0; rank < hellos_.size(); ++rank) seats.push_back(seat_of(rank));
    Answer answer = answer_of(Verdict::kAllCome);
    answer.password = roster_.password = new_password();
    for (const auto& guest : guests_) {
      if (!guest) continue;
      say(guest, answer);
      (void)guest.send(seats.data(), seats.size() * sizeof(Seat));
    }
    for (const auto& seat : seats)
      roster_.peers.push_back({seat.node, *seat.host ? seat.host : "127.0.0.1", seat.port});
    return std::move(roster_);
  }

  std::string place_;
  double patience_;
  Socket listening_;
  std::unique_ptr<RendezvousFile> rendezvous_file_;
  std::uint16_t own_port_ = 0;
  std::vector<Socket> strangers_;  ///< that have said nothing yet
  std::vector<Hello> hellos_;      ///< by rank; the first one's own
  std::vector<Socket> guests_;     ///< by rank; none for the first and for who is missing
  std::int64_t missing_;
  Roster roster_;
};

/// Another rank, until it is there.
class Guest {
 public:
  Guest(const MeetingPlace& place, const Newcomer& self, double patience)
      : place_(place), self_(self), patience_(patience), end_(now_seconds() + patience) {
    roster_.rank = self.rank;
    open_doors(roster_, own_port_);
  }

  Roster run() {
    while (now_seconds() < end_) {
      if (try_to_come()) return std::move(roster_);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    throw Error(ExitCode::kMachine, "cannot reach rank 0 at " + place_.name() + " within " +
                                        words_of(patience_) + ": " + obstacle_);
  }

 private:
  /// Returns false, with what is in the way, where it may be tried again.
  bool try_to_come() {
    RendezvousEntry entry{place_.host, place_.port, 0};
    if (!place_.file.empty()) entry = read_rendezvous_file(place_.file);
    if (entry.port == 0) return obstacle_ = "rank 0 has not written the file", false;
    const std::string at = entry.host + ":" + std::to_string(entry.port);
    const Socket socket = reach(entry);
    if (!socket) return obstacle_ = at + ": " + std::strerror(errno), false;
    const Hello hello = hello_of(self_, entry.password, own_port_);
    Answer answer{};
    give_up_after(socket, std::min(kAnswerSeconds, patience_));
    if (!socket.send(&hello, sizeof hello) || !socket.receive(&answer, sizeof answer))
      return obstacle_ = at +
                         " takes connections but does not answer; another program or another "
                         "run may have the port",
             false;
    if (!has_magic(answer)) {
      obstacle_ = "another program answers at " + at;
      if (place_.file.empty()) bad_input(obstacle_ + " where rank 0 should; choose another port");
      return false;
    }
    wait_for_others(socket, answer, entry.host);
    return true;
  }

  /// A machine need not know its own name. One that nobody knows may be an earlier run's.
  Socket reach(RendezvousEntry& entry) const {
    if (place_.file.empty()) return try_to_connect(entry.host, entry.port);
    if (entry.host == host_name()) entry.host = "127.0.0.1";
    try {
      return try_to_connect(entry.host, entry.port);
    } catch (const Error&) {
      return errno = EHOSTUNREACH, Socket();
    }
  }

  void wait_for_others(const Socket& socket, Answer answer, const std::string& host) {
    give_up_after(socket, patience_ + kAnswerSeconds);
    if (answer.verdict == Verdict::kHeard && !socket.receive(&answer, sizeof answer)) lose_host();
    answer.reason[sizeof answer.reason - 1] = '\0';
    if (answer.verdict == Verdict::kRefused) bad_input(answer.reason);
    if (answer.verdict != Verdict::kAllCome) throw Error(ExitCode::kLostRank, "");
    std::vector<Seat> seats(static_cast<std::size_t>(self_.world));
    if (!socket.receive(seats.data(), seats.size() * sizeof(Seat))) lose_host();
    roster_.password = answer.password;
    for (const auto& seat : seats)
      roster_.peers.push_back({seat.node, *seat.host ? seat.host : host, seat.port});
  }

  [[noreturn]] void lose_host() const {
    throw Error(ExitCode::kLostRank, "rank 0 at " + place_.name() +
                                         " left before all had come; its own words may say why");
  }

  const MeetingPlace& place_;
  const Newcomer& self_;
  double patience_, end_;
  std::uint16_t own_port_ = 0;
  std::string obstacle_ = "it was not tried";
  Roster roster_;
};

}  // namespace

Roster meet(const MeetingPlace& place, const Newcomer& self, double patience) {
  if (self.rank < 0 || self.rank >= self.world)
    bad_input("launched as rank " + std::to_string(self.rank) + " of " +
              std::to_string(self.world) + " processes: ranks go from 0 to " +
              std::to_string(self.world - 1));
  return self.rank == 0 ? Host(place, self, patience).run() : Guest(place, self, patience).run();
}

std::string local_name(std::uint16_t port) { return "pippin-probes-" + std::to_string(port); }

std::string words_of_ranks(const std::vector<int>& ranks) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    words.push_back(std::to_string(ranks[i]));
    if (last > i) words.back() += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  std::string list = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return list;
}

}  // namespace pippin::probes
