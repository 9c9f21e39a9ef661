// SPDX-License-Identifier: Apache-2.0
#include "probes/training/stage.h"

#include <algorithm>
#include <limits>

namespace pippin::probes {

StageShape::StageShape(const Setup& s)
    : rows(s.mbs * s.seq),
      own_rows(splits_sequence(s) ? rows / s.tp : rows),
      width(s.hidden),
      ffn(s.ffn_width() / s.tp),
      up(s.llama() ? 2 * ffn : ffn),
      attention{s.mbs, s.seq, s.heads / s.tp, s.groups() / s.tp, s.head_width()},
      vocab(padded_vocab(s) / s.tp),
      llama(s.llama()),
      split(splits_sequence(s)),
      recompute_all(s.recompute == "full"),
      recompute_attention(s.recompute == "selective") {}

namespace {

/// A buffer where it is needed, else none.
template <typename T>
Buffer<T> buffer_if(bool needed, Memory& memory, std::initializer_list<std::int64_t> sizes) {
  return needed ? Buffer<T>(memory, sizes) : Buffer<T>();
}

}  // namespace

template <typename T>
Kept<T>::Kept(Device<T>& device, const StageShape& s)
    : norm1(device.memory(), {s.own_rows, s.width}),
      qkv(device.memory(), {s.rows, s.attention.qkv_width()}),
      context(device.memory(), {s.rows, s.attention.width()}),
      middle(device.memory(), {s.own_rows, s.width}),
      norm2(device.memory(), {s.own_rows, s.width}),
      up(device.memory(), {s.rows, s.up}),
      activated(device.memory(), {s.rows, s.ffn}),
      norm1_mean(device.memory(), {s.own_rows}),
      norm1_inverse_sd(device.memory(), {s.own_rows}),
      norm2_mean(device.memory(), {s.own_rows}),
      norm2_inverse_sd(device.memory(), {s.own_rows}),
      attention(buffer_if<Wide<T>>(!s.recompute_attention, device.memory(),
                                   {device.attention_kept(s.attention)})) {}

namespace {

/// Null where this rank has no such tensor.
template <typename P>
P* find(const ShardTable& table, const std::string& name, P* flat) {
  for (const auto& shard : table.shards)
    if (shard.name == name) return flat + shard.offset;
  return nullptr;
}

template <typename P>
LayerTensors<P> layer_tensors(const ShardTable& table, const std::string& layer, P* flat) {
  const auto at = [&](const char* name) { return find(table, layer + name, flat); };
  return {at("norm1.gain"), at("norm1.bias"), at("qkv.weight"),  at("qkv.bias"),
          at("out.weight"), at("out.bias"),   at("norm2.gain"),  at("norm2.bias"),
          at("up.weight"),  at("up.bias"),    at("down.weight"), at("down.bias")};
}

template <typename P>
EdgeTensors<P> edge_tensors(const ShardTable& table, P* flat) {
  P* tokens = find(table, "tokens", flat);
  P* output = find(table, "output", flat);
  return {tokens, find(table, "positions", flat), find(table, "norm.gain", flat),
          find(table, "norm.bias", flat), output ? output : tokens};
}

/// Where the tensors of that prefix begin among those that lack nothing; behind all where there are
/// none of them.
std::int64_t first_offset(const ShardTable& table, const std::string& prefix) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const auto& shard : table.shards)
    if (shard.lack == Lack::kNothing && shard.name.starts_with(prefix))
      first = std::min(first, shard.offset);
  return first;
}

std::int64_t slots_of(const Setup& s, const Place& place) {
  return std::min(s.pp - place.pp, s.gas);
}

VocabPart vocab_part(const Setup& s, const Place& place) {
  const std::int64_t rows = padded_vocab(s) / s.tp, first = place.tp * rows;
  return {first, rows, std::clamp<std::int64_t>(s.vocab - first, 0, rows)};
}

template <typename T>
std::vector<Kept<T>> make_kept(Device<T>& device, const StageShape& shape, std::int64_t count) {
  std::vector<Kept<T>> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all.emplace_back(device, shape);
  return all;
}

}  // namespace

