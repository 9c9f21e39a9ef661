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

template <typename T>
Kept<T>::Kept(Memory& memory, const StageShape& s)
    : norm1(memory, {s.own_rows, s.width}),
      norm1_mean(memory, {s.own_rows}),
      norm1_inverse_sd(memory, {s.own_rows}),
      qkv(memory, {s.rows, s.attention.qkv_width()}),
      probabilities(s.recompute_attention
                        ? Buffer<T>()
                        : Buffer<T>(memory, {s.rows, s.attention.heads, s.attention.seq})),
      context(memory, {s.rows, s.attention.width()}),
      middle(memory, {s.own_rows, s.width}),
      norm2(memory, {s.own_rows, s.width}),
      norm2_mean(memory, {s.own_rows}),
      norm2_inverse_sd(memory, {s.own_rows}),
      up(memory, {s.rows, s.up}),
      activated(memory, {s.rows, s.ffn}) {}

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
std::vector<Kept<T>> make_kept(Memory& memory, const StageShape& shape, std::int64_t count) {
  std::vector<Kept<T>> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all.emplace_back(memory, shape);
  return all;
}

/// A buffer where it is needed, else none.
template <typename T>
Buffer<T> buffer_if(bool needed, Memory& memory, std::initializer_list<std::int64_t> sizes) {
  return needed ? Buffer<T>(memory, sizes) : Buffer<T>();
}

}  // namespace

template <typename T>
Stage<T>::Stage(Device<T>& device, const Setup& s, const ShardTable& table, Groups& groups,
                const T* values, T* gradients)
    : device_(device),
      groups_(groups),
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
  inputs_ = Buffer<T>(memory, {slots_, count, own, h});
  output_ = Buffer<T>(memory, {own, h});
  flow_ = Buffer<T>(memory, {own, h});
  kept_ = make_kept<T>(memory, shape_, shape_.recompute_all ? 1 : slots_ * count);
  tokens_ = Buffer<std::int32_t>(memory, {slots_, n});
  targets_ = Buffer<std::int32_t>(memory, {slots_, n});
  narrow_ = Buffer<T>(memory, {own, h});
  wide_ = Buffer<T>(memory, {n, shape_.ffn});
  up_ = buffer_if<T>(shape_.llama, memory, {n, shape_.up});
  qkv_ = Buffer<T>(memory, {n, a.qkv_width()});
  context_ = Buffer<T>(memory, {n, a.width()});
  probabilities_ = buffer_if<T>(shape_.recompute_attention, memory, {n, a.heads, a.seq});
  scratch_ = Buffer<T>(memory, {device.attention_scratch(a)});
  whole_ = buffer_if<T>(shape_.split, memory, {n, h});
  gathered_ = buffer_if<T>(shape_.split, memory, {n, h});
  norm_ = buffer_if<T>(last_, memory, {own, h});
  norm_mean_ = buffer_if<T>(last_, memory, {own});
  norm_inverse_sd_ = buffer_if<T>(last_, memory, {own});
  logits_ = buffer_if<T>(last_, memory, {n, shape_.vocab});
  largest_ = buffer_if<T>(last_, memory, {n});
  sums_ = buffer_if<T>(last_, memory, {n});
  targets_logit_ = buffer_if<T>(last_, memory, {n});
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
const T* Stage<T>::all_rows(const T* x) {
  if (!shape_.split) return x;
  groups_.tp.template all_gather<T>(shape_.own_rows * shape_.width, x, gathered_.data());
  return gathered_.data();
}

template <typename T>
void Stage<T>::sum_rows(T* partial, T* y) {
  const std::int64_t count = shape_.own_rows * shape_.width;
  if (shape_.split)
    groups_.tp.template reduce_scatter<T>(count, partial, y);
  else
    groups_.tp.template all_reduce<T>(count, y);
}

