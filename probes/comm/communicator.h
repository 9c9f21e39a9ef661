// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "probes/comm/element.h"
#include "probes/common/clock.h"

namespace pippin::probes {

/// A call under way. It must be waited for before its buffers are touched or it is destroyed.
class Pending {
 public:
  virtual ~Pending() = default;
  /// Moves the call on where the library does so only when asked.
  virtual bool done() = 0;
  virtual void wait() = 0;
  /// When it was done, where the device's own clock knows. Requires wait().
  virtual std::optional<Clock::Moment> over() { return std::nullopt; }
};

/// A group of ranks that talk about memory of the host or of a device. Counts are elements of one
/// rank's part: all_gather() makes size() parts out of one, reduce_scatter() and all_to_all() take
/// size() parts. Bytes can be moved, not reduced. In place, where a call allows it: all_reduce(),
/// reduce(), reduce_scatter() (whose result is then the first part) and all_to_all() with in ==
/// out; all_gather() with in == out + rank()·count. Errors: Error (machine) with the library's own
/// words.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  virtual void barrier() = 0;
  virtual void all_reduce(const void* in, void* out, std::int64_t count, Element element,
                          Reduction reduction) = 0;
  virtual void all_gather(const void* in, void* out, std::int64_t count, Element element) = 0;
  virtual void reduce_scatter(const void* in, void* out, std::int64_t count, Element element) = 0;
  virtual void broadcast(void* data, std::int64_t count, Element element, int root) = 0;
  virtual void reduce(const void* in, void* out, std::int64_t count, Element element, int root) = 0;
  virtual void all_to_all(const void* in, void* out, std::int64_t count, Element element) = 0;
  /// Sends to one rank while it receives as much from another; a rank may be its own neighbour.
  virtual void send_receive(const void* out, int to, void* in, int from, std::int64_t count,
                            Element element);

  // The same beside whatever the rank does meanwhile. Every rank starts the calls of a group in the
  // same order.
  using Call = std::unique_ptr<Pending>;
  virtual Call start_all_reduce(const void* in, void* out, std::int64_t count, Element element) = 0;
  virtual Call start_reduce_scatter(const void* in, void* out, std::int64_t count,
                                    Element element) = 0;
  virtual Call start_all_gather(const void* in, void* out, std::int64_t count, Element element) = 0;
  /// Makes what messages need, so that no rank must make it while others wait for its messages.
  /// Every rank calls it, at the latest with its first message.
  virtual void open_messages() {}
  virtual Call start_send(const void* data, std::int64_t count, Element element, int to) = 0;
  virtual Call start_receive(void* data, std::int64_t count, Element element, int from) = 0;

  /// Waits until this rank's calls are done, where they return before, as a device's do.
  virtual void complete() {}

  /// The same ranks for the host's memory, where this is for a device's; else this.
  virtual Communicator& host() { return *this; }

  /// The ranks that name the same colour, in the order of this group. Every rank must call it.
  virtual std::unique_ptr<Communicator> split(int colour) = 0;
};

/// A group of one.
std::unique_ptr<Communicator> make_lone_communicator();

}  // namespace pippin::probes
