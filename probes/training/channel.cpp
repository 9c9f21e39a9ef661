// SPDX-License-Identifier: Apache-2.0
#include "probes/training/channel.h"

#include <utility>

namespace pippin::probes {

Channel::Channel(std::unique_ptr<Communicator> group, Class of, Profile& profile)
    : group_(std::move(group)), of_(of), profile_(profile) {}

template <typename Call>
void Channel::blocking(std::int64_t bytes, const Call& call) {
  if (size() == 1) return call();
  ++traffic_.calls;
  traffic_.bytes += bytes;
  if (!profile_.watches()) return call();
  OpenCall open{{0, 0, 0, 0, bytes}};
  const Activity before = profile_.enter(exposed(of_));
  open.begin = open.stood_from = profile_.last_moment();
  call();
  profile_.enter(before);
  open.stood_to = profile_.last_moment();
  open_.push_back(open);
}

template <typename Call>
Channel::Started Channel::begin(const CallTime& time, const Call& call) {
  Started started;
  if (size() == 1) {
    call()->wait();
    return started;
  }
  if (!time.receives) {
    ++traffic_.calls;
    traffic_.bytes += time.bytes;
  }
  if (profile_.watches()) {
    started.index_ = open_.size();
    open_.push_back({time, profile_.clock().moment()});
  }
  started.call_ = call();
  return started;
}

template <typename T>
void Channel::all_reduce(std::int64_t count, T* data, Reduction reduction) {
  if (size() == 1) return;
  blocking(count * std::int64_t{sizeof(T)},
           [&] { group_->all_reduce(data, data, count, element_of<T>(), reduction); });
}

template <typename T>
void Channel::all_gather(std::int64_t count, const T* part, T* whole) {
  blocking(count * size() * std::int64_t{sizeof(T)},
           [&] { group_->all_gather(part, whole, count, element_of<T>()); });
}

template <typename T>
void Channel::reduce_scatter(std::int64_t count, const T* whole, T* part) {
  blocking(count * size() * std::int64_t{sizeof(T)},
           [&] { group_->reduce_scatter(whole, part, count, element_of<T>()); });
}

template <typename T>
Channel::Started Channel::start_all_reduce(std::int64_t count, T* data) {
  return begin({0, 0, 0, 0, count * std::int64_t{sizeof(T)}},
               [&] { return group_->start_all_reduce(data, data, count, element_of<T>()); });
}

template <typename T>
Channel::Started Channel::start_all_gather(std::int64_t count, const T* part, T* whole) {
  return begin({0, 0, 0, 0, count * size() * std::int64_t{sizeof(T)}},
               [&] { return group_->start_all_gather(part, whole, count, element_of<T>()); });
}

template <typename T>
Channel::Started Channel::start_reduce_scatter(std::int64_t count, const T* whole, T* part) {
  return begin({0, 0, 0, 0, count * size() * std::int64_t{sizeof(T)}},
               [&] { return group_->start_reduce_scatter(whole, part, count, element_of<T>()); });
}

template <typename T>
Channel::Started Channel::start_send(std::int64_t count, const T* data, int to) {
  return begin({0, 0, 0, 0, count * std::int64_t{sizeof(T)}, to, false},
               [&] { return group_->start_send(data, count, element_of<T>(), to); });
}

template <typename T>
Channel::Started Channel::start_receive(std::int64_t count, T* data, int from) {
  return begin({0, 0, 0, 0, count * std::int64_t{sizeof(T)}, from, true},
               [&] { return group_->start_receive(data, count, element_of<T>(), from); });
}

void Channel::wait(Started& started) {
  if (!started) return;
  if (!profile_.watches()) {
    started.call_->wait();
    started.call_.reset();
    return;
  }
  const Activity before = profile_.enter(exposed(of_));
  OpenCall& open = open_[started.index_];
  open.stood_from = profile_.last_moment();
  started.call_->wait();
  profile_.enter(before);
  open.stood_to = profile_.last_moment();
  if (const auto over = started.call_->over()) open.over = over;
  started.call_.reset();
}

void Channel::poll(Started& started) {
  if (!started || started.done_ || !started.call_->done()) return;
  started.done_ = true;
  if (profile_.watches()) open_[started.index_].over = profile_.clock().moment();
}

void Channel::tell_times() {
  Clock& clock = profile_.clock();
  for (const OpenCall& open : open_) {
    CallTime time = open.time;
    time.begin_ns = clock.nanoseconds(open.begin);
    time.stood_from_ns = clock.nanoseconds(open.stood_from);
    const std::int64_t stood_to = clock.nanoseconds(open.stood_to);
    time.exposed_ns = stood_to - time.stood_from_ns;
    time.busy_ns = (open.over ? clock.nanoseconds(*open.over) : stood_to) - time.begin_ns;
    calls_.push_back(time);
  }
  open_.clear();
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define PROBES_CHANNEL(T)                                                              \
  template void Channel::all_reduce(std::int64_t, T*, Reduction);                      \
  template void Channel::all_gather(std::int64_t, const T*, T*);                       \
  template void Channel::reduce_scatter(std::int64_t, const T*, T*);                   \
  template Channel::Started Channel::start_all_reduce(std::int64_t, T*);               \
  template Channel::Started Channel::start_all_gather(std::int64_t, const T*, T*);     \
  template Channel::Started Channel::start_reduce_scatter(std::int64_t, const T*, T*); \
  template Channel::Started Channel::start_send(std::int64_t, const T*, int);          \
  template Channel::Started Channel::start_receive(std::int64_t, T*, int);
PROBES_CHANNEL(Half)
PROBES_CHANNEL(BFloat16)
PROBES_CHANNEL(float)
PROBES_CHANNEL(double)
#undef PROBES_CHANNEL
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pippin::probes
