// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "probes/comm/host/link.h"
#include "probes/comm/host/message.h"

namespace pippin::probes {

/// The messages of one link. A small message goes at once and is kept on the other side until it is
/// asked for. A large one waits until the other side has said that it is ready, and goes straight
/// to its place: what is kept is never more than the small ones. Both sides know which is which,
/// since both name the size. Messages that are under way together take turns, a frame each.
/// Requires: both sides of a message name the same number of bytes.
class Mailbox {
 public:
  /// The other side's rank, for errors.
  Mailbox(std::unique_ptr<Link> link, int peer);

  void send(Message& message);
  void receive(Message& message);
  /// After the last message.
  void say_goodbye();

  /// Moves what can be moved; returns whether anything was. Errors: Error (machine) where the other
  /// side sends another size than is expected.
  bool work();

  bool has_output() const { return !outgoing_.empty() || !notices_.empty() || busy_; }
  bool heard_goodbye() const { return heard_goodbye_; }
  Link& link() { return *link_; }

  static constexpr std::int64_t kFrameBytes = 32 << 10;
  /// The largest message that goes at once.
  static constexpr std::int64_t kSmallBytes = 16 << 10;

 private:
  enum class Kind : std::uint32_t { kData, kReady, kGoodbye };
  struct Header {
    MessageName name;
    Kind kind = Kind::kData;
    std::uint32_t bytes = 0;  ///< of the frame
    std::int64_t total = 0;   ///< of the message
  };
  /// A small one that nobody has asked for yet.
  struct Kept {
    MessageName name;
    std::vector<std::byte> bytes;
  };

  bool work_out();
  bool begin_frame();
  void end_frame();

  bool work_in();
  bool take_header();
  bool take_payload();
  void begin_payload();
  void end_payload();
  void deliver(Message& message, const std::byte* bytes, std::int64_t count) const;
  static void finish(Message& message);
  void check_size(const Message& message, std::int64_t total) const;

  std::unique_ptr<Link> link_;
  int peer_;

  std::deque<Header> notices_;
  std::deque<Message*> outgoing_;  ///< may go
  std::deque<Message*> waiting_;   ///< until the other side is ready
  std::deque<MessageName> ready_;  ///< the other side is, for what is not sent yet
  bool busy_ = false;              ///< a frame is half out
  Header out_;
  Message* out_message_ = nullptr;  ///< none of a notice
  std::size_t out_sent_ = 0;        ///< of header and payload

  std::deque<Message*> expected_;
  std::deque<Kept> kept_;
  Header in_;
  std::size_t in_header_ = 0;  ///< bytes of it that have come
  bool in_payload_ = false;
  std::size_t in_got_ = 0;         ///< bytes of the payload
  Message* in_message_ = nullptr;  ///< none where it will be kept
  bool heard_goodbye_ = false;
  alignas(64) std::array<std::byte, kFrameBytes> scratch_;
};

}  // namespace pippin::probes
