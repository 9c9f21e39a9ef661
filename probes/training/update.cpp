// SPDX-License-Identifier: Apache-2.0
#include "probes/training/update.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace pippin::probes {

namespace {

template <typename T>
constexpr bool kHasMasters = !std::is_same_v<T, Wide<T>>;

/// Elements that this rank's optimizer moves.
std::int64_t own_size(const ShardTable& table, const Setup& setup) {
  return setup.zero == "1" ? table.size / setup.dp : table.size;
}

}  // namespace

template <typename T>
Update<T>::Update(Device<T>& device, const ShardTable& table, const Setup& setup,
                  const OptimizerSettings& optimizer, const LossScaling& scaling, Groups& groups,
                  T* values, W* gradients, StepState* state)
    : device_(device),
      table_(table),
      optimizer_(optimizer),
      scaling_(scaling),
      groups_(groups),
      values_(values),
      gradients_(gradients),
      state_(state),
      scattered_(setup.zero == "1" && setup.dp > 1),
      part_(scattered_ ? Buffer<W>(device.memory(), {table.size / setup.dp}) : Buffer<W>()),
      masters_(kHasMasters<T> ? Buffer<W>(device.memory(), {own_size(table, setup)}) : Buffer<W>()),
      moments1_(device.memory(), {own_size(table, setup)}),
      moments2_(device.memory(), {own_size(table, setup)}) {
  list_buckets(setup.reduce_bucket_size);
  list_pieces();
}

template <typename T>
void Update<T>::list_buckets(std::int64_t bucket_size) {
  const std::int64_t ranks = groups_.dp_reduce.size();
  const std::int64_t size = aligned(bucket_size, ranks);
  for (const auto& region : table_.regions)
    for (std::int64_t end = region.end; end > region.begin; end -= size)
      buckets_.push_back({region.lack, std::max(region.begin, end - size), end});
}

template <typename T>
void Update<T>::list_pieces() {
  const std::int64_t ranks = groups_.dp_reduce.size(), rank = groups_.dp_reduce.rank();
  if (!scattered_) return append_pieces(0, table_.size, 0, 0);
  for (const auto& bucket : buckets_) {
    const std::int64_t share = bucket.size() / ranks, at = bucket.begin / ranks;
    append_pieces(bucket.begin + rank * share, bucket.begin + (rank + 1) * share, at, at);
  }
}

/// The pieces of the flat run begin … end − 1, whose gradients and moments stand from `gradient`
/// and `state` on.
template <typename T>
void Update<T>::append_pieces(std::int64_t begin, std::int64_t end, std::int64_t gradient,
                              std::int64_t state) {
  for (const auto& shard : table_.shards) {
    const std::int64_t from = std::max(begin, shard.offset);
    const std::int64_t to = std::min(end, shard.offset + shard.size());
    if (from >= to) continue;
    pieces_.push_back({from, gradient + from - begin, state + from - begin, to - from,
                       shard.decays(), shard.counts});
  }
}

template <typename T>
void Update<T>::start(Bucket& bucket) {
  const std::int64_t ranks = groups_.dp_reduce.size();
  W* gradients = gradients_ + bucket.begin;
  bucket.started = true;
  bucket.call = scattered_
                    ? groups_.dp_reduce.template start_reduce_scatter<W>(
                          bucket.size() / ranks, gradients, part_.data() + bucket.begin / ranks)
                    : groups_.dp_reduce.template start_all_reduce<W>(bucket.size(), gradients);
}

template <typename T>
void Update<T>::complete_from(std::int64_t offset) {
  for (auto& bucket : buckets_)
    if (bucket.lack == Lack::kNothing && !bucket.started && bucket.begin >= offset) start(bucket);
}

template <typename T>
void Update<T>::poll() {
  for (auto& bucket : buckets_) groups_.dp_reduce.poll(bucket.call);
}

template <typename T>
void Update<T>::sum_lacking(const Region& region) {
  // Only what stands in the region; its padding is zero and belongs to nobody.
  std::int64_t end = region.begin;
  for (const auto& shard : table_.shards)
    if (shard.lack == region.lack) end = std::max(end, shard.offset + shard.size());
  Channel& channel = region.lack == Lack::kOtherStage ? groups_.embedding : groups_.tp_gradients;
  channel.template all_reduce<W>(end - region.begin, gradients_ + region.begin);
}

template <typename T>
void Update<T>::finish() {
  complete_from(0);
  for (const auto& region : table_.regions)
    if (region.lack != Lack::kNothing) sum_lacking(region);
  for (auto& bucket : buckets_)
    if (!bucket.started) start(bucket);
  for (auto& bucket : buckets_) {
    groups_.dp_reduce.wait(bucket.call);
    bucket.started = false;
  }
}

template <typename T>
Wide<T>* Update<T>::masters_of(const Piece& piece) {
  if constexpr (kHasMasters<T>)
    return masters_.data() + piece.state;
  else
    return values_ + piece.value;
}

template <typename T>
void Update<T>::begin() {
  const StepState first = first_state(scaling_);
  device_.to_device(sizeof first, &first, state_);
  if (!kHasMasters<T>) return;
  for (const auto& piece : pieces_)
    device_.widen(piece.count, values_ + piece.value, masters_of(piece));
}

template <typename T>
StepOutcome Update<T>::step() {
  for (const auto& piece : pieces_)
    if (piece.counts)
      device_.add_squares(piece.count, reduced() + piece.gradient, &state_->squares);
  groups_.norm.template all_reduce<double>(1, &state_->squares);
  device_.begin_step(scaling_, state_);
  for (const auto& p : pieces_)
    device_.adam(optimizer_, state_, p.count, p.decays, reduced() + p.gradient, masters_of(p),
                 moments1_.data() + p.state, moments2_.data() + p.state, values_ + p.value);
  if (scattered_)
    for (const auto& bucket : buckets_) {
      const std::int64_t share = bucket.size() / groups_.dp_gather.size();
      T* whole = values_ + bucket.begin;
      groups_.dp_gather.template all_gather<T>(share, whole + groups_.dp_gather.rank() * share,
                                               whole);
    }
  StepState host;
  device_.to_host(sizeof host, state_, &host);
  return {host.norm(), host.next_scale, !host.is_finite()};
}

template <typename T>
void Update<T>::gather_gradients() {
  if (!scattered_) return;
  Communicator& group = groups_.dp_gather.group();
  for (const auto& bucket : buckets_)
    group.all_gather(part_.data() + bucket.begin / group.size(), gradients_ + bucket.begin,
                     bucket.size() / group.size(), element_of<W>());
}

template class Update<Half>;
template class Update<BFloat16>;
template class Update<float>;
template class Update<double>;

}  // namespace pippin::probes
