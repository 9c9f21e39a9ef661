// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/memory.h"

#include <algorithm>

#include "core/base/units.h"
#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/library_memory.h"
#include "sweeps/estimate/older_memory.h"
#include "sweeps/estimate/probe_memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/state_memory.h"

namespace pippin {

namespace {

bool is_megatron_core(const Setup& setup) {
  return setup.framework == Framework::kMegatronCore || setup.framework == Framework::kMegatron2023;
}

/// Bytes of a micro-batch's activations between layers, as far as a GPU has them.
double stream_bytes(const Setup& setup) {
  return bytes_of(setup.type) * tokens_of(setup) * sequence_share(setup) *
         number(setup.shape.hidden);
}

/// Forward passes of a chunk of layers whose backward pass is to come, when they are most.
/// Source: Megatron-LM, schedules.py: the interleaved schedule's warm-up.
struct InFlight {
  double passes, layers;
  double layers_at_loss;  ///< while the last chunk goes forward
  double of_end;          ///< passes of the chunk that has MTP or the last norm
};

/// What else a chunk may have, where that is not on the stage of the loss.
struct End {
  std::int64_t chunk = -1;  ///< -1: none
  std::int64_t layers = 0;  ///< of MTP
};

End end_of(const Setup& setup, std::int64_t stage) {
  if (setup.mtp_ahead == 0) return {};
  if (stage == setup.mtp_stage()) return {setup.chunks - 1, setup.shape.mtp_layers};
  const std::int64_t place = setup.place_of_last_norm();
  return stage == place % setup.pp ? End{place / setup.pp, 0} : End{};
}

/// Where chunks have unlike layers: the most that have gone forward and not yet back in a round of
/// the steady state, one pass either way in turn. Where they are to overlap, one pass more goes
/// first, and each layer that goes forward has one beside it that goes back.
InFlight of_unlike_chunks(const Setup& setup, std::int64_t stage, std::int64_t group,
                          std::int64_t warmup) {
  const std::int64_t round = group * setup.chunks, all = setup.gas * setup.chunks;
  const End end = end_of(setup, stage);
  const auto chunk_of = [&](std::int64_t pass, bool back) {
    const std::int64_t chunk = pass % round / group;
    return back ? setup.chunks - 1 - chunk : chunk;
  };
  const std::int64_t first = warmup + (setup.overlaps_experts ? 1 : 0);
  std::int64_t live = 0, ends = 0, most = 0, most_ends = 0, at_loss = 0;
  const auto look = [&](std::int64_t layers, std::int64_t of_end) {
    if (layers + of_end * end.layers <= most + most_ends * end.layers) return;
    most = layers;
    most_ends = of_end;
  };
  const auto layers_of = [&](std::int64_t chunk) { return setup.layers_of_chunk(stage, chunk); };
  const auto is_end = [&](std::int64_t chunk) { return chunk == end.chunk ? 1 : 0; };
  for (std::int64_t pass = 0; pass < std::min(first, all); ++pass) {
    live += layers_of(chunk_of(pass, false));
    ends += is_end(chunk_of(pass, false));
  }
  look(live, ends);
  for (std::int64_t i = 0; i < round && first + i < all; ++i) {
    const std::int64_t forward = chunk_of(first + i, false), back = chunk_of(i, true);
    const std::int64_t more = layers_of(forward), less = layers_of(back);
    const std::int64_t both = setup.overlaps_experts ? live + more - less + 1 : live + more;
    if (setup.overlaps_experts) look(live + 1, ends);
    look(both, ends + is_end(forward));
    if (stage == setup.pp - 1 && forward == setup.chunks - 1) at_loss = std::max(at_loss, both);
    live += more - less;
    ends += is_end(forward) - is_end(back);
  }
  const double passes = number(std::min(warmup + 1, all));
  return {passes, number(most) / passes, number(at_loss) / passes, number(most_ends)};
}

InFlight in_flight(const Setup& setup, std::int64_t stage) {
  const std::int64_t own = setup.layers_of_stage(stage);
  const double layers = number(own);
  if (setup.chunks <= 1) {
    const double passes = number(std::min(setup.pp - stage, setup.gas));
    return {passes, layers, layers, passes};
  }
  const std::int64_t group = setup.chunk_group > 0 ? setup.chunk_group : setup.pp;
  const std::int64_t warmup = 2 * (setup.pp - stage - 1) + (setup.chunks - 1) * group;
  if (setup.layers_before || own % setup.chunks != 0 || setup.overlaps_experts)
    return of_unlike_chunks(setup, stage, group, warmup);
  const double each = layers / number(setup.chunks);
  return {number(std::min(warmup + 1, setup.gas * setup.chunks)), each, each, 1};
}

/// The last stage: the last norm's input, output and a gradient; logits in 16 bits and in fp32,
/// where the loss is worked out in place, but for the fused loss and that of 2023. Transformer
/// Engine's has no copy at all. Source: its pytorch/cross_entropy.py, until July 2026.
double head_bytes(const Setup& setup) {
  const double copy = setup.loss_in_place ? 0 : 4;
  const bool copies = setup.fused_loss || setup.framework == Framework::kMegatron2023;
  const double logit = bytes_of(setup.type) + copy + (copies ? copy : 0);
  return tokens_of(setup) * number(setup.shape.vocab / setup.tp) * logit;
}

/// What layers of a stage keep of a micro-batch: one of them in the middle, and the most.
struct OfLayers {
  double mean = 0, most = 0;
};

OfLayers of_layers(const Setup& setup, std::int64_t stage) {
  const double layers = number(setup.layers_of_stage(stage));
  const double mixtures = number(setup.mixtures_of_stage(stage)), dense = layers - mixtures;
  OfLayers kept;
  const auto add = [&](double count, bool has_experts) {
    if (count == 0) return;
    const double one = layer_activations(setup, has_experts).all();
    kept.mean += one * count / layers;
    kept.most = std::max(kept.most, one);
  };
  add(dense, false);
  add(mixtures, true);
  return kept;
}

/// What is made again between two inputs that are kept, and what is kept for good.
struct Recomputed {
  double kept, again;
};

Recomputed recomputed(const Setup& setup, double passes, double layers, const OfLayers& layer) {
  if (layers == 0) return {0, 0};  // a stage may have an embedding alone
  const double stream = stream_bytes(setup);
  const double count = std::min(number(setup.recompute_layers), layers);
  if (setup.recompute_block)
    return {passes * (stream * count + layer.mean * (layers - count)), layer.most};
  return {passes * stream * layers / count, layer.most * count};
}

/// Of the layer whose backward pass makes parts of it again, in selective recomputation: what
/// stands in the MLP's place, or what comes before.
double made_again(const Setup& setup, bool has_experts) {
  Setup keeps = setup;
  keeps.recompute = Recompute::kNone;
  const LayerActivations all = layer_activations(keeps, has_experts);
  const LayerActivations kept = layer_activations(setup, has_experts);
  const auto more = [&](double LayerActivations::*part) { return all.*part - kept.*part; };
  const double attention = more(&LayerActivations::norm1) + more(&LayerActivations::latents) +
                           more(&LayerActivations::qkv) + more(&LayerActivations::scores);
  const double mlp = more(&LayerActivations::norm2) + more(&LayerActivations::mlp) +
                     more(&LayerActivations::routed) + more(&LayerActivations::shared);
  return std::max(attention, mlp);
}

double made_again(const Setup& setup, std::int64_t stage) {
  if (setup.recompute != Recompute::kSelective) return 0;
  const std::int64_t layers = setup.passes_of_stage(stage),
                     mixtures = setup.mixture_passes_of_stage(stage);
  return std::max(mixtures < layers ? made_again(setup, false) : 0,
                  mixtures > 0 ? made_again(setup, true) : 0);
}

/// What attention over parts of a sequence holds until it ends: keys and values of all of them,
/// what it made of each, and the sum. Source: Transformer Engine, context_parallel.py.
double ring_bytes(const Setup& setup) {
  constexpr double kSum = 4;
  const Shape& m = setup.shape;
  if (setup.cp == 1) return 0;
  const double element = bytes_of(setup.type), part = tokens_of(setup) / number(setup.tp);
  const double queries = number(m.heads * m.head_width), context = number(m.heads * m.values());
  return part * (element * number(setup.cp) * (queries + number(m.key_widths())) + kSum * context);
}

/// Tokens on their way, as they are sent and as they come; gathered ones as they are added up, for
/// which there is a buffer besides. Source: Megatron-LM, token_dispatcher.py.
double dispatched_bytes(const Setup& setup, std::int64_t stage) {
  const std::int64_t holders = setup.ep * setup.expert_tp;
  if (setup.mixture_passes_of_stage(stage) == 0 || holders == 1) return 0;
  const double own = stream_bytes(setup);
  if (setup.gathers_tokens) return own * number(holders);
  return 2 * own * number(setup.shape.experts_per_token);
}

/// What MTP's layers have of a micro-batch.
struct OfMtp {
  double kept = 0;   ///< until its backward pass
  double again = 0;  ///< while one layer is made again
};

OfMtp of_mtp(const Setup& setup, std::int64_t stage) {
  constexpr double kInputs = 3;  // of a layer that is made again, two; and its output
  const double count = number(setup.mtp_of_stage(stage));
  if (count == 0) return {};
  const double layer =
      mtp_stream_bytes(setup) + layer_activations(setup, setup.shape.ends_in_mixture()).all();
  if (setup.recompute == Recompute::kFull && !setup.recompute_block)
    return {count * kInputs * stream_bytes(setup), layer};
  return {count * layer, 0};
}

/// Logits of MTP's layers, which wait while those of the model itself are made.
double waiting_logit_bytes(const Setup& setup) {
  constexpr double kWide = 4;
  const double logit = setup.loss_in_place ? bytes_of(setup.type) : kWide;
  return number(setup.shape.mtp_layers) * logit * tokens_of(setup) *
         number(setup.shape.vocab / setup.tp);
}

/// The last norm's input, output, and a gradient. Apart from the loss the norm keeps its input of
/// each micro-batch, and where the loss is there is a gradient of all streams.
double norm_bytes(const Setup& setup, std::int64_t stage, double passes) {
  const double stream = stream_bytes(setup);
  const bool last = stage == setup.pp - 1,
             has_norm = stage == setup.place_of_last_norm() % setup.pp;
  if (setup.mtp_ahead == 0) return last ? 3 * stream : 0;
  return (has_norm ? passes * stream : 0) +
         (last ? number(1 + setup.shape.mtp_layers) * stream : 0);
}

/// The wide copies of narrow gradients, which live from the step to the next one's first pass.
double copied_gradient_bytes(const Setup& setup, std::int64_t stage) {
  constexpr double kWide = 4;
  if (setup.framework != Framework::kMegatronCore || !setup.copies_gradients()) return 0;
  const Parameters own = stage_parameters(setup, stage);
  if (setup.zero == 0) return kWide * number(own.all());
  return kWide * (number(own.all() - own.experts) / number(setup.shards()) +
                  number(own.experts) / number(setup.expert_shards()));
}

/// The parameters of a stage that stand in no layer.
double rest_of_layers(const Setup& setup, std::int64_t stage) {
  const std::int64_t mixtures = setup.mixtures_of_stage(stage);
  const std::int64_t dense = setup.layers_of_stage(stage) - mixtures;
  const Parameters of_layers =
      dense * layer_parameters(setup, false) + mixtures * layer_parameters(setup, true) +
      setup.mtp_weights_of_stage(stage) * layer_parameters(setup, setup.shape.ends_in_mixture());
  return number(stage_parameters(setup, stage).all() - of_layers.all());
}

/// What Megatron's FSDP has whole for a time. Source: Megatron-LM, megatron_fsdp.py.
struct Whole {
  double at_loss = 0, going_back = 0;
};

/// What is no layer's is gathered for good. Layers are gathered ahead, and their gradients wait to
/// be summed, up to so many numbers; as many as wait, layers have given their activations back.
Whole whole_of_fsdp(const Setup& setup, std::int64_t stage, const OfLayers& kept) {
  constexpr double kUnit = 1e9;
  if (!setup.fsdp || setup.zero < 2) return {};
  const std::int64_t layers = setup.passes_of_stage(stage);
  if (layers == 0) return {};
  const bool has_experts = setup.mixture_passes_of_stage(stage) > 0;
  const double layer = number(layer_parameters(setup, has_experts).all());
  const double count = number(layers), rest = rest_of_layers(setup, stage);
  const double weight = setup.zero == 3 ? bytes_of(setup.type) : 0;
  const double whole = setup.keeps_gathered ? 0 : weight * rest;  // else among the weights
  const double gradient = setup.gradient_bytes();
  const double unit = setup.fsdp_unit > 0 ? number(setup.fsdp_unit) : std::max(kUnit, 2 * layer);
  const double gathered = std::min(layer * count, unit / 2 + layer);
  const double waiting = std::clamp(unit / layer, 1.0, count);
  const double most =
      gradient * layer + (waiting - 1) * std::max(gradient * layer - kept.mean, 0.0);
  return {whole, whole + weight * gathered + gradient * rest + most};
}

/// What the last stage keeps for the gradient of the output layer, of micro-batches before; MTP has
/// it work, too.
double deferred_bytes(const Setup& setup, std::int64_t stage) {
  if (!setup.defers_output || setup.pp == 1 || stage != setup.pp - 1) return 0;
  const std::int64_t before = (setup.gas - 1) * (1 + setup.shape.mtp_layers);
  const std::int64_t count =
      setup.deferral_limit > 0 ? std::min(before, setup.deferral_limit) : before;
  const double logits = bytes_of(setup.type) * tokens_of(setup);
  return number(count) * (logits * number(setup.shape.vocab / setup.tp) + stream_bytes(setup));
}

void add_core_peak(const Setup& setup, std::int64_t stage, StageMemory& memory) {
  const InFlight flight = in_flight(setup, stage);
  const OfLayers layer = of_layers(setup, stage);
  const bool last = stage == setup.pp - 1;
  const OfMtp mtp = of_mtp(setup, stage);
  const double norm = norm_bytes(setup, stage, flight.of_end);
  const double logits = last ? head_bytes(setup) + waiting_logit_bytes(setup) : 0;
  const double within_layer = std::max(ring_bytes(setup), dispatched_bytes(setup, stage));
  const bool remakes_all = setup.recompute == Recompute::kFull;
  const auto parts_of = [&](double layers) {
    return remakes_all ? recomputed(setup, flight.passes, layers, layer)
                       : Recomputed{flight.passes * layers * layer.mean, 0};
  };
  const Recomputed most = parts_of(flight.layers);
  const Recomputed at_loss =
      flight.layers_at_loss == flight.layers ? most : parts_of(flight.layers_at_loss);
  const Whole whole = whole_of_fsdp(setup, stage, layer);
  const double at_once = logits + whole.at_loss;
  const double again = (remakes_all ? std::max(most.again, mtp.again) : made_again(setup, stage)) +
                       within_layer + whole.going_back;
  const bool is_loss = at_loss.kept + at_once > most.kept + again;
  const double further = (last ? 1 : flight.of_end) * mtp.kept;
  memory.activations =
      (is_loss ? at_loss.kept : most.kept) + further + deferred_bytes(setup, stage);
  memory.working = norm + (is_loss ? at_once : again);
  if (stage == 0 && setup.hidden_dropout)
    memory.activations += flight.passes * stream_bytes(setup) / bytes_of(setup.type);
  if (setup.pp > 1)
    memory.working +=
        stream_bytes(setup) * number(setup.streams_behind(stage - 1) + setup.streams_behind(stage));
  const double states = memory.allocated() - memory.retained;
  const double copies = copied_gradient_bytes(setup, stage);
  memory.peak = std::max(states, states - copies + memory.activations + memory.working);
}

/// Each chunk that is sent its input keeps it, and its gradient; DeepSpeed's last stage keeps what
/// the loss was made of.
double retained_bytes(const Setup& setup, std::int64_t stage) {
  constexpr double kLossBytes = 12;
  const double stream = stream_bytes(setup);
  const bool last = stage == setup.pp - 1;
  if (setup.framework == Framework::kDeepSpeedPipeline)
    return stream +
           (last ? kLossBytes * tokens_of(setup) * number(setup.shape.vocab / setup.tp) : 0);
  if (setup.pp == 1 || (setup.framework == Framework::kMegatron2 && stage == 0)) return 0;
  const std::int64_t inputs = setup.chunks - (stage == 0 ? 1 : 0);
  return 2 * stream * number(inputs - 1 + setup.streams_behind(stage - 1));
}

StageMemory of_probe(const Setup& setup, std::int64_t stage) {
  const ProbeMemory probe = probe_memory(setup, stage);
  StageMemory memory;
  memory.weights = number(probe.parameters);
  memory.gradients = number(probe.gradients);
  memory.optimizer = number(probe.optimizer);
  memory.activations = number(probe.activations);
  memory.working = number(probe.scratch);
  memory.peak = number(probe.all());
  return memory;
}

}  // namespace

StageMemory stage_memory(const Setup& setup, std::int64_t stage) {
  if (setup.framework == Framework::kProbe) return of_probe(setup, stage);
  const Parameters own = stage_parameters(setup, stage);
  const StateMemory states = state_memory(setup, own);
  StageMemory memory;
  memory.weights = states.weights;
  if (setup.keeps_gathered && setup.zero == 3)
    memory.weights += bytes_of(setup.type) * rest_of_layers(setup, stage);
  memory.gradients = states.gradients;
  memory.optimizer = states.optimizer;
  memory.retained = retained_bytes(setup, stage);
  if (is_megatron_core(setup)) {
    memory.buffers = workspace_bytes(setup) + idle_gradient_bytes(setup, stage) +
                     allocator_rest_bytes(setup, stage, own);
    add_core_peak(setup, stage, memory);
  } else {
    add_older_peak(setup, stage, memory);
  }
  memory.peak = std::max(memory.peak, memory.allocated());
  return memory;
}

double korthikanti_bytes(const Setup& setup) {
  const Shape& m = setup.shape;
  const double l = number(m.layers), h = number(m.hidden), a = number(m.heads), s = number(m.seq);
  const double t = number(setup.tp), p = number(setup.pp), v = number(setup.chunks);
  const double layer = setup.recompute == Recompute::kNone
                           ? (setup.sequence_parallel ? 34 / t : 10 + 24 / t) + 5 * a * s / (h * t)
                           : (setup.sequence_parallel ? 34 / t : 10 + 24 / t);
  const double interleaved = v > 1 ? 1 + (p - 1) / (p * v) : 1;
  return 18 * 12 * l * h * h / (p * t) + s * number(setup.mbs) * h * l * layer * interleaved;
}

namespace {

struct Largest {
  std::int64_t stage = 0;
  StageMemory memory;
};

/// Between the first two and the last there is none that needs more than they, where all layers
/// are alike.
Largest largest(const Setup& setup) {
  Largest found{0, stage_memory(setup, 0)};
  const auto look_at = [&](std::int64_t stage) {
    const StageMemory memory = stage_memory(setup, stage);
    if (memory.peak > found.memory.peak) found = {stage, memory};
  };
  const std::int64_t last = setup.pp - 1;
  for (std::int64_t stage = 1; stage < last && (stage == 1 || setup.mixes_stages()); ++stage)
    look_at(stage);
  if (last > 0) look_at(last);
  return found;
}

}  // namespace

std::int64_t largest_stage(const Setup& setup) { return largest(setup).stage; }

/// Measured: 1.27 GiB on a V100, 1.57 on an A100; NCCL's buffers 0.6.
double context_bytes(const Setup& setup) {
  if (setup.framework == Framework::kProbe) return 0;
  constexpr double kNccl = 0.6;
  return ((setup.generation == Generation::kVolta ? 1.27 : 1.57) + kNccl) * kGib;
}

namespace {

double needed_bytes(const Setup& setup, const Largest& of) {
  const auto& [stage, memory] = of;
  double peak = memory.peak;
  if (setup.framework == Framework::kMegatron2 && setup.type == NumberType::kFp16) {
    const double parameters = number(stage_parameters(setup, stage).all());
    const double states = memory.weights + memory.gradients + memory.optimizer;
    peak = std::max(states, peak - (setup.gas > 1 ? 6 : 4) * parameters);
  }
  const bool has_buckets = setup.framework == Framework::kMegatronDeepSpeed ||
                           setup.framework == Framework::kDeepSpeedPipeline;
  constexpr double kBuckets = 2 * 5e8 * 2;  // DeepSpeed's default, to reduce and to gather
  return peak + context_bytes(setup) + (has_buckets ? kBuckets : 0);
}

}  // namespace

double needed_bytes(const Setup& setup, std::int64_t stage) {
  return needed_bytes(setup, {stage, stage_memory(setup, stage)});
}

double needed_bytes(const Setup& setup) { return needed_bytes(setup, largest(setup)); }

}  // namespace pippin
