// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/megatron_setup.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/launch_checks.h"
#include "sweeps/estimate/layout_checks.h"
#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/newer_choices.h"
#include "sweeps/estimate/newer_layers.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/unknown_arguments.h"
#include "sweeps/estimate/vocabularies.h"

namespace pippin {

namespace {

std::int64_t needed(const Count& count, std::string_view name) {
  if (!count) bad_input("estimate: {} is missing", typed_argument(name));
  return *count;
}

/// Errors: ImpossibleLayout where `part` does not divide `whole`.
std::int64_t part_of(std::int64_t whole, std::int64_t part, std::string_view words) {
  if (whole % part != 0) throw ImpossibleLayout(fmt::format("{} ({} by {})", words, whole, part));
  return whole / part;
}

std::int64_t padded_vocabulary(const MegatronGiven& given, MegatronSetup& result) {
  if (given.padded_vocab) return *given.padded_vocab;
  const Vocabulary usual = vocabulary_of(given.tokenizer, given.tokenizer_model);
  if (!given.vocab && !usual.whose.empty()) {
    result.assumed.push_back(fmt::format("vocabulary {}, that of {}, as there is no --vocab-size",
                                         usual.tokens, usual.whose));
  } else if (!given.vocab) {
    const std::string name =
        typed_argument(given.tokenizer_model.empty() ? "tokenizer_type" : "tokenizer_model");
    result.assumed.push_back(fmt::format(
        "vocabulary {}, as that of {} {} is not known: add --vocab-size", usual.tokens, name,
        printable(given.tokenizer_model.empty() ? given.tokenizer : given.tokenizer_model)));
    result.unknown.push_back(name);
    result.untimed.push_back(name);
  }
  return padded_vocab(given.vocab.value_or(usual.tokens), given.tp.value_or(1),
                      given.divisor.value_or(128));
}

Shape shape_of(const MegatronGiven& given, MegatronSetup& result) {
  Shape shape;
  shape.layers = needed(given.layers, "num_layers");
  shape.hidden = needed(given.hidden, "hidden_size");
  shape.heads = needed(given.heads, "num_attention_heads");
  shape.seq = needed(given.seq, "seq_length");
  shape.head_width =
      given.head_width ? *given.head_width
                       : part_of(shape.hidden, shape.heads, "heads do not divide the hidden size");
  shape.kv_heads = given.grouped ? given.groups.value_or(1) : given.kv_heads.value_or(shape.heads);
  if (!given.grouped && !given.kv_heads && given.groups.value_or(shape.heads) != shape.heads)
    result.assumed.push_back(
        "keys of each head, as --num-query-groups counts with --group-query-attention alone");
  shape.activation = given.swiglu         ? Activation::kSwiglu
                     : given.geglu        ? Activation::kGeglu
                     : given.squared_relu ? Activation::kSquaredRelu
                                          : Activation::kGelu;
  shape.ffn = given.ffn.value_or(usual_ffn(given.swiglu, shape.hidden));
  shape.biases = !given.no_biases;
  shape.qkv_biases = given.qkv_biases;
  check_word("normalization", given.normalization,
             {"LayerNorm", "RMSNorm", "layernorm", "rmsnorm"});  // the latter are DeepSpeed's
  shape.norm_biases = lower(given.normalization) != "rmsnorm";
  const std::string& positions = given.positions_kind;
  check_word("position_embedding_type", positions,
             {"learned_absolute", "absolute", "rope", "rotary", "mrope", "yarn", "alibi", "none"});
  shape.learned_positions = !given.rotary && !given.no_positions &&
                            (positions.empty() || positions.ends_with("absolute"));
  shape.positions = given.positions.value_or(shape.seq);
  if (shape.positions < shape.seq)
    throw ImpossibleLayout(fmt::format("{} positions ({}) are too few for a sequence of {}",
                                       shape.positions, typed_argument("max_position_embeddings"),
                                       shape.seq));
  shape.tied = !given.untied;
  shape.embedding_norm = given.embedding_norm;
  const bool has_experts = given.experts && !(given.deepspeed && *given.experts == 1);
  if (has_experts && given.deepspeed)
    bad_input("estimate: DeepSpeed's mixtures of experts are not known");
  shape.experts = has_experts ? *given.experts : 0;
  constexpr std::int64_t kUsual = 2;
  shape.experts_per_token = has_experts ? given.top_k.value_or(std::min(kUsual, shape.experts)) : 0;
  shape.expert_ffn = has_experts ? given.expert_ffn.value_or(shape.ffn) : 0;
  shape.qk_norms = given.qk_norms;
  shape.vocab = padded_vocabulary(given, result);
  return shape;
}

Recompute recompute_of(const MegatronGiven& given) {
  check_word("recompute_granularity", given.granularity, {"full", "selective"});
  for (const std::string* method : {&given.method, &given.older_method})
    check_word("recompute_method", *method, {"uniform", "block"});
  const bool is_full = given.granularity == "full" || given.recompute_full;
  if (is_full && given.remakes_experts)
    bad_input("estimate: {} excludes full recomputation", typed_argument("moe_layer_recompute"));
  if (is_full) return Recompute::kFull;
  if (given.granularity.empty() && !given.older_method.empty()) return Recompute::kFull;
  const bool is_selective =
      given.granularity == "selective" || given.recompute_selective || given.remakes_experts;
  if (is_selective && !given.method.empty())
    bad_input("estimate: {} is of full recomputation, as Megatron has it, not of selective",
              typed_argument("recompute_method"));
  return is_selective ? Recompute::kSelective : Recompute::kNone;
}

/// What Megatron-LM 2.x did not have.
bool is_newer(const MegatronGiven& given) {
  return given.distributed_optimizer || given.sequence_parallel || given.grouped || given.cp ||
         given.experts || given.latent || given.mtp_layers || !given.layout.empty() ||
         given.swiglu || given.rotary || given.untied || given.no_biases || given.bf16 ||
         given.recompute_selective || given.overlaps_gradients || given.overlaps_weights ||
         given.newer || !given.granularity.empty() || !given.normalization.empty();
}

/// Megatron-Core is the usual one since 2024. Before it flash attention had an argument of its own,
/// and before that training was in fp16.
Framework framework_of(const MegatronGiven& given) {
  constexpr std::int64_t kGradients = 2;  // from this stage on there is no pipeline
  if (given.deepspeed && given.zero >= kGradients) return Framework::kDeepSpeedZero;
  // In bf16 without ZeRO it spreads the optimizer's state all the same (BF16_Optimizer).
  if (given.deepspeed)
    return given.zero == 0 && !given.bf16 ? Framework::kDeepSpeedPipeline
                                          : Framework::kMegatronDeepSpeed;
  if (given.core || given.latent || !given.implementation.empty() || !given.backend.empty())
    return Framework::kMegatronCore;
  if (given.flash && !given.cp && !given.experts && !given.instances)
    return Framework::kMegatron2023;
  const bool is_older = (given.fp16 || given.recompute_full) && !is_newer(given);
  return is_older ? Framework::kMegatron2 : Framework::kMegatronCore;
}

bool is_zero(const std::string& text) { return parse_number(text) == 0.0; }

/// Where Megatron-Core is left the choice: what Transformer Engine takes on that GPU.
Attention attention_of(const MegatronGiven& given, const Setup& setup) {
  check_word("attention_backend", given.backend, {"auto", "flash", "fused", "unfused", "local"});
  if (given.backend == "flash" || given.flash) return Attention::kFlash;
  if (given.backend == "fused") return Attention::kFused;
  const bool chooses = setup.framework == Framework::kMegatronCore && setup.transformer_engine &&
                       given.backend != "unfused" && given.backend != "local";
  if (!chooses) return Attention::kScores;
  return usual_attention(setup);
}

/// The GPUs that a launch says: as a dump has them, by DP and a replica's, or as torchrun's words.
Count stated_world(const MegatronGiven& given, std::int64_t replica) {
  if (given.world) return given.world;
  if (given.dp) return count_product({*given.dp, replica});
  if (given.ranks_a_node) return count_product({*given.ranks_a_node, given.nodes.value_or(1)});
  return std::nullopt;
}

std::int64_t world_of(const MegatronGiven& given, const Count& gpus, std::int64_t replica) {
  if (gpus) return *gpus;
  if (const Count stated = stated_world(given, replica)) return *stated;
  bad_input(
      "estimate: on how many GPUs? Say --gpus, or --nproc_per_node and --nnodes as torchrun has "
      "them");
}

/// What DeepSpeed counts as a layer when it parts a pipeline: False where that is not known.
/// Source: BigScience's Megatron-DeepSpeed, gpt_model.py.
bool fill_in_partition(const MegatronGiven& given, Setup& setup) {
  const std::string method = lower(given.partition);
  setup.embeddings_count = method == "type:transformer|embedding" && setup.pp > 1;
  return method.empty() || setup.embeddings_count || method == "type:transformer" || setup.pp == 1;
}

/// Of the first one, with what counts as one. Errors: ImpossibleLayout where the others cannot have
/// as many each.
std::int64_t layers_of_stages(const MegatronGiven& given, Setup& setup) {
  const std::int64_t layers = setup.shape.layers;
  const std::string why = count_ends(setup, given.counts_embedding, given.counts_loss);
  if (!why.empty()) throw ImpossibleLayout(why);
  if (setup.pp > 1 && (given.counts_embedding || given.counts_loss))
    return setup.layers_of_stage(0) + (given.counts_embedding ? 1 : 0);
  // It parts the layers with both embeddings.
  const bool says_ends = given.first_layers || given.last_layers;
  if (setup.has_deepspeed_stages() && !says_ends) {
    const std::int64_t blocks = layers + (setup.embeddings_count ? 2 : 0);
    if (blocks < setup.pp)
      throw ImpossibleLayout(fmt::format(
          "there are fewer {} than stages ({} and {})",
          setup.embeddings_count ? "layers and embeddings" : "layers", blocks, setup.pp));
    return setup.layers_of_stage(0);
  }
  if (!says_ends) return part_of(layers, setup.pp, "PP does not divide the number of layers");
  const std::int64_t rest = layers - setup.first_layers - setup.last_layers;
  const std::int64_t others =
      setup.pp - (setup.first_layers > 0 ? 1 : 0) - (setup.last_layers > 0 ? 1 : 0);
  if (rest < 0 || others < 0 || (others == 0 && rest > 0) || (others > 0 && rest < others))
    throw ImpossibleLayout(
        fmt::format("{} layers are no {} stages with {} on the first and {} on the last", layers,
                    setup.pp, setup.first_layers, setup.last_layers));
  if (others > 0) part_of(rest, others, "the other stages do not divide the other layers");
  return setup.layers_of_stage(0);
}

/// The batch that a launch comes to in the end.
Count last_batch(const MegatronGiven& given) {
  if (given.gbs || given.batch_schedule.empty()) return given.gbs;
  const std::string_view last = given.batch_schedule;
  const auto colon = last.rfind(':');
  const auto count =
      colon == std::string_view::npos ? std::nullopt : parse_integer(last.substr(colon + 1));
  if (!count || *count < 1 || *count > kLargestCount)
    bad_input("estimate: --step-batch-size-schedule is no list such as '0:384 200B:768', but '{}'",
              printable(given.batch_schedule));
  return count;
}

void fill_in_layout(const MegatronGiven& given, const Count& gpus, Setup& setup) {
  setup.tp = given.tp.value_or(1);
  setup.pp = given.pp.value_or(1);
  setup.cp = given.cp.value_or(1);
  setup.ep = given.ep.value_or(1);
  const std::int64_t replica = count_product({setup.tp, setup.pp, setup.cp});
  setup.dp = part_of(world_of(given, gpus, replica), replica,
                     "TP x PP x CP does not divide the number of GPUs");
  setup.mbs = needed(given.mbs, "micro_batch_size");
  const Count gbs = last_batch(given);
  setup.gas = gbs ? part_of(*gbs, count_product({setup.mbs, setup.dp}),
                            "MBS x DP does not divide the global batch")
                  : given.gas.value_or(1);
  setup.expert_tp = given.expert_tp.value_or(setup.tp);
  setup.instances = given.instances.value_or(1);
  setup.first_layers = given.first_layers.value_or(0);
  setup.last_layers = given.last_layers.value_or(0);
  setup.chunk_group = given.chunk_group.value_or(0);
  if (!given.layout.empty()) return;  // fill_in_stages()
  if (setup.has_deepspeed_stages() && !fill_in_partition(given, setup))
    bad_input("estimate: how {} {} parts the layers is not known",
              typed_argument("pp_partition_method"), printable(given.partition));
  const std::int64_t own = layers_of_stages(given, setup);
  if (given.chunks && given.layers_a_chunk)
    bad_input("estimate: virtual stages are given by their number and by their layers");
  setup.chunks = given.chunks.value_or(1);
  if (given.layers_a_chunk)
    setup.chunks = part_of(own, *given.layers_a_chunk,
                           "layers of a virtual stage do not divide those of a stage");
  const auto check_stage = [&](std::int64_t stage, bool counts_one) {
    part_of(setup.layers_of_stage(stage) + (counts_one ? 1 : 0), setup.chunks,
            "virtual stages do not divide the layers of a stage");
  };
  part_of(own, setup.chunks, "virtual stages do not divide the layers of a stage");
  if (setup.pp > 2) check_stage(1, false);
  if (setup.pp > 1) check_stage(setup.pp - 1, given.counts_loss);
}

/// What they say, and what of them is not used or not known.
MegatronGiven read_arguments(const NamedValues& arguments, MegatronSetup& result) {
  MegatronGiven given = megatron_given(arguments, result.unused);
  for (const auto& [name, value] : arguments) {
    if (is_of_context(name) && given.cp.value_or(1) == 1) continue;
    // DeepSpeed's file says what --zero-stage may say, too.
    const bool is_known =
        is_estimated_by(current_name(name)) || (name == "deepspeed_config" && given.zero);
    const bool is_untimed = is_unknown_to_time(name, value);
    const bool is_unknown = (is_untimed && !is_window(name)) || is_unknown_to_memory(name, value) ||
                            (given.fsdp && name == "nccl_ub");
    if (!is_known && is_unknown) result.unknown.push_back(typed_argument(name));
    if (is_untimed) result.untimed.push_back(typed_argument(name));
    if (is_untimed && is_window(name))
      result.assumed.push_back(
          fmt::format("work as if tokens saw all before them, though {} keeps some from it",
                      typed_argument(name)));
  }
  const auto is_among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::erase_if(result.unused, [&](const std::string& name) {
    return is_among(result.unknown, name) || is_among(result.untimed, name);
  });
  return given;
}

void fill_in(const MegatronGiven& given, Framework framework, const Count& gpus,
             const Count& gpus_per_node, MegatronSetup& result) {
  Setup& setup = result.setup;
  setup.shape = shape_of(given, result);
  if (!fill_in_newer_layers(given, setup)) {
    result.unknown.push_back(typed_argument("moe_layer_freq"));
    result.untimed.push_back(typed_argument("moe_layer_freq"));
  }
  setup.framework = framework;
  fill_in_layout(given, gpus, setup);
  if (!fill_in_stages(given, setup)) {
    result.unknown.push_back(typed_argument("pipeline_model_parallel_layout"));
    result.untimed.push_back(typed_argument("pipeline_model_parallel_layout"));
    result.assumed.push_back(
        "layers spread evenly over the stages: of layouts those are known that have the embedding "
        "first, the loss at the end, and MTP on one stage between");
  }
  setup.gpus_per_node = gpus_per_node ? *gpus_per_node : given.ranks_a_node.value_or(8);
  if (given.bf16 && given.fp16) bad_input("estimate: --bf16 or --fp16, not both");
  check_word("transformer_impl", given.implementation,
             {"local", "transformer_engine", "inference_optimized"});
  check_word("moe_token_dispatcher_type", given.dispatcher,
             {"allgather", "alltoall", "alltoall_seq", "flex"});
  setup.type = given.bf16 ? NumberType::kBf16 : given.fp16 ? NumberType::kFp16 : NumberType::kFp32;
  setup.zero = given.zero.value_or(given.distributed_optimizer ? 1 : 0);
  if (given.deepspeed && given.bf16 && setup.zero == 0) {
    setup.zero = 1;
    result.assumed.push_back("DeepSpeed's optimizer of bf16, which spreads its state over DP");
  }
  setup.wide_gradients = given.wide_gradients;
  setup.recompute = recompute_of(given);
  setup.recompute_layers = given.recompute_layers.value_or(1);
  setup.recompute_block = given.method == "block" || given.older_method == "block";
  setup.sequence_parallel = given.sequence_parallel && setup.tp > 1;
  check_mtp(setup);
  part_of(setup.shape.vocab, setup.tp, "TP does not divide the vocabulary");
  result.assumed.push_back(fmt::format("the code of {}", name_of(setup.framework)));
  setup.transformer_engine =
      setup.framework == Framework::kMegatronCore && given.implementation != "local";
  setup.grouped_experts = given.grouped_experts;
  fill_in_remade(given, setup);
  if (!fill_in_fp8(given, setup))
    result.unknown.push_back(typed_argument("first_last_layers_bf16"));
  if (const auto unknown = fill_in_optimizer(given, setup); !unknown.empty())
    result.unknown.push_back(typed_argument(unknown));
  fill_in_fsdp(given, setup);
  if (setup.fsdp && given.sharded_gradient_type.empty() && setup.reduces_narrow)
    result.assumed.push_back(fmt::format("gradients in 16 bits, as FSDP has them without {} fp32",
                                         typed_argument("megatron_fsdp_main_grads_dtype")));
  setup.deterministic = given.deterministic;
  setup.attention = attention_of(given, setup);
  setup.hidden_dropout = !is_zero(given.hidden_dropout);
  setup.attention_dropout = !is_zero(given.attention_dropout);
  setup.fused_softmax = !given.no_fused_softmax;
  fill_in_schedule(given, setup);
  setup.fuses_gradients = setup.framework == Framework::kMegatronCore && !given.no_fused_gradients;
  setup.overlaps_tensor = given.overlaps_tensor && setup.transformer_engine;
  setup.gathers_tokens =
      given.experts && (given.dispatcher.empty() || given.dispatcher == "allgather");
  if (given.experts && given.dispatcher == "flex")
    result.assumed.push_back("tokens that are sent as by alltoall, whichever backend flex has");
  check_layout(setup);
  if (const std::string why = interleaving_reason(setup); !why.empty())
    throw ImpossibleLayout(
        why + (last_batch(given) || given.gas ? "" : ", as it is without --global-batch-size"));
}

/// All counts of a layout.
constexpr Count MegatronGiven::*kLayout[] = {
    &MegatronGiven::tp,           &MegatronGiven::pp,
    &MegatronGiven::cp,           &MegatronGiven::ep,
    &MegatronGiven::dp,           &MegatronGiven::expert_tp,
    &MegatronGiven::mbs,          &MegatronGiven::gbs,
    &MegatronGiven::gas,          &MegatronGiven::layers_a_chunk,
    &MegatronGiven::chunks,       &MegatronGiven::chunk_group,
    &MegatronGiven::zero,         &MegatronGiven::instances,
    &MegatronGiven::first_layers, &MegatronGiven::last_layers,
    &MegatronGiven::world,        &MegatronGiven::recompute_layers};

/// As fill_in(). What is not known may be why it cannot be, but for whose the vocabulary is.
void fill_in_or_refuse(const MegatronGiven& given, Framework framework, const Count& gpus,
                       const Count& gpus_per_node, MegatronSetup& result) {
  try {
    fill_in(given, framework, gpus, gpus_per_node, result);
  } catch (const Error& error) {
    std::vector<std::string> perhaps = result.unknown;
    std::erase_if(perhaps, [](const std::string& name) { return name.starts_with("--tokenizer"); });
    if (perhaps.empty()) throw;
    bad_input("{}; perhaps by what is not known: {}", error.what(), join(perhaps, " "));
  }
}

MegatronGiven without_layout(MegatronGiven given) {
  for (const auto count : kLayout) given.*count = std::nullopt;
  given.mbs = 1;
  given.distributed_optimizer = given.sequence_parallel = given.fsdp = false;
  given.recompute_selective = given.recompute_full = given.remakes_experts = false;
  given.counts_embedding = given.counts_loss = false;
  given.granularity.clear();
  given.remade.clear();
  given.method.clear();
  given.older_method.clear();
  given.batch_schedule.clear();
  return given;
}

}  // namespace

Generation usual_generation(const NamedValues& arguments) {
  const bool has_fp8 = std::any_of(arguments.begin(), arguments.end(), [](const auto& one) {
    return current_name(one.first) == "fp8";
  });
  const auto* recipe = find_value(arguments, "fp8_recipe");
  if (has_fp8 && recipe && recipe->text == "mxfp8") return Generation::kBlackwell;
  return has_fp8 ? Generation::kHopper : Generation::kAmpere;
}

std::string_view name_of(Framework framework) {
  switch (framework) {
    case Framework::kMegatronDeepSpeed:
      return "Megatron-DeepSpeed";
    case Framework::kDeepSpeedPipeline:
      return "DeepSpeed's pipeline";
    case Framework::kDeepSpeedZero:
      return "DeepSpeed's ZeRO";
    case Framework::kMegatron2023:
      return "Megatron-LM of 2023, as --use-flash-attn is given and not --transformer-impl";
    case Framework::kMegatron2:
      return "Megatron-LM 2.x, as --transformer-impl is not given";
    default:
      break;
  }
  return "Megatron-Core";
}

std::vector<std::string> what_was_taken(const MegatronSetup& read) {
  std::vector<std::string> words;
  for (const auto& assumed : read.assumed) words.push_back("assumed: " + assumed);
  if (!read.unused.empty()) words.push_back("not used: " + join(read.unused, " "));
  if (!read.unknown.empty())
    words.push_back("not known, and left out of all figures: " + join(read.unknown, " "));
  return words;
}

MegatronSetup megatron_setup(const NamedValues& arguments, const Count& gpus,
                             const Count& gpus_per_node, Generation generation) {
  MegatronSetup result;
  const MegatronGiven given = read_arguments(arguments, result);
  result.setup.generation = generation;
  fill_in_or_refuse(given, framework_of(given), gpus, gpus_per_node, result);
  check_needs(given, result.setup);
  tell_untimed(result.setup, result.assumed);
  return result;
}

MegatronModel megatron_model(const NamedValues& arguments, const Count& gpus_per_node,
                             Generation generation) {
  MegatronModel model;
  const MegatronGiven given = read_arguments(arguments, model.read);
  model.read.setup.generation = generation;
  fill_in_or_refuse(without_layout(given), framework_of(given), 1, gpus_per_node, model.read);
  const bool has_parts = !given.remade.empty() || given.remakes_experts;
  if (has_parts && recompute_of(given) == Recompute::kSelective)
    model.read.assumed.push_back(
        "selective recomputation of attention alone, but for the launch's own layout");
  if (given.fsdp)
    model.read.assumed.push_back("the distributed optimizer, or none, where the launch has FSDP");
  tell_untimed(model.read.setup, model.read.assumed);
  if (model.read.setup.overlaps_tensor)
    model.read.assumed.push_back(
        fmt::format("no {} where TP is 1", typed_argument("tp_comm_overlap")));
  model.read.setup.instances = given.instances.value_or(1);
  model.gbs = last_batch(given);
  model.counts_embedding = given.counts_embedding;
  model.counts_loss = given.counts_loss;
  const std::int64_t replica =
      count_product({given.tp.value_or(1), given.pp.value_or(1), given.cp.value_or(1)});
  if (const Count gpus = stated_world(given, replica)) model.gpus = gpus;
  model.vocab_divisor = given.padded_vocab ? 0 : given.divisor.value_or(model.vocab_divisor);
  return model;
}

std::string reason_of(const Error& error) {
  constexpr std::string_view kCommand = "estimate: ";
  const std::string_view words = error.what();
  return std::string(words.starts_with(kCommand) ? words.substr(kCommand.size()) : words);
}

}  // namespace pippin