template <typename T>
void Stage<T>::forward(std::int64_t slot, T scale) {
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

template <typename T>
void Stage<T>::embed(std::int64_t slot) {
  const std::int64_t h = shape_.width;
  T *x = input(slot), *partial = partial_of(x);
  device_.embed(shape_.rows, h, vocab_, tokens_.data() + slot * shape_.rows, edge_weights_.tokens,
                partial);
  sum_rows(partial, x);
  if (edge_weights_.positions)
    device_.add_positions(shape_.own_rows, groups_.tp.rank() * shape_.own_rows % shape_.rows, seq_,
                          h, edge_weights_.positions, x);
}

template <typename T>
void Stage<T>::embed_backward(std::int64_t slot) {
  const std::int64_t h = shape_.width;
  if (edge_gradients_.positions)
    device_.positions_backward(shape_.own_rows, groups_.tp.rank() * shape_.own_rows % shape_.rows,
                               seq_, h, flow(), edge_gradients_.positions);
  device_.embed_backward(shape_.rows, h, vocab_, tokens_.data() + slot * shape_.rows,
                         all_rows(flow()), edge_gradients_.tokens);
}

template <typename T>
void Stage<T>::layer_forward(const LayerTensors<const T>& w, const T* x, Kept<T>& kept, T* y) {
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width;
  const AttentionShape& a = shape_.attention;
  device_.norm(own, h, x, w.norm1_gain, w.norm1_bias, kept.norm1_state(), kept.norm1.data());
  device_.linear(n, h, a.qkv_width(), all_rows(kept.norm1.data()), w.qkv_weight, w.qkv_bias,
                 kept.qkv.data());
  if (shape_.llama) device_.rotate(a, 1, kept.qkv.data());
  device_.attention(a, kept.qkv.data(), probabilities_of(kept), kept.context.data());
  T *middle = kept.middle.data(), *partial = partial_of(middle);
  device_.linear(n, a.width(), h, kept.context.data(), w.out_weight, nullptr, partial);
  sum_rows(partial, middle);
  device_.add_residual(own, h, x, w.out_bias, middle);

  device_.norm(own, h, middle, w.norm2_gain, w.norm2_bias, kept.norm2_state(), kept.norm2.data());
  const T* all = all_rows(kept.norm2.data());
  if (shape_.llama)
    device_.linear_swiglu(n, h, shape_.ffn, all, w.up_weight, kept.up.data(),
                          kept.activated.data());
  else
    device_.linear_gelu(n, h, shape_.ffn, all, w.up_weight, w.up_bias, kept.up.data(),
                        kept.activated.data());
  partial = partial_of(y);
  device_.linear(n, shape_.ffn, h, kept.activated.data(), w.down_weight, nullptr, partial);
  sum_rows(partial, y);
  device_.add_residual(own, h, middle, w.down_bias, y);
}

/// Each branch ends in the residual stream: its gradient is added to what flows past it.
template <typename T>
void Stage<T>::layer_backward(const LayerTensors<const T>& w, const LayerTensors<T>& g, const T* x,
                              Kept<T>& kept) {
  mlp_backward(w, g, kept);
  attention_backward(w, g, x, kept);
}

template <typename T>
void Stage<T>::mlp_backward(const LayerTensors<const T>& w, const LayerTensors<T>& g,
                            Kept<T>& kept) {
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width, f = shape_.ffn;
  if (g.down_bias) device_.add_rows(own, h, flow(), g.down_bias);
  const T* dy = all_rows(flow());
  device_.linear_to_input(n, f, h, dy, w.down_weight, wide_.data());
  device_.linear_to_weight(n, f, h, kept.activated.data(), dy, g.down_weight);
  T* dup = shape_.llama ? up_.data() : wide_.data();
  if (shape_.llama)
    device_.swiglu_backward(n, f, kept.up.data(), wide_.data(), dup);
  else
    device_.gelu_backward(n * f, kept.up.data(), dup);
  if (g.up_bias) device_.add_rows(n, f, dup, g.up_bias);
  T* partial = partial_of(narrow_.data());
  device_.linear_to_input(n, h, shape_.up, dup, w.up_weight, partial);
  device_.linear_to_weight(n, h, shape_.up, all_rows(kept.norm2.data()), dup, g.up_weight);
  sum_rows(partial, narrow_.data());
  device_.norm_backward(own, h, kept.middle.data(), w.norm2_gain, kept.norm2_state(),
                        narrow_.data(), flow(), g.norm2_gain, g.norm2_bias);
}

template <typename T>
void Stage<T>::attention_backward(const LayerTensors<const T>& w, const LayerTensors<T>& g,
                                  const T* x, Kept<T>& kept) {
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width;
  const AttentionShape& a = shape_.attention;
  if (g.out_bias) device_.add_rows(own, h, flow(), g.out_bias);
  const T* dy = all_rows(flow());
  device_.linear_to_input(n, a.width(), h, dy, w.out_weight, context_.data());
  device_.linear_to_weight(n, a.width(), h, kept.context.data(), dy, g.out_weight);
  if (shape_.recompute_attention) {
    const During again(groups_.profile, Activity::kRecompute);
    device_.attention(a, kept.qkv.data(), probabilities_.data(), kept.context.data());
  }
  device_.attention_backward(a, kept.qkv.data(), probabilities_of(kept), context_.data(),
                             qkv_.data(), scratch_.data());
  if (shape_.llama) device_.rotate(a, -1, qkv_.data());
  if (g.qkv_bias) device_.add_rows(n, a.qkv_width(), qkv_.data(), g.qkv_bias);
  T* partial = partial_of(narrow_.data());
  device_.linear_to_input(n, h, a.qkv_width(), qkv_.data(), w.qkv_weight, partial);
  device_.linear_to_weight(n, h, a.qkv_width(), all_rows(kept.norm1.data()), qkv_.data(),
                           g.qkv_weight);
  sum_rows(partial, narrow_.data());
  device_.norm_backward(own, h, x, w.norm1_gain, kept.norm1_state(), narrow_.data(), flow(),
                        g.norm1_gain, g.norm1_bias);
}

template <typename T>
void Stage<T>::head(std::int64_t slot, T scale) {
  const std::int64_t n = shape_.rows, h = shape_.width;
  const std::int32_t* targets = targets_.data() + slot * n;
  device_.norm(shape_.own_rows, h, output(), edge_weights_.norm_gain, edge_weights_.norm_bias,
               {norm_mean_.data(), norm_inverse_sd_.data()}, norm_.data());
  device_.linear(n, h, shape_.vocab, all_rows(norm_.data()), edge_weights_.output, nullptr,
                 logits_.data());
  device_.largest(n, vocab_, logits_.data(), largest_.data());
  groups_.loss.all_reduce(n, largest_.data(), Reduction::kMax);
  device_.exponentials(n, vocab_, targets, largest_.data(), logits_.data(), sums_.data(),
                       targets_logit_.data());
  groups_.loss.all_reduce(n, targets_logit_.data());
  groups_.loss.all_reduce(n, sums_.data());
  device_.cross_entropy(n, vocab_, targets, sums_.data(), targets_logit_.data(), scale,
                        logits_.data(), loss_.data());
}

template <typename T>
void Stage<T>::head_backward() {
  const std::int64_t n = shape_.rows, own = shape_.own_rows, h = shape_.width;
  T* partial = partial_of(narrow_.data());
  device_.linear_to_input(n, h, shape_.vocab, logits_.data(), edge_weights_.output, partial);
  device_.linear_to_weight(n, h, shape_.vocab, all_rows(norm_.data()), logits_.data(),
                           edge_gradients_.output);
  sum_rows(partial, narrow_.data());
  device_.clear(flow_size(), flow());
  device_.norm_backward(own, h, output(), edge_weights_.norm_gain,
                        {norm_mean_.data(), norm_inverse_sd_.data()}, narrow_.data(), flow(),
                        edge_gradients_.norm_gain, edge_gradients_.norm_bias);
}

template struct Kept<float>;
template struct Kept<double>;
template class Stage<float>;
template class Stage<double>;

}  // namespace pippin::probes
