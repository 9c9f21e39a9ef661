// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "probes/comm/host/transfers.h"

namespace pippin::probes {

/// One rank's part in a collective over a group: what it adds to the transfers. Few bytes go in few
/// steps, many bytes in pieces round a ring or along a chain, where every link is busy all the time
/// and carries the fewest bytes. Sources: Thakur, Rabenseifner and Gropp 2005; Hensgen, Finkel and
/// Manber 1988 (barrier).
struct Collective {
  HostTransfers& transfers;
  int rank, size;
  std::int64_t element;  ///< bytes of one

  // Buffers and counts as in Communicator, in place too. Every rank of an all_reduce() gets the
  // same bits.
  void barrier();
  void all_reduce(const std::byte* in, std::byte* out, std::int64_t count);
  void all_gather(const std::byte* in, std::byte* out, std::int64_t count);
  void reduce_scatter(const std::byte* in, std::byte* out, std::int64_t count);
  void broadcast(std::byte* data, std::int64_t count, int root);
  void reduce(const std::byte* in, std::byte* out, std::int64_t count, int root);
  void all_to_all(const std::byte* in, std::byte* out, std::int64_t count);

 private:
  int after(int steps) const { return (rank + steps) % size; }
  int before(int steps) const { return (rank + size - steps % size) % size; }
  bool is_small(std::int64_t count) const;
  std::int64_t piece_count() const;

  void all_reduce_by_halves(const std::byte* in, std::byte* out, std::int64_t count);
  void all_reduce_in_ring(const std::byte* in, std::byte* out, std::int64_t count);
  void reduce_scatter_at_once(const std::byte* in, std::byte* out, std::int64_t count);
  void reduce_scatter_in_ring(const std::byte* in, std::byte* out, std::int64_t count);
  void broadcast_by_tree(std::byte* data, std::int64_t count, int root);
  void broadcast_by_chain(std::byte* data, std::int64_t count, int root);
  void reduce_by_tree(const std::byte* in, std::byte* out, std::int64_t count, int root);
  void reduce_by_chain(const std::byte* in, std::byte* out, std::int64_t count, int root);
  void all_to_all_in_place(std::byte* data, std::int64_t count);
};

}  // namespace pippin::probes
