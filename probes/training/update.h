// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "probes/common/optimizer.h"
#include "probes/device/device.h"
#include "probes/training/groups.h"
#include "probes/training/shards.h"

namespace pippin::probes {

struct StepOutcome {
  double grad_norm = 0;   ///< before clipping, without the loss scale
  double loss_scale = 1;  ///< of the next step
  bool skipped = false;   ///< the gradient was not finite: nothing was changed
};

/// What happens to one rank's gradients: sums over the ranks, by buckets that start while the
/// backward pass goes on; the norm; AdamW, with ZeRO-1 on this rank's part of each bucket; and the
/// gathering of the new weights.
template <typename T>
class Update {
 public:
  using W = Wide<T>;

  /// `values` and `gradients` are flat arrays by `table`. All must outlive it.
  Update(Device<T>& device, const ShardTable& table, const Setup& setup,
         const OptimizerSettings& optimizer, const LossScaling& scaling, Groups& groups, T* values,
         W* gradients, StepState* state);

  /// Before the first step, when the values are drawn: where the master weights are others they
  /// begin as the same.
  void begin();

  /// The gradients from `offset` on that lack nothing are complete: starts what buckets are.
  void complete_from(std::int64_t offset);
  /// Moves the started calls on, where the library wants to be asked.
  void poll();
  /// Every gradient is complete on this rank; returns when it is summed over all.
  void finish();
  /// Norm, clipping, AdamW, gathering. Requires finish().
  StepOutcome step();

  /// For the tests: the summed gradients, whole again where ZeRO-1 has scattered them.
  void gather_gradients();

 private:
  /// A run of the flat array that is reduced by one call.
  struct Bucket {
    Lack lack;
    std::int64_t begin, end;
    Channel::Started call = {};
    bool started = false;
    std::int64_t size() const { return end - begin; }
  };
  /// A run that this rank's optimizer moves, of one kind of tensor.
  struct Piece {
    std::int64_t value, gradient, state, count;  ///< `state`: of masters and moments
    bool decays, counts;
  };

  void start(Bucket& bucket);
  void sum_lacking(const Region& region);
  void list_buckets(std::int64_t bucket_size);
  void list_pieces();
  void append_pieces(std::int64_t begin, std::int64_t end, std::int64_t gradient,
                     std::int64_t state);
  const W* reduced() const { return scattered_ ? part_.data() : gradients_; }
  W* masters_of(const Piece& piece);

  Device<T>& device_;
  const ShardTable& table_;
  OptimizerSettings optimizer_;
  LossScaling scaling_;
  Groups& groups_;
  T* values_;
  W* gradients_;
  StepState* state_;
  bool scattered_;
  std::vector<Bucket> buckets_;  ///< from the end of the array to its begin, as they complete
  std::vector<Piece> pieces_;
  Buffer<W> part_;     ///< with ZeRO-1 this rank's part of the summed gradients
  Buffer<W> masters_;  ///< none where the values are wide themselves
  Buffer<W> moments1_, moments2_;
};

}  // namespace pippin::probes
