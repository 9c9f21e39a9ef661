// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/megatron_work.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/expert_layers.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

namespace {

class Given {
 public:
  explicit Given(const NamedValues& arguments) : arguments_(arguments) {}

  std::string_view text(std::string_view name) const {
    const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                    [&](const auto& one) { return one.first == name; });
    return found == arguments_.end() ? std::string_view() : found->second.text;
  }
  bool is_on(std::string_view name) const { return text(name) == "True"; }
  /// Nothing where it is "None", or no count.
  Count count(std::string_view name) const {
    const auto number = parse_number(text(name));
    const auto count = number ? whole_number(*number) : std::nullopt;
    return count && *count >= 1 && *count <= kLargestCount ? Count(*count) : std::nullopt;
  }
  double number(std::string_view name, double otherwise) const {
    const Count known = count(name);
    return known ? static_cast<double>(*known) : otherwise;
  }

 private:
  const NamedValues& arguments_;
};

/// Real numbers: whether the sums fit an integer is seen at the end.
struct Dimensions {
  double layers, hidden, heads, groups, ffn, vocab;
};

/// Nothing where one is missing, or can be none.
std::optional<Dimensions> dimensions_of(const Given& given, const Model& model) {
  const Count& vocab = model.padded_vocab ? model.padded_vocab : model.vocab;
  for (const Count* needed : {&model.layers, &model.hidden, &model.heads, &vocab})
    if (!*needed) return std::nullopt;
  for (const Count* count :
       {&model.layers, &model.hidden, &model.heads, &model.kv_heads, &model.ffn, &vocab})
    if (*count && (**count < 1 || **count > kLargestCount)) return std::nullopt;
  const auto real = [](std::int64_t count) { return static_cast<double>(count); };
  return Dimensions{real(*model.layers),
                    real(*model.hidden),
                    real(*model.heads),
                    real(model.kv_heads.value_or(*model.heads)),
                    real(model.ffn.value_or(usual_ffn(given.is_on("swiglu"), *model.hidden))),
                    real(*vocab)};
}

/// All parameters, and those that are work: of the matrices that a token is multiplied with, and,
/// as Megatron counts them, the norms of latent attention and of MTP's layers.
struct Part {
  double parameters = 0, matrices = 0;
};
Part operator+(const Part& a, const Part& b) {
  return {a.parameters + b.parameters, a.matrices + b.matrices};
}
Part operator*(double times, const Part& one) {
  return {times * one.parameters, times * one.matrices};
}

/// What all layers share.
struct Style {
  double norm;  ///< weights that a norm has for each number that it scales
  bool biases, qk_norms;
  bool has_gate, counts_gate;  ///< Megatron counts SwiGLU's alone as work

  explicit Style(const Given& given)
      : norm(lower(given.text("normalization")) == "rmsnorm" ? 1 : 2),
        biases(given.text("add_bias_linear") != "False" && !given.is_on("disable_bias_linear")),
        qk_norms(given.is_on("qk_layernorm")),
        has_gate(given.is_on("swiglu") || given.is_on("quick_geglu")),
        counts_gate(given.is_on("swiglu")) {}

  Part mlp(double hidden, double width) const {
    const double up = has_gate ? 2 : 1;
    const double parameters = (up + 1) * hidden * width + (biases ? up * width + hidden : 0);
    return {parameters, (counts_gate ? 3 : 2) * hidden * width};
  }
};

struct AttentionLayer {
  Part part;
  double widths = 0;  ///< of queries and values, of all heads
};

AttentionLayer latent_attention(const Given& given, const Dimensions& m, const Style& style) {
  const double key = given.number("qk_head_dim", 128), value = given.number("v_head_dim", 128);
  const double turned = given.number("qk_pos_emb_head_dim", 64);
  const double latent = given.number("kv_lora_rank", 32);
  const double query_latent = given.number("q_lora_rank", 0);
  const double queries = m.heads * (key + turned), values = m.heads * value;
  double matrices = query_latent > 0 ? query_latent * (m.hidden + queries) : m.hidden * queries;
  matrices += latent * (m.hidden + m.heads * (key + value)) + m.hidden * turned;
  matrices += values * m.hidden;
  const double norms = query_latent + latent;
  AttentionLayer layer{{matrices, matrices + norms}, queries + values};
  if (style.qk_norms) layer.part.parameters += style.norm * norms;
  if (style.biases) layer.part.parameters += m.hidden;
  return layer;
}

