// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/older_memory.h"

#include <algorithm>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/library_memory.h"
#include "sweeps/estimate/stage_parameters.h"

namespace pippin {

namespace {

double scores_made_again(const Setup& setup) {
  if (setup.recompute != Recompute::kSelective || setup.attention != Attention::kScores) return 0;
  Setup whole = setup;
  whole.recompute = Recompute::kNone;
  const bool has_experts = setup.shape.experts > 0;
  return layer_activations(whole, has_experts).scores -
         layer_activations(setup, has_experts).scores;
}

/// What the frameworks' accounts have in common.
struct Account {
  Account(const Setup& setup, std::int64_t stage)
      : parameters(number(stage_parameters(setup, stage).all())),
        layers(number(setup.layers_of_stage(stage))),
        in_flight(number(std::min(setup.pp - stage, setup.gas))),
        tokens(tokens_of(setup)),
        stream(2 * tokens * number(setup.shape.hidden)),
        layer(layer_activations(setup, setup.shape.experts > 0).all()),
        mask(number(setup.mbs * setup.shape.seq * setup.shape.seq)),
        logits(tokens * number(setup.shape.vocab / setup.tp)),
        first(stage == 0),
        last(stage == setup.pp - 1),
        embedding(first ? in_flight * (setup.hidden_dropout ? stream / 2 : 0) +
                              in_flight * (setup.shape.embedding_norm ? stream : 0)
                        : 0),
        remade(scores_made_again(setup)),
        again(layer + 2 * largest_weight(setup, stage) + 2 * stream) {}

  double parameters, layers, in_flight, tokens;
  double stream;  ///< bytes of a micro-batch between layers
  double layer;   ///< of one layer's activations
  double mask;    ///< of a micro-batch's attention, a byte an element
  double logits;  ///< elements
  bool first, last;
  double embedding;  ///< of the norm behind it its input, of the dropout its mask
  double remade;     ///< one layer's scores, where selective recomputation makes them again
  double again;      ///< a layer, its largest weight's gradient, and two of the stream's
};

/// Its fp32 logits are made twice. With more than one micro-batch the backward pass has the
/// gradients once more, in 16 bits, as two logs show.
void add_megatron2(const Setup& setup, const Account& x, StageMemory& memory) {
  constexpr double kLogitBytes = 10;
  const double logits = x.last ? kLogitBytes * x.logits : 0;
  if (setup.recompute != Recompute::kFull) {
    memory.activations = x.in_flight * (x.layers * x.layer + x.mask);
    memory.working = std::max(logits, x.remade) + 2 * x.stream;
  } else {
    const double before = number(std::max<std::int64_t>(1, setup.gas - 1));
    const double most = setup.pp > 1 ? std::min(x.in_flight, before) : 1;
    const double v = number(setup.chunks), p = number(setup.pp);
    const double layers = x.layers * (setup.chunks > 1 ? 1 + (p - 1) / (p * v) : 1);
    memory.activations =
        most * ((layers + 1) * x.stream + x.mask) + x.embedding * most / std::max(x.in_flight, 1.0);
    memory.working = std::max(x.again, logits) + (setup.pp > 1 && !x.first ? 2 * x.stream : 0);
  }
  if (setup.gas > 1 && setup.type == NumberType::kFp16) memory.working += 2 * x.parameters;
  memory.peak = memory.allocated() - memory.retained + memory.activations + memory.working;
}

/// Its gradients live from the first backward pass to the step, which makes them wide.
void add_deepspeed_pipeline(const Setup& setup, const Account& x, StageMemory& memory) {
  const double gradients = 2 * x.parameters;
  const double ranks = setup.zero > 0 ? number(setup.dp) : 1;
  const double states = memory.weights + memory.gradients + memory.optimizer;
  const bool remakes_all = setup.recompute == Recompute::kFull;
  const double kept = x.layers * (remakes_all ? x.stream : x.layer) + 4 * x.mask;
  memory.activations = x.in_flight * kept + x.embedding;
  memory.working = gradients + x.again + x.remade + x.stream;
  const double step = gradients + 2 * gradients / ranks + memory.retained;
  memory.peak = states + std::max(step, memory.activations + memory.working);
}

void add_megatron_deepspeed(const Setup& setup, const Account& x, StageMemory& memory) {
  const bool remakes_all = setup.recompute == Recompute::kFull;
  const double kept = (remakes_all ? (x.layers + 1) * x.stream : x.layers * x.layer) + x.mask;
  memory.activations = x.in_flight * kept + x.embedding;
  memory.working = x.again + x.remade;
  memory.peak = memory.allocated() - memory.retained + memory.activations + memory.working;
}

/// ZeRO-3 has one layer's weights at a time, FSDP gathers the next one meanwhile. Gradients grow as
/// the inputs of layers are used up. The work on the residual stream, 4 and 8 times its bytes, is
/// fitted to one log.
void add_sharded(const Setup& setup, const Account& x, StageMemory& memory) {
  const bool is_deepspeed = setup.framework == Framework::kDeepSpeedZero;
  const double weights = 2 * number(layer_parameters(setup, setup.shape.experts > 0).all());
  const double gathered = weights * (is_deepspeed ? 1 : 2);
  const double ranks = number(setup.dp * setup.cp), layers = number(setup.shape.layers);
  const double logit = setup.logit_bytes > 0 ? setup.logit_bytes : is_deepspeed ? 6 : 4;
  const double logits = x.logits * logit;
  double gradients = is_deepspeed && setup.zero >= 2 ? 2 * x.parameters / ranks : 0;
  if (setup.recompute == Recompute::kFull) {
    const double split = is_deepspeed ? number(setup.tp) : 1;
    const double share = sequence_share(setup);
    const double inputs = setup.offloads_checkpoints ? 0 : x.stream * share * layers / split;
    const double backward =
        x.layer + 4 * x.stream * share + 8 * x.stream / number(setup.tp) + weights;
    memory.activations = inputs;
    memory.working = std::max(logits, std::max(inputs, gradients) - inputs + backward);
    gradients = 0;
  } else if (setup.recompute == Recompute::kSelective) {
    // Every second product is made again; of the stream the layer's input and what attention adds.
    const Shape& m = setup.shape;
    const double t = number(setup.tp), h = number(m.hidden), streams = 2 * sequence_share(setup);
    const double parts = (2 + number(m.kv_heads) / number(m.heads) + number(m.ffn) / h) / t;
    memory.activations =
        layers * ((streams + parts) * x.stream + 4 * x.tokens * number(m.heads) / t);
    memory.working = std::max(logits, x.remade) + 2 * x.stream;
  } else {
    memory.activations = layers * x.layer;
    memory.working = logits + 2 * x.stream;
  }
  memory.working += gradients + gathered;
  memory.peak = memory.allocated() - memory.retained + memory.activations + memory.working;
}

}  // namespace

void add_older_peak(const Setup& setup, std::int64_t stage, StageMemory& memory) {
  const Account x(setup, stage);
  if (setup.framework == Framework::kMegatron2) return add_megatron2(setup, x, memory);
  if (setup.framework == Framework::kDeepSpeedPipeline)
    return add_deepspeed_pipeline(setup, x, memory);
  if (setup.framework == Framework::kMegatronDeepSpeed)
    return add_megatron_deepspeed(setup, x, memory);
  add_sharded(setup, x, memory);
}

}  // namespace pippin
