// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/algorithms.h"

#include <algorithm>

namespace pippin::probes {

namespace {

constexpr std::int64_t kSmallBytes = 32 << 10;   ///< of the whole: where steps cost more than bytes
constexpr std::int64_t kPieceBytes = 256 << 10;  ///< of a ring or a chain, and of scratch memory

/// The part of `count` elements that begins with block `index` of `size`.
std::int64_t block_begin(std::int64_t count, int index, int size) {
  return count / size * index + std::min<std::int64_t>(index, count % size);
}

}  // namespace

bool Collective::is_small(std::int64_t count) const { return count * element <= kSmallBytes; }

std::int64_t Collective::piece_count() const { return kPieceBytes / element; }

/// In step k every rank hears from the one 2^k before it, and so of the 2^k before that.
void Collective::barrier() {
  std::byte* byte = transfers.scratch(2);
  *byte = {};
  for (int distance = 1; distance < size; distance *= 2) {
    transfers.send(after(distance), byte, 1);
    transfers.receive(before(distance), byte + 1, 1);
    transfers.then();
  }
}

void Collective::all_reduce(const std::byte* in, std::byte* out, std::int64_t count) {
  if (size == 1) return transfers.copy(in, out, count);
  if (is_small(count)) return all_reduce_by_halves(in, out, count);
  all_reduce_in_ring(in, out, count);
}

/// Recursive doubling: ranks whose numbers differ in one bit exchange all they have. Those beyond
/// the largest power of two hand theirs to another first and get the result last.
void Collective::all_reduce_by_halves(const std::byte* in, std::byte* out, std::int64_t count) {
  int power = 1;
  while (2 * power <= size) power *= 2;
  std::byte* spare[2] = {transfers.scratch(count), transfers.scratch(count)};
  const std::byte* mine = in;
  const auto take = [&](int peer) {
    transfers.receive_and_combine(peer, mine, spare[0], count, peer < rank);
    transfers.then();
    mine = spare[0];
    std::swap(spare[0], spare[1]);
  };
  if (rank >= power) {
    transfers.send(rank - power, in, count);
    transfers.receive(rank - power, out, count);
    return;
  }
  if (rank + power < size) take(rank + power);
  for (int bit = 1; bit < power; bit *= 2) {
    transfers.send(rank ^ bit, mine, count);
    take(rank ^ bit);
  }
  transfers.copy(mine, out, count);
  if (rank + power < size) transfers.send(rank + power, mine, count);
}

/// A block goes round once and gathers what every rank has, then once more and tells it.
void Collective::all_reduce_in_ring(const std::byte* in, std::byte* out, std::int64_t count) {
  const auto begin = [&](int block) { return block_begin(count, block, size); };
  const auto length = [&](int block) { return begin(block + 1) - begin(block); };
  for (int step = 0; step + 1 < size; ++step) {
    const int gone = before(step), come = before(step + 1);
    transfers.send(after(1), (step == 0 ? in : out) + begin(gone) * element, length(gone));
    transfers.receive_and_combine(before(1), in + begin(come) * element,
                                  out + begin(come) * element, length(come));
    transfers.then();
  }
  for (int step = 0; step + 1 < size; ++step) {
    const int gone = before(step + size - 1), come = before(step);
    transfers.send(after(1), out + begin(gone) * element, length(gone));
    transfers.receive(before(1), out + begin(come) * element, length(come));
    transfers.then();
  }
}

void Collective::all_gather(const std::byte* in, std::byte* out, std::int64_t count) {
  const auto part = [&](int index) { return out + index * count * element; };
  transfers.copy(in, part(rank), count);
  if (is_small(count * size)) {
    for (int other = 1; other < size; ++other) {
      transfers.send(after(other), in, count);
      transfers.receive(before(other), part(before(other)), count);
    }
    return;
  }
  for (int step = 0; step + 1 < size; ++step) {
    transfers.send(after(1), step == 0 ? in : part(before(step)), count);
    transfers.receive(before(1), part(before(step + 1)), count);
    transfers.then();
  }
}

void Collective::reduce_scatter(const std::byte* in, std::byte* out, std::int64_t count) {
  if (size == 1) return transfers.copy(in, out, count);
  if (is_small(count * size)) return reduce_scatter_at_once(in, out, count);
  reduce_scatter_in_ring(in, out, count);
}

void Collective::reduce_scatter_at_once(const std::byte* in, std::byte* out, std::int64_t count) {
  std::byte* parts = transfers.scratch(count * size);
  const auto part = [&](int index) { return parts + index * count * element; };
  transfers.copy(in + rank * count * element, part(rank), count);
  for (int other = 1; other < size; ++other) {
    transfers.send(after(other), in + after(other) * count * element, count);
    transfers.receive(before(other), part(before(other)), count);
  }
  transfers.then();
  transfers.combine(part(0), part(1), out, count);
  for (int index = 2; index < size; ++index) transfers.combine(out, part(index), out, count);
}

/// As the first half of the all-reduce, a piece of every block at a time: the sums on their way
/// need a place that is neither `in` nor `out`. So does the only sum of two ranks in place, where
/// what is being sent may lie.
void Collective::reduce_scatter_in_ring(const std::byte* in, std::byte* out, std::int64_t count) {
  const bool by_spare = size > 2 || in == out;
  const std::int64_t piece = by_spare ? std::min(count, piece_count()) : count;
  std::byte* spare[2] = {nullptr, nullptr};
  if (by_spare)
    for (auto& one : spare) one = transfers.scratch(piece);
  for (std::int64_t at = 0; at < count; at += piece) {
    const std::int64_t length = std::min(piece, count - at);
    const std::byte* mine = in + (before(1) * count + at) * element;
    std::byte* sum = out + at * element;
    for (int step = 0; step + 1 < size; ++step) {
      const bool is_last = step + 2 == size;
      std::byte* to = is_last && in != out ? sum : spare[step % 2];
      transfers.send(after(1), mine, length);
      transfers.receive_and_combine(before(1), in + (before(step + 2) * count + at) * element, to,
                                    length);
      transfers.then();
      mine = to;
    }
    transfers.copy(mine, sum, length);
  }
}

void Collective::broadcast(std::byte* data, std::int64_t count, int root) {
  if (is_small(count)) return broadcast_by_tree(data, count, root);
  broadcast_by_chain(data, count, root);
}

/// Binomial: counted from the root, a rank's parent lacks its lowest bit.
void Collective::broadcast_by_tree(std::byte* data, std::int64_t count, int root) {
  const int own = (rank - root + size) % size;
  int bit = 1;
  while (bit < size && !(own & bit)) bit *= 2;
  if (own > 0) transfers.receive(before(bit), data, count);
  transfers.then();
  for (bit /= 2; bit > 0; bit /= 2)
    if (own + bit < size) transfers.send(after(bit), data, count);
}

void Collective::broadcast_by_chain(std::byte* data, std::int64_t count, int root) {
  const int own = (rank - root + size) % size;
  const std::int64_t piece = piece_count();
  for (std::int64_t at = 0; at < count + piece; at += piece) {
    const std::int64_t last = at - piece;
    if (own > 0 && at < count)
      transfers.receive(before(1), data + at * element, std::min(piece, count - at));
    if (own + 1 < size && last >= 0)
      transfers.send(after(1), data + last * element, std::min(piece, count - last));
    transfers.then();
  }
}

void Collective::reduce(const std::byte* in, std::byte* out, std::int64_t count, int root) {
  if (size == 1) return transfers.copy(in, out, count);
  if (is_small(count)) return reduce_by_tree(in, out, count, root);
  reduce_by_chain(in, out, count, root);
}

/// The broadcast's tree, upwards.
void Collective::reduce_by_tree(const std::byte* in, std::byte* out, std::int64_t count, int root) {
  const int own = (rank - root + size) % size;
  std::byte* sum = transfers.scratch(count);
  const std::byte* mine = in;
  for (int bit = 1; bit < size; bit *= 2) {
    if (own & bit) return transfers.send(before(bit), mine, count);
    if (own + bit >= size) continue;
    transfers.receive_and_combine(after(bit), mine, sum, count);
    transfers.then();
    mine = sum;
  }
  transfers.copy(mine, out, count);
}

/// From the rank before the root all the way round to it.
void Collective::reduce_by_chain(const std::byte* in, std::byte* out, std::int64_t count,
                                 int root) {
  const int own = (rank - root + size) % size;
  const std::int64_t piece = piece_count();
  const bool begins = own + 1 == size;
  std::byte* spare[2] = {nullptr, nullptr};
  if (!begins && own > 0)
    for (auto& one : spare) one = transfers.scratch(piece);
  for (std::int64_t at = 0; at < count + piece; at += piece) {
    const std::int64_t last = at - piece;
    std::byte* sum = own == 0 ? out + at * element : spare[0];
    if (!begins && at < count)
      transfers.receive_and_combine(after(1), in + at * element, sum, std::min(piece, count - at));
    if (own > 0 && last >= 0)
      transfers.send(before(1), begins ? in + last * element : spare[1],
                     std::min(piece, count - last));
    transfers.then();
    std::swap(spare[0], spare[1]);
  }
}

void Collective::all_to_all(const std::byte* in, std::byte* out, std::int64_t count) {
  if (in == out) return all_to_all_in_place(out, count);
  const auto part = [&](int index) { return index * count * element; };
  transfers.copy(in + part(rank), out + part(rank), count);
  for (int other = 1; other < size; ++other) {
    transfers.send(after(other), in + part(after(other)), count);
    transfers.receive(before(other), out + part(before(other)), count);
  }
}

/// Pairs exchange a piece at a time: in round r those whose ranks add up to it.
void Collective::all_to_all_in_place(std::byte* data, std::int64_t count) {
  const std::int64_t piece = std::min(count, piece_count());
  std::byte* spare = transfers.scratch(piece);
  for (int round = 0; round < size; ++round) {
    const int other = (round - rank + size) % size;
    if (other == rank) continue;
    for (std::int64_t at = 0; at < count; at += piece) {
      const std::int64_t length = std::min(piece, count - at);
      std::byte* place = data + (other * count + at) * element;
      transfers.send(other, place, length);
      transfers.receive(other, spare, length);
      transfers.then();
      transfers.copy(spare, place, length);
      transfers.then();
    }
  }
}

}  // namespace pippin::probes
