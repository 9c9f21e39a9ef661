#include "sweeps/estimate/megatron_setup.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

/// The arguments that count, as far as they are given.
struct Given {
  Count layers, hidden, heads, groups, head_width, ffn, seq, positions, vocab, padded_vocab,
      divisor;
  Count tp, pp, cp, ep, dp, mbs, gbs, gas, layers_a_chunk, chunks, experts, top_k;
  Count world, ranks_a_node, nodes, zero;
  bool swiglu = false, bf16 = false, fp16 = false, flash = false, distributed_optimizer = false;
  bool sequence_parallel = false, grouped = false, no_biases = false, untied = false;
  bool qkv_biases = false, recompute_selective = false, recompute_full = false, rotary = false,
       no_positions = false;
  bool deepspeed = false, core = false;
  std::string granularity, method, positions_kind, normalization, implementation, backend,
      tokenizer;
};

template <typename Member>
struct Named {
  std::string_view name;
  Member Given::*member;
};

constexpr Named<Count> kCounts[] = {
    {"num_layers", &Given::layers},
    {"encoder_num_layers", &Given::layers},
    {"hidden_size", &Given::hidden},
    {"num_attention_heads", &Given::heads},
    {"num_query_groups", &Given::groups},
    {"kv_channels", &Given::head_width},
    {"ffn_hidden_size", &Given::ffn},
    {"seq_length", &Given::seq},
    {"encoder_seq_length", &Given::seq},
    {"max_position_embeddings", &Given::positions},
    {"vocab_size", &Given::vocab},
    {"padded_vocab_size", &Given::padded_vocab},
    {"make_vocab_size_divisible_by", &Given::divisor},
    {"tensor_model_parallel_size", &Given::tp},
    {"pipeline_model_parallel_size", &Given::pp},
    {"context_parallel_size", &Given::cp},
    {"expert_model_parallel_size", &Given::ep},
    {"data_parallel_size", &Given::dp},
    {"micro_batch_size", &Given::mbs},
    {"global_batch_size", &Given::gbs},
    {"gradient_accumulation_steps", &Given::gas},
    {"num_layers_per_virtual_pipeline_stage", &Given::layers_a_chunk},
    {"num_virtual_stages_per_pipeline_rank", &Given::chunks},
    {"num_experts", &Given::experts},
    {"moe_router_topk", &Given::top_k},
    {"world_size", &Given::world},
    {"nproc_per_node", &Given::ranks_a_node},
    {"nnodes", &Given::nodes},
    {"zero_stage", &Given::zero},
};

constexpr Named<bool> kFlags[] = {
    {"swiglu", &Given::swiglu},
    {"bf16", &Given::bf16},
    {"fp16", &Given::fp16},
    {"use_flash_attn", &Given::flash},
    {"use_flash_attn_v2", &Given::flash},
    {"use_distributed_optimizer", &Given::distributed_optimizer},
    {"sequence_parallel", &Given::sequence_parallel},
    {"group_query_attention", &Given::grouped},
    {"disable_bias_linear", &Given::no_biases},
    {"add_qkv_bias", &Given::qkv_biases},
    {"untie_embeddings_and_output_weights", &Given::untied},
    {"recompute_activations", &Given::recompute_selective},
    {"checkpoint_activations", &Given::recompute_full},
    {"use_rotary_position_embeddings", &Given::rotary},
    {"no_position_embedding", &Given::no_positions},
    {"deepspeed", &Given::deepspeed},
    {"use_mcore_models", &Given::core},
};

constexpr Named<std::string> kWords[] = {
    {"recompute_granularity", &Given::granularity},
    {"recompute_method", &Given::method},
    {"position_embedding_type", &Given::positions_kind},
    {"normalization", &Given::normalization},
    {"transformer_impl", &Given::implementation},
    {"attention_backend", &Given::backend},
    {"tokenizer_type", &Given::tokenizer},
};