template <typename T>
Stage<T>::Stage(Device<T>& device, const Setup& s, const ShardTable& table, Groups& groups,
                const T* values, W* gradients, const StepState* state)
    : device_(device),
      groups_(groups),
      state_(state),
      shape_(s),
      first_(groups.place.pp == 0),
      last_(groups.place.pp == s.pp - 1),
      seq_(s.seq),
      slots_(slots_of(s, groups.place)),
      vocab_(vocab_part(s, groups.place)),
      edge_weights_(edge_tensors(table, values)),
      edge_gradients_(edge_tensors(table, gradients)) {
  std::int64_t layer = 0;
  for (std::int64_t stage = 0; stage < groups.place.pp; ++stage) layer += layers_of_stage(s, stage);
  const std::int64_t count = layers_of_stage(s, groups.place.pp);
  for (std::int64_t i = 0; i < count; ++i, ++layer) {
    const std::string name = "layer" + std::to_string(layer) + ".";
    weights_.push_back(layer_tensors(table, name, values));
    gradients_.push_back(layer_tensors(table, name, gradients));
    complete_from_.push_back(first_offset(table, name));
  }
  complete_from_.push_back(std::min(first_offset(table, "norm."), first_offset(table, "output")));

  Memory& memory = device.memory();
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width;
  const AttentionShape& a = shape_.attention;
  device.prepare({n, std::max({h, a.qkv_width(), shape_.up}), a, shape_.llama});
  inputs_ = Buffer<T>(memory, {slots_, count, own, h});
  output_ = Buffer<T>(memory, {own, h});
  flow_ = Buffer<T>(memory, {own, h});
  kept_ = make_kept<T>(device, shape_, shape_.recompute_all ? 1 : slots_ * count);
  tokens_ = Buffer<std::int32_t>(memory, {slots_, n});
  targets_ = Buffer<std::int32_t>(memory, {slots_, n});
  narrow_ = Buffer<T>(memory, {own, h});
  wide_ = Buffer<T>(memory, {n, shape_.ffn});
  up_ = buffer_if<T>(shape_.llama, memory, {n, shape_.up});
  qkv_ = Buffer<T>(memory, {n, a.qkv_width()});
  context_ = Buffer<T>(memory, {n, a.width()});
  attention_ = buffer_if<W>(shape_.recompute_attention, memory, {device.attention_kept(a)});
  whole_ = buffer_if<T>(shape_.split, memory, {n, h});
  gathered_ = buffer_if<T>(shape_.split, memory, {n, h});
  norm_ = buffer_if<T>(last_, memory, {own, h});
  norm_mean_ = buffer_if<W>(last_, memory, {own});
  norm_inverse_sd_ = buffer_if<W>(last_, memory, {own});
  logits_ = buffer_if<T>(last_, memory, {n, shape_.vocab});
  largest_ = buffer_if<W>(last_, memory, {n});
  sums_ = buffer_if<W>(last_, memory, {n});
  targets_logit_ = buffer_if<W>(last_, memory, {n});
  loss_ = Buffer<double>(memory, {1});
}

template <typename T>
void Stage<T>::set_tokens(std::int64_t slot, const std::int32_t* inputs,
                          const std::int32_t* targets) {
  const std::int64_t bytes = shape_.rows * std::int64_t{sizeof(std::int32_t)};
  device_.to_device(bytes, inputs, tokens_.data() + slot * shape_.rows);
  device_.to_device(bytes, targets, targets_.data() + slot * shape_.rows);
}

template <typename T>
double Stage<T>::take_loss() {
  double loss = 0;
  const double zero = 0;
  device_.to_host(sizeof loss, loss_.data(), &loss);
  device_.to_device(sizeof zero, &zero, loss_.data());
  return loss;
}

template <typename T>
void Stage<T>::forward(std::int64_t slot, W scale) {
  const During during(groups_.profile, Activity::kForward);
  if (first_) embed(slot);
  for (std::int64_t layer = 0; layer < layers(); ++layer) {
    T* y = layer + 1 < layers() ? layer_input(slot, layer + 1) : output();
    layer_forward(weights_[static_cast<std::size_t>(layer)], layer_input(slot, layer),
                  kept_of(slot, layer), y);
  }
  if (last_) head(slot, scale);
}

template <typename T>
void Stage<T>::backward(std::int64_t slot, const std::function<void(std::int64_t)>& after) {
  const During during(groups_.profile, Activity::kBackward);
  if (last_) {
    head_backward();
    after(complete_from_.back());
  }
  for (std::int64_t layer = layers() - 1; layer >= 0; --layer) {
    const auto i = static_cast<std::size_t>(layer);
    Kept<T>& kept = kept_of(slot, layer);
    if (shape_.recompute_all) {
      // Only what is kept matters: the output goes where nobody looks.
      const During again(groups_.profile, Activity::kRecompute);
      layer_forward(weights_[i], layer_input(slot, layer), kept, output());
    }
    layer_backward(weights_[i], gradients_[i], layer_input(slot, layer), kept);
    after(complete_from_[i]);
  }
  if (first_) embed_backward(slot);
}

template struct Kept<Half>;
template struct Kept<BFloat16>;
template struct Kept<float>;
template struct Kept<double>;
template class Stage<Half>;
template class Stage<BFloat16>;
template class Stage<float>;
template class Stage<double>;

}  // namespace pippin::probes
