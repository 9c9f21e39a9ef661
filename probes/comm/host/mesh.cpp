// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/mesh.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <sched.h>
#include <string>
#include <sys/epoll.h>
#include <thread>
#include <utility>

#include "probes/common/clock.h"
#include "probes/common/error.h"

namespace pippin::probes {

namespace {

// How long a rank that waits looks again at once, if every rank of the node has a core; and how
// long in all before it sleeps until it is woken: between the two it lets others run.
constexpr double kSpinSeconds = 2e-6, kYieldSeconds = 500e-6;
constexpr int kSleepMilliseconds = 100;  ///< should nobody wake it

/// Processor cores that this process may use.
int cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return CPU_COUNT(&allowed);
}

}  // namespace

Mesh::Mesh(std::vector<std::unique_ptr<Link>> links, int rank)
    : rank_(rank), events_(::epoll_create1(EPOLL_CLOEXEC)), gone_(links.size()) {
  if (!events_) throw Error(ExitCode::kMachine, "cannot make an epoll instance");
  for (std::size_t i = 0; i < links.size(); ++i) {
    const int peer = static_cast<int>(i);
    (links[i]->is_descriptor() ? streams_ : in_memory_).push_back(peer);
    boxes_.push_back(std::make_unique<Mailbox>(std::move(links[i]), peer));
    epoll_event event{EPOLLIN, {}};
    event.data.fd = peer;
    if (const int descriptor = box(peer).link().descriptor(); descriptor >= 0)
      ::epoll_ctl(events_.descriptor(), EPOLL_CTL_ADD, descriptor, &event);
  }
  spin_seconds_ = static_cast<int>(in_memory_.size()) <= cores() ? kSpinSeconds : 0;
}

Mesh::~Mesh() {
  if (std::uncaught_exceptions() == 0) leave();
}

void Mesh::start(HostTransfers& transfers) {
  transfers.advance(*this);
  if (!transfers.is_done()) calls_.push_back(&transfers);
}

void Mesh::forget(const HostTransfers& transfers) {
  calls_.erase(std::remove(calls_.begin(), calls_.end(), &transfers), calls_.end());
}

bool Mesh::work() {
  bool moved = work_boxes();
  if (lost_ >= 0) {
    // Who watches the ranks knows more and may end this one meanwhile.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    throw Error(ExitCode::kLostRank,
                "rank " + std::to_string(lost_) + " is gone: its connection broke");
  }
  for (HostTransfers* transfers : calls_) moved = transfers->advance(*this) || moved;
  return moved;
}

void Mesh::wait(const HostTransfers& transfers) {
  double last = now_seconds();
  while (!transfers.is_done()) {
    if (work() || idle(now_seconds() - last)) last = now_seconds();
  }
  forget(transfers);
}

bool Mesh::work_boxes() {
  bool moved = false;
  for (const int peer : in_memory_) moved = box(peer).work() || moved;
  if (streams_.empty()) return moved;
  for (const int peer : streams_)
    if (box(peer).has_output() && !gone_[static_cast<std::size_t>(peer)])
      moved = box(peer).work() || moved;
  return hear(0) || moved;
}

/// What the system has to say, in so many milliseconds.
bool Mesh::hear(int milliseconds) {
  epoll_event events[64];
  const int count = ::epoll_wait(events_.descriptor(), events, 64, milliseconds);
  bool moved = false;
  for (int i = 0; i < count; ++i) {
    const int peer = events[i].data.fd;
    box(peer).link().note_event();
    moved = box(peer).work() || moved;
    if (box(peer).link().is_lost()) lose(peer);
  }
  return moved;
}

/// For who has had nothing to do for so many seconds. Returns whether anything moved.
bool Mesh::idle(double seconds) {
  if (seconds < spin_seconds_) return false;
  if (seconds >= kYieldSeconds) return sleep();
  ::sched_yield();
  return false;
}

/// Looks once more after it has asked to be woken: what came before would wake nobody.
bool Mesh::sleep() {
  for (const int peer : in_memory_) box(peer).link().ask_to_be_woken(true);
  bool moved = work_boxes();
  if (!moved && lost_ < 0) {
    for (const int peer : streams_) watch_for_room(peer, true);
    moved = hear(kSleepMilliseconds);
    for (const int peer : streams_) watch_for_room(peer, false);
  }
  for (const int peer : in_memory_) box(peer).link().ask_to_be_woken(false);
  return moved;
}

void Mesh::watch_for_room(int rank, bool wanted) {
  if (!box(rank).has_output() || gone_[static_cast<std::size_t>(rank)]) return;
  epoll_event event{EPOLLIN, {}};
  if (wanted) event.events |= EPOLLOUT;
  event.data.fd = rank;
  ::epoll_ctl(events_.descriptor(), EPOLL_CTL_MOD, box(rank).link().descriptor(), &event);
}

/// The other side has closed, after a goodbye in peace.
void Mesh::lose(int rank) {
  while (box(rank).work()) {
  }
  gone_[static_cast<std::size_t>(rank)] = true;
  ::epoll_ctl(events_.descriptor(), EPOLL_CTL_DEL, box(rank).link().descriptor(), nullptr);
  if (!box(rank).heard_goodbye()) lost_ = rank;
}

/// What is on its way must arrive, and a connection that closes too early would take it along.
void Mesh::leave() {
  for (const auto& one : boxes_) one->say_goodbye();
  const auto parted = [&](int rank) {
    return gone_[static_cast<std::size_t>(rank)] ||
           (box(rank).heard_goodbye() && !box(rank).has_output());
  };
  double last = now_seconds();
  for (int rank = 0; rank < size();) {
    if (parted(rank))
      ++rank;
    else if (work_boxes() || idle(now_seconds() - last))
      last = now_seconds();
  }
}

}  // namespace pippin::probes
