// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/mailbox.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "probes/comm/host/combine.h"
#include "probes/common/error.h"

namespace pippin::probes {

namespace {

bool is_large(const Message& message) { return message.bytes > Mailbox::kSmallBytes; }

/// The first of a name; a null pointer where there is none.
Message* find(const std::deque<Message*>& messages, const MessageName& name) {
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [&](const Message* message) { return message->name == name; });
  return found == messages.end() ? nullptr : *found;
}

void remove(std::deque<Message*>& messages, Message& message) {
  messages.erase(std::find(messages.begin(), messages.end(), &message));
}

}  // namespace

Mailbox::Mailbox(std::unique_ptr<Link> link, int peer) : link_(std::move(link)), peer_(peer) {}

void Mailbox::send(Message& message) {
  if (is_large(message)) {
    const auto ready = std::find(ready_.begin(), ready_.end(), message.name);
    if (ready == ready_.end()) return waiting_.push_back(&message);
    ready_.erase(ready);
  }
  outgoing_.push_back(&message);
  work_out();
}

void Mailbox::receive(Message& message) {
  if (is_large(message)) {
    expected_.push_back(&message);
    notices_.push_back({message.name, Kind::kReady, 0, message.bytes});
    work_out();
    return;
  }
  const auto kept = std::find_if(kept_.begin(), kept_.end(),
                                 [&](const Kept& one) { return one.name == message.name; });
  if (kept == kept_.end()) return expected_.push_back(&message);
  check_size(message, static_cast<std::int64_t>(kept->bytes.size()));
  deliver(message, kept->bytes.data(), message.bytes);
  kept_.erase(kept);
}

void Mailbox::say_goodbye() {
  notices_.push_back({{}, Kind::kGoodbye, 0, 0});
  work_out();
}

bool Mailbox::work() {
  const bool out = work_out();
  return work_in() || out;
}

bool Mailbox::work_out() {
  bool moved = false;
  while (busy_ || begin_frame()) {
    const auto header = std::as_bytes(std::span(&out_, 1));
    const Bytes head = header.subspan(std::min(out_sent_, header.size()));
    Bytes body;
    if (out_message_) body = Bytes(out_message_->from + out_message_->moved, out_.bytes);
    if (out_sent_ > header.size()) body = body.subspan(out_sent_ - header.size());
    const std::size_t count = link_->write(head, body);
    out_sent_ += count;
    moved = moved || count > 0;
    if (count < head.size() + body.size()) break;
    end_frame();
  }
  return moved;
}

/// The next one's; false where there is none.
bool Mailbox::begin_frame() {
  if (notices_.empty() && outgoing_.empty()) return false;
  busy_ = true;
  out_sent_ = 0;
  out_message_ = nullptr;
  if (!notices_.empty()) {
    out_ = notices_.front();
    notices_.pop_front();
    return true;
  }
  out_message_ = outgoing_.front();
  outgoing_.pop_front();
  const std::int64_t left = out_message_->bytes - out_message_->moved;
  out_ = {out_message_->name, Kind::kData, static_cast<std::uint32_t>(std::min(left, kFrameBytes)),
          out_message_->bytes};
  return true;
}

void Mailbox::end_frame() {
  busy_ = false;
  if (!out_message_) return;
  out_message_->moved += out_.bytes;
  if (out_message_->moved < out_message_->bytes)
    outgoing_.push_back(out_message_);
  else
    finish(*out_message_);
}

bool Mailbox::work_in() {
  bool moved = false;
  // A few frames, so that no link keeps the others waiting.
  for (int frames = 0; frames < 8; ++frames) {
    if (!in_payload_ && !take_header()) break;
    moved = true;
    if (in_payload_ && !take_payload()) break;
  }
  return moved;
}

/// Returns whether a whole one is there.
bool Mailbox::take_header() {
  auto* to = reinterpret_cast<std::byte*>(&in_);
  in_header_ += link_->read(to + in_header_, sizeof in_ - in_header_);
  if (in_header_ < sizeof in_) return false;
  in_header_ = 0;
  if (in_.kind == Kind::kGoodbye) {
    heard_goodbye_ = true;
  } else if (in_.kind == Kind::kReady) {
    Message* message = find(waiting_, in_.name);
    if (!message) return ready_.push_back(in_.name), true;
    remove(waiting_, *message);
    outgoing_.push_back(message);
    work_out();
  } else {
    begin_payload();
  }
  return true;
}

void Mailbox::begin_payload() {
  in_payload_ = true;
  in_got_ = 0;
  in_message_ = find(expected_, in_.name);
  if (in_message_) check_size(*in_message_, in_.total);
  if (in_.bytes > kFrameBytes || (!in_message_ && in_.total != in_.bytes))
    throw Error(ExitCode::kMachine, "rank " + std::to_string(peer_) + " sends what is no message");
}

/// Straight to its place, or by way of the scratch where it is to be combined or kept. Returns
/// whether all of it is there.
bool Mailbox::take_payload() {
  const bool straight = in_message_ && !in_message_->with;
  std::byte* to = straight ? in_message_->to + in_message_->moved : scratch_.data();
  in_got_ += link_->read(to + in_got_, in_.bytes - in_got_);
  if (in_got_ < in_.bytes) return false;
  end_payload();
  return true;
}

void Mailbox::end_payload() {
  in_payload_ = false;
  const bool is_in_scratch = !in_message_ || in_message_->with;
  if (!in_message_) in_message_ = find(expected_, in_.name);  // asked for since its frame began
  if (!in_message_) {
    kept_.push_back({in_.name, {scratch_.data(), scratch_.data() + in_.bytes}});
    return;
  }
  Message& message = *in_message_;
  check_size(message, in_.total);
  if (message.moved + in_.bytes == message.bytes) remove(expected_, message);
  deliver(message, is_in_scratch ? scratch_.data() : nullptr, in_.bytes);
}

/// The next bytes of a message, which are in their place already where `bytes` is null.
void Mailbox::deliver(Message& message, const std::byte* bytes, std::int64_t count) const {
  std::byte* to = message.to + message.moved;
  if (message.with) {
    const std::byte* with = message.with + message.moved;
    combine(message.element, message.reduction, message.arrived_first ? bytes : with,
            message.arrived_first ? with : bytes, to, count / bytes_of(message.element));
  } else if (bytes) {
    std::memcpy(to, bytes, static_cast<std::size_t>(count));
  }
  message.moved += count;
  if (message.moved == message.bytes) finish(message);
}

void Mailbox::finish(Message& message) { --*message.open; }

void Mailbox::check_size(const Message& message, std::int64_t total) const {
  if (message.bytes == total) return;
  throw Error(ExitCode::kMachine, "rank " + std::to_string(peer_) + " sends " +
                                      std::to_string(total) + " bytes where " +
                                      std::to_string(message.bytes) + " are expected");
}

}  // namespace pippin::probes