AttentionLayer attention_of(const Given& given, const Dimensions& m, const Style& style) {
  if (given.is_on("multi_latent_attention")) return latent_attention(given, m, style);
  const double width = given.number("kv_channels", m.hidden / m.heads);
  const double queries = m.heads * width, keys = m.groups * width;
  const double gate = given.is_on("attention_output_gate") ? queries : 0;
  const double projections = queries + 2 * keys + gate;
  const double matrices = m.hidden * (projections + queries);
  AttentionLayer layer{{matrices, matrices}, 2 * queries};
  if (style.biases || given.is_on("add_qkv_bias")) layer.part.parameters += projections;
  if (style.biases) layer.part.parameters += m.hidden;
  if (style.qk_norms) layer.part.parameters += 2 * width * style.norm;
  return layer;
}

struct Experts {
  double count = 0, of_token = 0;
  Part one;      ///< of them
  Part besides;  ///< what all tokens go through: the router is no work by Megatron's count
};

Experts experts_of(const Given& given, const Dimensions& m, const Style& style, double count) {
  Experts experts;
  experts.count = count;
  experts.of_token = std::min(count, given.number("moe_router_topk", count));
  const double latent = given.number("moe_latent_size", 0);
  experts.one =
      style.mlp(latent > 0 ? latent : m.hidden, given.number("moe_ffn_hidden_size", m.ffn));
  experts.besides.parameters = count * (m.hidden + (style.biases ? 1 : 0));
  if (latent > 0) experts.besides = experts.besides + 2 * m.hidden * latent * Part{1, 1};
  if (const double shared = given.number("moe_shared_expert_intermediate_size", 0); shared > 0) {
    experts.besides = experts.besides + style.mlp(m.hidden, shared);
    if (given.is_on("moe_shared_expert_gate") || given.is_on("moe_use_shared_expert_gate"))
      experts.besides.parameters += m.hidden;
  }
  return experts;
}

/// How many of a kind there are, and how many a token goes through.
struct Times {
  double made = 0, met = 0;
};
Times operator-(const Times& a, const Times& b) { return {a.made - b.made, a.met - b.met}; }
Part operator*(const Times& times, const Part& one) {
  return {times.made * one.parameters, times.met * one.matrices};
}

struct Layers {
  Times all, mixtures, dense;
  Times further;  ///< of MTP, which are as the last one
};

std::optional<Layers> layers_of(const Given& given, std::int64_t count, bool has_experts) {
  const auto with =
      layers_with_experts(has_experts ? given.text("moe_layer_freq") : std::string_view(), count);
  if (!with) return std::nullopt;
  const double further = given.number("mtp_num_layers", 0), own = static_cast<double>(count);
  Layers layers;
  layers.further = {given.is_on("mtp_use_repeated_layer") ? std::min(further, 1.0) : further,
                    further};
  layers.all = {own + layers.further.made, own + layers.further.met};
  if (has_experts) {
    const auto mixtures = static_cast<double>(std::count(with->begin(), with->end(), true));
    const Times last = with->back() ? layers.further : Times();
    layers.mixtures = {mixtures + last.made, mixtures + last.met};
  }
  layers.dense = layers.all - layers.mixtures;
  return layers;
}

/// Three norms, a projection, and logits of its own.
Part further_token(const Dimensions& m, const Style& style) {
  const double projection = 2 * m.hidden * m.hidden;
  return {projection + 3 * style.norm * m.hidden, projection + 3 * m.hidden + m.vocab * m.hidden};
}

