// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "probes/device/device.h"
#include "probes/training/groups.h"
#include "probes/training/shards.h"

namespace pippin::probes {

/// The sizes of one micro-batch on its way through one rank.
struct StageShape {
  explicit StageShape(const Setup& setup);

  std::int64_t rows;         ///< tokens of a micro-batch
  std::int64_t own_rows;     ///< those of norms and residuals: fewer under sequence parallelism
  std::int64_t width;        ///< hidden size
  std::int64_t ffn, up;      ///< this rank's part of the MLP; `up` counts gate and up
  AttentionShape attention;  ///< this rank's heads
  std::int64_t vocab;        ///< this rank's rows of the vocabulary
  bool llama, split, recompute_all, recompute_attention;
};

/// Where one layer's tensors are, in the weights (P is const T) or in their gradients (P is
/// Wide<T>).
/// Llama has no biases: they are null.
template <typename P>
struct LayerTensors {
  P *norm1_gain, *norm1_bias, *qkv_weight, *qkv_bias, *out_weight, *out_bias;
  P *norm2_gain, *norm2_bias, *up_weight, *up_bias, *down_weight, *down_bias;
};

/// Where the tensors outside the layers are; null where the stage or the style has none.
template <typename P>
struct EdgeTensors {
  P *tokens, *positions, *norm_gain, *norm_bias, *output;
};

/// What a layer keeps of its forward pass for its backward pass.
template <typename T>
struct Kept {
  Kept(Device<T>& device, const StageShape& shape);
  NormState<T> norm1_state() { return {norm1_mean.data(), norm1_inverse_sd.data()}; }
  NormState<T> norm2_state() { return {norm2_mean.data(), norm2_inverse_sd.data()}; }

  Buffer<T> norm1, qkv, context, middle, norm2, up, activated;
  Buffer<Wide<T>> norm1_mean, norm1_inverse_sd, norm2_mean, norm2_inverse_sd;
  Buffer<Wide<T>> attention;  ///< empty where it is made again
};

/// One pipeline stage on one tensor-parallel rank: the layers, and the embedding or the head at the
/// ends. All memory is taken when it is made. Micro-batches in flight have a slot each.
template <typename T>
class Stage {
 public:
  using W = Wide<T>;

  /// `values` and `gradients` are flat arrays by `table`; `state` has the loss scale. All must
  /// outlive it.
  Stage(Device<T>& device, const Setup& setup, const ShardTable& table, Groups& groups,
        const T* values, W* gradients, const StepState* state);

  std::int64_t slots() const { return slots_; }
  std::int64_t layers() const { return static_cast<std::int64_t>(weights_.size()); }
  bool first() const { return first_; }
  bool last() const { return last_; }
  /// Elements that stages send each other.
  std::int64_t flow_size() const { return shape_.own_rows * shape_.width; }

  /// Where the stage before writes what this one begins with.
  T* input(std::int64_t slot) { return inputs_.data() + slot * layers() * flow_size(); }
  /// What the stage after begins with; the last stage's is its own.
  T* output() { return output_.data(); }
  /// The gradient of output(), which backward() turns into that of input().
  T* flow() { return flow_.data(); }

  /// Host tokens of the micro-batch in a slot. Shape: rows each.
  void set_tokens(std::int64_t slot, const std::int32_t* inputs, const std::int32_t* targets);

  /// From input(slot), or the tokens, to output(). The last stage goes on to the loss, which it
  /// adds to loss(), and to its gradient, times `scale`, in flow(): backward() must follow.
  void forward(std::int64_t slot, W scale);
  /// Adds the slot's gradients; `after(offset)` is told from where on the flat array's are complete
  /// for this micro-batch.
  void backward(std::int64_t slot, const std::function<void(std::int64_t offset)>& after);

  /// What forward() has met since the last call, a sum over tokens; 0 but for the last stage.
  double take_loss();

 private:
  T* layer_input(std::int64_t slot, std::int64_t layer) {
    return input(slot) + layer * flow_size();
  }
  Kept<T>& kept_of(std::int64_t slot, std::int64_t layer) {
    return kept_[static_cast<std::size_t>(shape_.recompute_all ? 0 : slot * layers() + layer)];
  }
  W* attention_of(Kept<T>& kept) {
    return shape_.recompute_attention ? attention_.data() : kept.attention.data();
  }

  void embed(std::int64_t slot);
  void embed_backward(std::int64_t slot);
  void layer_forward(const LayerTensors<const T>& w, const T* x, Kept<T>& kept, T* y);
  void layer_backward(const LayerTensors<const T>& w, const LayerTensors<W>& g, const T* x,
                      Kept<T>& kept);
  void attention_backward(const LayerTensors<const T>& w, const LayerTensors<W>& g, const T* x,
                          Kept<T>& kept);
  void mlp_backward(const LayerTensors<const T>& w, const LayerTensors<W>& g, Kept<T>& kept);
  void head(std::int64_t slot, W scale);
  void head_backward();

  /// This rank's rows of x become all of them; x itself where nothing is split.
  const T* all_rows(const T* x);
  /// The sum over the ranks of `partial`, of which `y` gets this rank's rows.
  void sum_rows(T* partial, T* y);
  /// Where a product that sum_rows() finishes in `y` is written.
  T* partial_of(T* y) { return shape_.split ? whole_.data() : y; }

  Device<T>& device_;
  Groups& groups_;
  const StepState* state_;
  StageShape shape_;
  bool first_, last_;
  std::int64_t seq_, slots_;
  VocabPart vocab_;
  std::vector<LayerTensors<const T>> weights_;
  std::vector<LayerTensors<W>> gradients_;
  std::vector<std::int64_t> complete_from_;  ///< of each layer, then of the head
  EdgeTensors<const T> edge_weights_;
  EdgeTensors<W> edge_gradients_;

  Buffer<T> inputs_;  ///< slots × layers
  Buffer<T> output_, flow_;
  std::vector<Kept<T>> kept_;                     ///< slots × layers, or one that is made again
  Buffer<std::int32_t> tokens_, targets_;         ///< slots
  Buffer<T> narrow_, wide_, up_, qkv_, context_;  ///< the backward pass' gradients
  Buffer<W> attention_;
  Buffer<T> whole_, gathered_;  ///< all rows, under sequence parallelism
  Buffer<T> norm_, logits_;     ///< the head
  Buffer<W> norm_mean_, norm_inverse_sd_, largest_, sums_, targets_logit_;
  Buffer<double> loss_;
};

}  // namespace pippin::probes
