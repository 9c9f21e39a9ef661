// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sweeps/estimate/step_time.h"

namespace pippin {

/// What calls between the ranks of a layout take, each on its critical path. Unit: seconds.
class MessageTime {
 public:
  /// All three must outlive it.
  MessageTime(const Setup& setup, const Machine& machine, const Rates& rates)
      : setup_(setup), shape_(setup.shape), machine_(machine), rates_(rates) {}

  /// A gather or a scatter of so many bytes in all; `groups` of them share a node's adapters.
  double half_collective(double bytes, std::int64_t ranks, std::int64_t groups) const;
  /// So many bytes summed over the stages that have the embedding, by each of their ranks.
  double sum_of_embedding(double bytes) const;
  /// A micro-batch's activations summed over TP.
  double sum_of_tensor() const { return sum_of_tensor(shape_.hidden); }
  double sum_of_tensor(std::int64_t width) const;
  /// What attention over all parts of a sequence waits for: while it works on one, the ring hands
  /// on the next, so many tensors of the size of a rank's keys. `attention`: seconds of all parts.
  double ring(double attention, std::int64_t tensors) const;
  /// A micro-batch's tokens to their experts, or back.
  double dispatch() const;
  /// A micro-batch's activations and their gradient from one stage to the next.
  double between_stages(bool between_nodes, std::int64_t streams) const;

 private:
  bool leaves_node(std::int64_t span) const;
  double bytes_a_second(std::int64_t span, std::int64_t groups) const;
  double all_to_all(double bytes) const;
  double message_rate(bool between_nodes) const;

  const Setup& setup_;
  const Shape& shape_;
  const Machine& machine_;
  const Rates& rates_;
};

}  // namespace pippin
