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
  const Activity before = profile_.enter(exposed(of_));
  const std::int64_t begin = profile_.marks().back().ns;
  call();
  profile_.enter(before);
  const std::int64_t took = profile_.marks().back().ns - begin;
  calls_.push_back({begin, begin, took, took, bytes});
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
    started.index_ = calls_.size();
    calls_.push_back(time);
    calls_.back().begin_ns = now_ns();
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
  const std::int64_t begin = profile_.marks().back().ns;
  started.call_->wait();
  profile_.enter(before);
  const std::int64_t end = profile_.marks().back().ns;
  CallTime& time = calls_[started.index_];
  time.stood_from_ns = begin;
  time.exposed_ns = end - begin;
  if (time.busy_ns == 0) time.busy_ns = end - time.begin_ns;
  started.call_.reset();
}

void Channel::poll(Started& started) {
  if (!started || started.done_ || !started.call_->done()) return;
  started.done_ = true;
  if (!profile_.watches()) return;
  CallTime& time = calls_[started.index_];
  time.busy_ns = now_ns() - time.begin_ns;
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
