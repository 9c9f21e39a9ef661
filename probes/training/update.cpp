#include "probes/training/update.h"

#include <algorithm>
#include <cmath>

namespace pippin::probes {

template <typename T>
Update<T>::Update(Device<T>& device, const ShardTable& table, const Setup& setup,
                  const OptimizerSettings& optimizer, Groups& groups, T* values, T* gradients)
    : device_(device),
      table_(table),
      optimizer_(optimizer),
      groups_(groups),
      values_(values),
      gradients_(gradients),
      scattered_(setup.zero == "1" && setup.dp > 1),
      part_(scattered_ ? Buffer<T>(device.memory(), {table.size / setup.dp}) : Buffer<T>()),
      moments1_(device.memory(), {scattered_ ? table.size / setup.dp : table.size}),
      moments2_(device.memory(), {moments1_.size()}),
      state_(device.memory(), {1}) {
  list_buckets(setup.reduce_bucket_size);
  list_pieces();
}

template <typename T>
void Update<T>::list_buckets(std::int64_t bucket_size) {
  const std::int64_t ranks = groups_.dp_reduce.size();
  const std::int64_t size = (bucket_size + ranks - 1) / ranks * ranks;
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
  T* gradients = gradients_ + bucket.begin;
  bucket.started = true;
  bucket.call = scattered_
                    ? groups_.dp_reduce.template start_reduce_scatter<T>(
                          bucket.size() / ranks, gradients, part_.data() + bucket.begin / ranks)
                    : groups_.dp_reduce.template start_all_reduce<T>(bucket.size(), gradients);
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
  channel.template all_reduce<T>(end - region.begin, gradients_ + region.begin);
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
StepOutcome Update<T>::step() {
  StepState* state = state_.data();
  device_.clear_squares(state);
  for (const auto& piece : pieces_)
    if (piece.counts) device_.add_squares(piece.count, reduced() + piece.gradient, &state->squares);
  groups_.norm.template all_reduce<double>(1, &state->squares);
  device_.begin_step(state);
  for (const auto& p : pieces_)
    device_.adam(optimizer_, state, p.count, p.decays, reduced() + p.gradient, values_ + p.value,
                 moments1_.data() + p.state, moments2_.data() + p.state);
  if (scattered_)
    for (const auto& bucket : buckets_) {
      const std::int64_t share = bucket.size() / groups_.dp_gather.size();
      T* whole = values_ + bucket.begin;
      groups_.dp_gather.template all_gather<T>(share, whole + groups_.dp_gather.rank() * share,
                                               whole);
    }
  StepState host;
  device_.to_host(sizeof host, state, &host);
  return {std::sqrt(host.squares), !std::isfinite(host.squares)};
}

template <typename T>
void Update<T>::gather_gradients() {
  if (!scattered_) return;
  Communicator& group = groups_.dp_gather.group();
  for (const auto& bucket : buckets_)
    group.all_gather(part_.data() + bucket.begin / group.size(), gradients_ + bucket.begin,
                     bucket.size() / group.size(), element_of<T>());
}

template class Update<float>;
template class Update<double>;

}  // namespace pippin::probes
