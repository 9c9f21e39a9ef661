// SPDX-License-Identifier: Apache-2.0
#include "probes/training/waits.h"

#include <algorithm>
#include <map>

namespace pippin::probes {

namespace {

/// How long this rank stood still before the last of a call's ranks began it.
std::int64_t wait_of(const CallTime& call, double last_begin, std::int64_t offset) {
  const auto late = static_cast<std::int64_t>(last_begin) - offset - call.stood_from_ns;
  return std::clamp<std::int64_t>(late, 0, call.exposed_ns);
}

/// In a collective everybody waits for the last.
std::vector<double> last_begins(Communicator& group, std::vector<double> begins) {
  group.all_reduce(begins.data(), begins.data(), static_cast<std::int64_t>(begins.size()),
                   Element::kDouble, Reduction::kMax);
  return begins;
}

/// In a message the two wait for each other. What one sends the other receives, in order.
void exchange(Communicator& group, int peer, const std::vector<double>& mine,
              std::vector<double>& theirs) {
  const auto received = group.start_receive(theirs.data(), static_cast<std::int64_t>(theirs.size()),
                                            Element::kDouble, peer);
  group.start_send(mine.data(), static_cast<std::int64_t>(mine.size()), Element::kDouble, peer)
      ->wait();
  received->wait();
}

/// The indices of the calls with one peer: those that send, then those that receive.
struct Messages {
  std::vector<std::size_t> sent, received;
};

}  // namespace

std::vector<std::int64_t> waits_of(Channel& channel, std::int64_t offset) {
  const auto& calls = channel.calls();
  std::vector<double> begins, last;
  begins.reserve(calls.size());
  for (const auto& call : calls) begins.push_back(static_cast<double>(call.begin_ns + offset));

  std::map<int, Messages> peers;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].peer == CallTime::kEverybody) continue;
    Messages& with = peers[calls[i].peer];
    (calls[i].receives ? with.received : with.sent).push_back(i);
  }
  if (peers.empty() && !calls.empty()) last = last_begins(channel.group().host(), begins);
  if (!peers.empty()) last = begins;
  for (const auto& [peer, messages] : peers) {
    std::vector<double> mine, theirs(messages.sent.size() + messages.received.size());
    for (const auto* list : {&messages.sent, &messages.received})
      for (const std::size_t i : *list) mine.push_back(begins[i]);
    exchange(channel.group().host(), peer, mine, theirs);
    std::size_t next = 0;  // theirs: first what they sent, then what they received
    for (const auto* list : {&messages.received, &messages.sent})
      for (const std::size_t i : *list) last[i] = std::max(last[i], theirs[next++]);
  }

  std::vector<std::int64_t> waits;
  waits.reserve(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i)
    waits.push_back(wait_of(calls[i], last[i], offset));
  return waits;
}

}  // namespace pippin::probes
