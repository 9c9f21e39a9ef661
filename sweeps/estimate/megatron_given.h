// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/point.h"

namespace pippin {

/// Megatron's arguments that an estimate depends on, as far as they are given.
struct MegatronGiven {
  Count layers, hidden, heads, groups, head_width, ffn, seq, positions, vocab, padded_vocab,
      divisor;
  Count tp, pp, cp, ep, dp, mbs, gbs, gas, layers_a_chunk, chunks, experts, top_k;
  Count world, ranks_a_node, nodes, zero, instances, expert_ffn, expert_tp, recompute_layers;
  Count first_layers, last_layers, chunk_group, shared_ffn;
  Count query_latent, key_latent, key_width, shared_key, value_width;  ///< of latent attention
  Count mtp_layers;
  Count fsdp_unit;       ///< numbers that FSDP sends at a time
  Count deferral_limit;  ///< of micro-batches whose output layer waits for its gradient
  Count kv_heads;        ///< Megatron-DeepSpeed's word for groups
  bool swiglu = false, bf16 = false, fp16 = false, flash = false, distributed_optimizer = false;
  bool sequence_parallel = false, grouped = false, no_biases = false, untied = false;
  bool geglu = false;  ///< another gate than SwiGLU's
  bool squared_relu = false, qk_norms = false, deterministic = false, no_fused_softmax = false;
  bool fused_loss = false, grouped_experts = false, shared_gate = false;
  bool latent = false, overlaps_shared = false, mtp_shares = false, no_fused_gradients = false;
  bool wide_gradients = false;  ///< of fp16, summed in fp32
  bool narrow_sums = false;     ///< of gradients in bf16
  bool precision_aware = false, fp8_weights = false, overlaps_tensor = false;
  bool overlaps_experts = false, remakes_experts = false;
  bool overlaps_gradients = false, overlaps_weights = false;
  bool pipeline_before_data = false;  ///< in the order of ranks
  bool offloads_optimizer = false;
  bool fsdp = false;              ///< Megatron's own
  bool defers_embedding = false;  ///< the gradient of the output layer, to the iteration's end
  bool ends_in_bf16 = false;      ///< the first layers and the last ones, beside others in 8 bits
  bool qkv_biases = false, recompute_selective = false, recompute_full = false, rotary = false,
       no_positions = false, embedding_norm = false;
  bool deepspeed = false, core = false;
  bool newer = false;  ///< something that Megatron-LM 2.x had not, and that changes no estimate
  bool counts_embedding = false, counts_loss = false;  ///< as a layer of their stage
  std::string granularity, method, positions_kind, normalization, implementation, backend;
  std::string hidden_dropout, attention_dropout, dispatcher, tokenizer, tokenizer_model;
  std::string mixtures;  ///< which layers have experts
  std::string gradient_type, wide_weight_type, first_moment_type, second_moment_type;
  std::string fp8_format, fp8_recipe, optimizer, loss_fusion, offload_fraction;
  std::string sharding, sharded_gradient_type;  ///< of FSDP
  std::string remade;          ///< what selective recomputation makes again: "mlp moe_act"
  std::string layout;          ///< where layers stand in a pipeline
  std::string partition;       ///< of DeepSpeed's pipeline: "type:transformer|embedding"
  std::string older_method;    ///< which alone meant full recomputation until 2022
  std::string batch_schedule;  ///< "0:384 200B:768": the batch from that many tokens on
};

/// Names that it does not depend on go to `unused`.
/// Errors: Error (bad input) for a value that is none, and for a name that is nearly one that
/// counts. Source: Megatron-LM, megatron/training/arguments.py.
MegatronGiven megatron_given(const NamedValues& arguments, std::vector<std::string>& unused);

/// Whether an estimate depends on the argument of that name.
bool is_estimated_by(std::string_view name);
/// Whether that is a count, or a flag; else it is words.
bool is_count(std::string_view name);
bool is_flag(std::string_view name);

/// The names of a launch's options: Megatron's have dashes, some trainers' underscores throughout.
class TypedNames {
 public:
  /// As a dump has it. Requires no dashes in front. Errors: Error (bad input) for what people type
  /// for one of Megatron's that is none, underscores among names with dashes too.
  std::string take(std::string_view typed);

 private:
  std::string underscored_;
  bool has_dashes_ = false;
};

/// Of an argument that has another one in launches than in Megatron's dump, or had one in earlier
/// years: the dump's.
std::string_view current_name(std::string_view name);

/// The one thing in "['p2p']", as lists of one are printed; other texts as they are.
std::string_view only_of_list(std::string_view text);

/// As a person types it: "--num-layers", or the program's name.
std::string typed_argument(std::string_view name);

/// Errors: Error (bad input) where `text`, the value of an argument, is neither empty nor known.
void check_word(std::string_view name, const std::string& text,
                std::initializer_list<std::string_view> known);

}  // namespace pippin