/// A trainer that prints other parameters has another model.
bool are_others(const Count& printed, double counted) {
  constexpr double kAlike = 0.01;
  return printed && std::abs(static_cast<double>(*printed) - counted) > kAlike * counted;
}

bool has_learned_positions(const Given& given) {
  const std::string_view kind = given.text("position_embedding_type");
  return (kind.empty() || kind.ends_with("absolute")) &&
         !given.is_on("use_rotary_position_embeddings");
}

Part ends_of(const Given& given, const Dimensions& m, const Style& style, const Model& model) {
  const bool is_tied = model.tied.value_or(true);
  Part ends{m.vocab * m.hidden * (is_tied ? 1 : 2) + style.norm * m.hidden, m.vocab * m.hidden};
  if (has_learned_positions(given))
    ends.parameters +=
        given.number("max_position_embeddings", static_cast<double>(model.seq.value_or(0))) *
        m.hidden;
  return ends;
}

/// Whether its shape does not say its work.
bool is_unusual(const Given& given, const Dimensions& m, bool has_experts) {
  const Count width = given.count("kv_channels");
  return has_experts || (width && static_cast<double>(*width) * m.heads != m.hidden) ||
         given.is_on("multi_latent_attention") || given.is_on("attention_output_gate") ||
         given.is_on("quick_geglu") || given.count("mtp_num_layers");
}

/// What forks of Megatron call what it has under other names: MindSpeed-LLM does not read
/// Megatron's where it has its own. The layers before Megatron-Core sent a token to one expert.
bool is_of_other_code(const Given& given) {
  constexpr std::string_view kNames[] = {"first_k_dense_replace", "n_shared_experts",
                                         "moe_intermediate_size", "multi_head_latent_attention",
                                         "qk_rope_head_dim",      "qk_nope_head_dim"};
  return given.is_on("use_legacy_models") || given.text("use_mcore_models") == "False" ||
         std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
           const std::string_view text = given.text(name);
           return !text.empty() && text != "None" && text != "False";
         });
}

}  // namespace

void fill_in_work(const NamedValues& arguments, Model& model) {
  const Given given(arguments);
  const double count = given.number("num_experts", 0);
  const bool has_experts = count > 1;
  if (has_experts != (model.style == "moe") || model.style == "hybrid") return;
  const auto dimensions = dimensions_of(given, model);
  if (!dimensions || !is_unusual(given, *dimensions, has_experts)) return;
  // Not all that print experts print how many a token meets.
  if (has_experts && (!given.count("moe_router_topk") || is_of_other_code(given))) return;
  const auto layers = layers_of(given, *model.layers, has_experts);
  if (!layers) return;
  const Dimensions& m = *dimensions;
  const Style style(given);
  const AttentionLayer attention = attention_of(given, m, style);
  Part all = layers->all * (attention.part + Part{2 * style.norm * m.hidden, 0});
  all = all + layers->dense * style.mlp(m.hidden, m.ffn);
  all = all + layers->further * further_token(m, style) + ends_of(given, m, style, model);
  double met = all.parameters;
  if (has_experts) {
    const Experts experts = experts_of(given, m, style, count);
    const double made = layers->mixtures.made, own = experts.one.parameters;
    met += made * (experts.besides.parameters + experts.of_token * own);
    all = all + layers->mixtures * (experts.besides + experts.of_token * experts.one);
    all.parameters += made * (experts.count - experts.of_token) * own;
  }
  const Count parameters = whole_number(all.parameters), matrices = whole_number(all.matrices),
              widths = whole_number(layers->all.met * attention.widths);
  if (!parameters || !matrices || !widths || are_others(model.params, all.parameters)) return;
  if (!model.params) model.params = parameters;
  if (has_experts) model.active_params = whole_number(met);
  model.token_weights = matrices;
  model.attention_widths = widths;
}

void fill_in_model(LogRun& run) {
  if (run.configured) fill_in_work(run.arguments, run.point.model);  // else its dump is torn
  fill_in_params(run.point.model);
}

}  // namespace pippin
