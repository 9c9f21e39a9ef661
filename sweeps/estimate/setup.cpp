// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/setup.h"

#include <algorithm>

namespace pippin {

namespace {

/// The first stages have one more where they cannot have as many each.
/// Source: DeepSpeed, runtime/utils.py, partition_balanced().
std::int64_t layers_by_deepspeed(const Setup& setup, std::int64_t stage) {
  const std::int64_t ends = setup.embeddings_count ? 1 : 0, blocks = setup.shape.layers + 2 * ends;
  const std::int64_t each = blocks / setup.pp, more = blocks % setup.pp;
  const std::int64_t begin = stage * each + std::min(stage, more);
  const std::int64_t end = begin + each + (stage < more ? 1 : 0);
  const std::int64_t layers = std::min(end, blocks - ends) - std::max(begin, ends);
  return std::max<std::int64_t>(layers, 0);  // where there are more stages than blocks
}

}  // namespace

std::string_view text_of(Recompute recompute) {
  switch (recompute) {
    case Recompute::kFull:
      return "full";
    case Recompute::kSelective:
      return "selective";
    case Recompute::kNone:
      break;
  }
  return "none";
}

Attention usual_attention(const Setup& setup) {
  const Generation generation = setup.generation;
  if (generation == Generation::kVolta || setup.type == NumberType::kFp32)
    return Attention::kScores;
  // Keys that are wider than values: padded for flash-attn, which cuDNN's need not be.
  if (setup.shape.head_width != setup.shape.values() && generation != Generation::kAmpere)
    return Attention::kFused;
  const bool flash = generation == Generation::kAmpere ||
                     (generation == Generation::kBlackwell && setup.deterministic);
  return flash ? Attention::kFlash : Attention::kFused;
}

std::int64_t Setup::layers_of_stage(std::int64_t stage) const {
  if (pp == 1) return shape.layers;
  if (layers_before) {
    std::int64_t layers = 0;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) layers += layers_of_chunk(stage, chunk);
    return layers;
  }
  if (first_layers > 0 && stage == 0) return first_layers;
  if (last_layers > 0 && stage == pp - 1) return last_layers;
  const std::int64_t others = pp - (first_layers > 0 ? 1 : 0) - (last_layers > 0 ? 1 : 0);
  const std::int64_t rest = shape.layers - first_layers - last_layers;
  if (rest % others == 0 && !embeddings_count) return rest / others;
  if (has_deepspeed_stages()) return layers_by_deepspeed(*this, stage);
  return (rest + others - 1) / others;
}

std::int64_t Setup::layers_of_chunk(std::int64_t stage, std::int64_t chunk) const {
  if (layers_before) {
    const auto at = layers_before->begin() + chunk * pp + stage;
    return at[1] - at[0];
  }
  const std::int64_t own = layers_of_stage(stage), each = (own + chunks - 1) / chunks;
  const bool is_end = (stage == 0 && chunk == 0) || (stage == pp - 1 && chunk == chunks - 1);
  return is_end ? own - (chunks - 1) * each : each;
}

std::int64_t Setup::embedding_stages() const {
  const bool at_mtp = shape.mtp_layers > 0, at_last = shape.tied;
  const bool is_one = at_mtp && at_last && mtp_ahead == 0;
  return pp == 1 ? 1 : 1 + (at_mtp ? 1 : 0) + (at_last && !is_one ? 1 : 0);
}

std::int64_t Setup::place_of_last_norm() const {
  if (!layers_before || shape.mtp_layers == 0) return chunks * pp - 1;
  const auto all = std::lower_bound(layers_before->begin(), layers_before->end(), shape.layers);
  return all - layers_before->begin() - 1;
}

std::int64_t Setup::mixtures_among(std::int64_t stage) const {
  // The layers in their order: each stage's part of the first chunk, of the second, and so on.
  const auto before = [&](std::int64_t stages, std::int64_t chunk) {
    if (layers_before) {
      const auto first = layers_before->begin() + chunk * pp;
      return first[stages] - first[0];
    }
    std::int64_t layers = stages > 0 ? layers_of_chunk(0, chunk) : 0;
    if (stages > 1) layers += (std::min(stages, pp - 1) - 1) * layers_of_chunk(1, chunk);
    return layers + (stages == pp && pp > 1 ? layers_of_chunk(pp - 1, chunk) : 0);
  };
  std::int64_t mixtures = 0, begin = 0;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t first = begin + before(stage, chunk);
    mixtures += shape.mixtures_of(first + layers_of_chunk(stage, chunk)) - shape.mixtures_of(first);
    begin += before(pp, chunk);
  }
  return mixtures;
}

double Setup::remade_share(std::int64_t stage) const {
  if (recompute != Recompute::kFull) return 0;
  const double layers = number(passes_of_stage(stage));
  if (!recompute_block || layers == 0) return 1;
  // Those of MTP are not made again then.
  return std::min(number(recompute_layers * chunks), number(layers_of_stage(stage))) / layers;
}

bool Setup::remakes_attention() const {
  // Megatron-Core makes what flash attention does again, too, though that keeps no scores.
  return recompute == Recompute::kSelective && remade.attention &&
         (attention == Attention::kScores || framework == Framework::kMegatronCore);
}

namespace {

/// Of one number in 8 bits: itself, and its part of a scale.
double fp8_bytes(const Setup& setup, double numbers_a_block) {
  constexpr double kWideScale = 4, kMxNumbers = 32;
  if (setup.scales_tensors()) return 1;
  return 1 + (setup.fp8 == Fp8::kMx ? 1 / kMxNumbers : kWideScale / numbers_a_block);
}

}  // namespace

double Setup::input_bytes() const {
  constexpr double kRow = 128;
  return fp8 == Fp8::kNone ? bytes_of(type) : fp8_bytes(*this, kRow);
}

/// Both ways through a matrix, where products cannot read it either way or blocks differ; Blackwell
/// reads tensors of one scale either way. Copies of wider weights are kept from step to step.
/// Source: Transformer Engine, tensor/*_tensor.py.
double Setup::layer_weight_bytes() const {
  constexpr double kSquare = 128.0 * 128;
  if (fp8 == Fp8::kNone) return bytes_of(type);
  const bool one_way = scales_tensors() && generation == Generation::kBlackwell;
  return (fp8_weights ? 0 : bytes_of(type)) + (one_way ? 1 : 2) * fp8_bytes(*this, kSquare);
}

double Setup::gradient_bytes() const {
  if (framework == Framework::kProbe || type == NumberType::kFp32) return 4;
  const bool is_megatron = framework == Framework::kMegatron2 ||
                           framework == Framework::kMegatron2023 ||
                           framework == Framework::kMegatronCore;
  const bool is_wide = wide_gradients && is_megatron;
  const bool is_narrow = reduces_narrow || (type == NumberType::kFp16 && !is_wide);
  return is_narrow ? 2 : 4;
}

bool Setup::copies_gradients() const {
  return type != NumberType::kFp32 && gradient_bytes() == 2 && !takes_narrow;
}

bool Setup::sends_parts() const {
  if (sequence_parallel) return true;
  // Megatron-LM sends by Megatron-Core's code since the middle of 2023.
  const bool sends_whole = framework == Framework::kProbe ||
                           framework == Framework::kMegatron2023 ||
                           framework == Framework::kMegatronCore;
  return !sends_whole && scatters_messages && tp > 1;
}

}  // namespace pippin
