// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace pippin::probes {

using Bytes = std::span<const std::byte>;

/// An ordered stream of bytes to one rank and back, both of which only ever move what they can move
/// at once.
class Link {
 public:
  virtual ~Link() = default;

  /// Takes what fits of `head` and then of `body`; returns how many bytes that is.
  virtual std::size_t write(Bytes head, Bytes body) = 0;
  /// Returns how many bytes have come, at most `bytes`.
  virtual std::size_t read(std::byte* to, std::size_t bytes) = 0;

  /// What poll() can wait for: it becomes readable when there is something to read, or room to
  /// write, or the other side is gone. -1 is none.
  virtual int descriptor() const = 0;
  /// Whether the descriptor is the stream itself: whether there is something to read only the
  /// system knows, and room to write is waited for with POLLOUT.
  virtual bool is_descriptor() const = 0;
  /// Asks the other side to wake this one through the descriptor whenever it moves something.
  virtual void ask_to_be_woken(bool) {}
  /// Called when the descriptor is readable, before anything is read.
  virtual void note_event() {}

  /// Whether the other side has closed or died.
  virtual bool is_lost() const = 0;
};

}  // namespace pippin::probes