/// As a person types it: "--num-layers".
std::string typed(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return "--" + text;
}

std::int64_t count_of(std::string_view name, const Value& value) {
  const auto count = parse_integer(value.text);
  if (!count || *count < 1)
    bad_input("estimate: {} takes a whole number above 0, not '{}'", typed(name), value.text);
  return *count;
}

template <typename Table>
auto entry_of(const Table& table, std::string_view name) {
  return std::find_if(std::begin(table), std::end(table),
                      [&](const auto& entry) { return entry.name == name; });
}

/// False where the name is none of those that count.
bool take(const std::string& name, const Value& value, Given& given) {
  if (const auto* one = entry_of(kCounts, name); one != std::end(kCounts)) {
    if (value.text != "None") given.*one->member = count_of(name, value);
  } else if (const auto* flag = entry_of(kFlags, name); flag != std::end(kFlags)) {
    given.*flag->member = value.text != "False";
  } else if (const auto* word = entry_of(kWords, name); word != std::end(kWords)) {
    if (value.text != "None") given.*word->member = value.text;
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> names_that_count() {
  std::vector<std::string> names;
  for (const auto& one : kCounts) names.emplace_back(one.name);
  for (const auto& one : kFlags) names.emplace_back(one.name);
  for (const auto& one : kWords) names.emplace_back(one.name);
  return names;
}

/// Few letters of a long name are a slip of the hand; two of Megatron's own differ by more.
bool is_misspelt(const std::string& name, const std::string& known) {
  constexpr std::size_t kMost = 2, kLettersFor1 = 6;
  return edit_distance(name, known) <= std::min(kMost, name.size() / kLettersFor1);
}

Given read(const NamedValues& arguments, std::vector<std::string>& unused) {
  Given given;
  const std::vector<std::string> known = names_that_count();
  for (const auto& [name, value] : arguments) {
    if (take(name, value, given)) continue;
    for (const auto& one : known) {
      if (is_misspelt(name, one))
        bad_input("estimate: unknown argument '{}', did you mean '{}'?", typed(name), typed(one));
    }
    unused.push_back(typed(name));
  }
  return given;
}

std::int64_t needed(const Count& count, std::string_view name) {
  if (!count) bad_input("estimate: {} is missing", typed(name));
  return *count;
}

/// Errors: Error (bad input) where `part` does not divide `whole`.
std::int64_t part_of(std::int64_t whole, std::int64_t part, std::string_view words) {
  if (whole % part != 0) bad_input("estimate: {} ({} by {})", words, whole, part);
  return whole / part;
}

Shape shape_of(const Given& given, std::vector<std::string>& assumed) {
  Shape shape;
  shape.layers = needed(given.layers, "num_layers");
  shape.hidden = needed(given.hidden, "hidden_size");
  shape.heads = needed(given.heads, "num_attention_heads");
  shape.seq = needed(given.seq, "seq_length");
  shape.head_width =
      given.head_width ? *given.head_width
                       : part_of(shape.hidden, shape.heads, "heads do not divide the hidden size");
  shape.kv_heads = given.grouped ? given.groups.value_or(1) : shape.heads;
  shape.gated = given.swiglu;
  constexpr std::int64_t kMultiple = 64;  // --swiglu: two thirds of 4 hidden
  const std::int64_t usual =
      given.swiglu ? 8 * shape.hidden / 3 / kMultiple * kMultiple : 4 * shape.hidden;
  shape.ffn = given.ffn.value_or(usual);
  shape.biases = !given.no_biases;
  shape.qkv_biases = given.qkv_biases;
  shape.norm_biases = given.normalization != "RMSNorm";
  shape.learned_positions =
      !given.rotary && !given.no_positions &&
      (given.positions_kind.empty() || given.positions_kind == "learned_absolute");
  shape.positions = given.positions.value_or(shape.seq);
  shape.tied = !given.untied;
  shape.experts = given.experts.value_or(0);
  shape.experts_per_token = given.experts ? given.top_k.value_or(2) : 0;
  constexpr std::int64_t kGpt2Vocabulary = 50257;
  if (!given.vocab && !given.padded_vocab)
    assumed.push_back(
        fmt::format("vocabulary {}, that of GPT-2, as there is no --vocab-size", kGpt2Vocabulary));
  const std::int64_t multiple = given.divisor.value_or(128) * given.tp.value_or(1);
  const std::int64_t vocab = given.vocab.value_or(kGpt2Vocabulary);
  shape.vocab = given.padded_vocab.value_or((vocab + multiple - 1) / multiple * multiple);
  return shape;
}

Recompute recompute_of(const Given& given) {
  if (given.granularity == "full" || given.recompute_full) return Recompute::kFull;
  if (given.granularity.empty() && (given.method == "uniform" || given.method == "block"))
    return Recompute::kFull;
  return given.granularity == "selective" || given.recompute_selective ? Recompute::kSelective
                                                                       : Recompute::kNone;
}

Framework framework_of(const Given& given) {
  if (given.deepspeed) return Framework::kMegatronDeepSpeed;
  return given.core || !given.implementation.empty() ? Framework::kMegatronCore
                                                     : Framework::kMegatron;
}

/// Megatron's GPUs: those of torchrun's words, else of one replica of the model.
std::int64_t world_of(const Given& given, const Count& gpus, std::int64_t replica) {
  if (gpus) return *gpus;
  if (given.world) return *given.world;
  if (given.dp) return *given.dp * replica;
  if (given.ranks_a_node) return *given.ranks_a_node * given.nodes.value_or(1);
  bad_input(
      "estimate: on how many GPUs? Say --gpus, or --nproc_per_node and --nnodes as torchrun has "
      "them");
}

void fill_in_layout(const Given& given, const Count& gpus, Setup& setup) {
  setup.tp = given.tp.value_or(1);
  setup.pp = given.pp.value_or(1);
  setup.cp = given.cp.value_or(1);
  setup.ep = given.ep.value_or(1);
  const std::int64_t replica = setup.tp * setup.pp * setup.cp;
  setup.dp = part_of(world_of(given, gpus, replica), replica,
                     "TP x PP x CP does not divide the number of GPUs");
  setup.mbs = needed(given.mbs, "micro_batch_size");
  setup.gas = given.gbs ? part_of(*given.gbs, setup.mbs * setup.dp,
                                  "MBS x DP does not divide the global batch")
                        : given.gas.value_or(1);
  const std::int64_t own =
      part_of(setup.shape.layers, setup.pp, "PP does not divide the number of layers");
  setup.chunks = given.chunks.value_or(1);
  if (given.layers_a_chunk)
    setup.chunks = part_of(own, *given.layers_a_chunk,
                           "layers of a virtual stage do not divide those of a stage");
}

}  // namespace

MegatronSetup megatron_setup(const NamedValues& arguments, const Count& gpus,
                             const Count& gpus_per_node) {
  MegatronSetup result;
  const Given given = read(arguments, result.unused);
  Setup& setup = result.setup;
  setup.shape = shape_of(given, result.assumed);
  fill_in_layout(given, gpus, setup);
  setup.gpus_per_node = gpus_per_node ? *gpus_per_node : given.ranks_a_node.value_or(8);
  setup.type = given.bf16 ? NumberType::kBf16 : given.fp16 ? NumberType::kFp16 : NumberType::kFp32;
  setup.zero = given.zero.value_or(given.distributed_optimizer ? 1 : 0);
  setup.recompute = recompute_of(given);
  setup.sequence_parallel = given.sequence_parallel && setup.tp > 1;
  setup.framework = framework_of(given);
  setup.flash_attention =
      given.flash || given.backend == "flash" || given.backend == "fused" ||
      (setup.framework == Framework::kMegatronCore && given.backend != "unfused");
  return result;
}

}  // namespace pippin
