// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/pairs.h"

#include <algorithm>

#include "probes/comm/gather.h"
#include "probes/common/clock.h"
#include "probes/common/spread.h"

namespace pippin::probes {

std::vector<std::vector<Meeting>> tournament(int players) {
  // All but the last sit in a circle that turns; who meets a last one that is not there rests.
  const int seats = players + players % 2, circle = seats - 1;
  std::vector<std::vector<Meeting>> rounds;
  for (int turn = 0; turn < circle; ++turn) {
    std::vector<Meeting> round;
    for (int i = 0; i < seats / 2; ++i) {
      const int a = (turn + i) % circle;
      const int b = i == 0 ? seats - 1 : (turn + circle - i) % circle;
      if (std::max(a, b) < players) round.push_back({std::min(a, b), std::max(a, b)});
    }
    if (!round.empty()) rounds.push_back(round);
  }
  return rounds;
}

namespace {

/// Microseconds.
double time_exchange(Communicator& comm, int other, std::int64_t bytes, const void* out, void* in) {
  const double start = now_seconds();
  comm.send_receive(out, other, in, other, bytes, Element::kByte);
  comm.complete();
  return 1e6 * (now_seconds() - start);
}

double exchange_gbs(Communicator& comm, int other, std::int64_t bytes, std::int64_t iterations,
                    Buffer<unsigned char>& out, Buffer<unsigned char>& in) {
  time_exchange(comm, other, bytes, out.data(), in.data());
  std::vector<double> times;
  for (std::int64_t i = 0; i < iterations; ++i)
    times.push_back(time_exchange(comm, other, bytes, out.data(), in.data()));
  return static_cast<double>(bytes) / (1e3 * median_of(times));
}

/// The slower side of every pair, from every player's own row.
PairBandwidths slower_sides(const std::vector<double>& rows, const std::vector<int>& players) {
  const int n = static_cast<int>(players.size());
  PairBandwidths pairs{n, std::vector<double>(static_cast<std::size_t>(n) * n)};
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      pairs.gbs[a * n + b] = std::min(rows[players[a] * n + b], rows[players[b] * n + a]);
  return pairs;
}

}  // namespace

PairBandwidths measure_pairs(Communicator& comm, const std::vector<int>& players,
                             std::int64_t bytes, std::int64_t iterations, Memory& memory) {
  const int n = static_cast<int>(players.size());
  Buffer<unsigned char> out(memory, {bytes}), in(memory, {bytes});
  std::vector<double> own(players.size());
  for (const auto& round : tournament(n)) {
    comm.barrier();
    for (const Meeting& meeting : round) {
      const int a = players[meeting.a], b = players[meeting.b];
      if (comm.rank() == a)
        own[meeting.b] = exchange_gbs(comm, b, bytes, iterations, out, in);
      else if (comm.rank() == b)
        own[meeting.a] = exchange_gbs(comm, a, bytes, iterations, out, in);
    }
  }
  return slower_sides(gathered(comm.host(), own), players);
}

namespace {

Meeting slowest_of(const PairBandwidths& pairs) {
  Meeting slowest{0, 1};
  for (int a = 0; a < pairs.players; ++a)
    for (int b = a + 1; b < pairs.players; ++b)
      if (pairs.of(a, b) < pairs.of(slowest.a, slowest.b)) slowest = {a, b};
  return slowest;
}

double median_of_player(const PairBandwidths& pairs, int player) {
  std::vector<double> own;
  for (int other = 0; other < pairs.players; ++other)
    if (other != player) own.push_back(pairs.of(player, other));
  return median_of(own);
}

std::optional<int> suspect_of(const std::vector<double>& medians) {
  if (medians.size() < 3) return std::nullopt;
  const auto lowest = std::min_element(medians.begin(), medians.end());
  std::vector<double> others(medians.begin(), lowest);
  others.insert(others.end(), lowest + 1, medians.end());
  if (*lowest >= kSuspicious * median_of(others)) return std::nullopt;
  return static_cast<int>(lowest - medians.begin());
}

}  // namespace

PairVerdict judge(const PairBandwidths& pairs) {
  std::vector<double> medians(pairs.players);
  for (int player = 0; player < pairs.players; ++player)
    medians[player] = median_of_player(pairs, player);
  return {slowest_of(pairs), medians, suspect_of(medians)};
}

}  // namespace pippin::probes
