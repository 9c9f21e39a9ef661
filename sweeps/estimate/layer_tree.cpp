// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/layer_tree.h"

#include <fmt/format.h>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/attention_matrices.h"
#include "sweeps/estimate/stage_parameters.h"

namespace pippin {

namespace {

/// Lists the parts of a stage.
class Lister {
 public:
  Lister(const Setup& setup, std::int64_t stage)
      : setup_(setup),
        m_(setup.shape),
        mixtures_(setup.mixtures_of_stage(stage)),
        kept_(layer_activations(setup, mixtures_ > 0)),
        stage_(stage) {}

  std::vector<ModelPart> all() && {
    if (stage_ == 0) embedding();
    layer();
    if (stage_ == setup_.place_of_last_norm() % setup_.pp)
      add("last_norm", m_.hidden, 0, norm_bias(), of_norm("h"));
    if (setup_.mtp_of_stage(stage_) > 0) mtp();
    if (stage_ == setup_.pp - 1) head();
    return std::move(parts_);
  }

 private:
  /// Of a weight; `columns` 0: a vector.
  ModelPart& add(const std::string& name, std::int64_t rows, std::int64_t columns,
                 std::int64_t biases, const std::string& formula) {
    ModelPart part;
    part.name = name;
    part.shape = columns > 0 ? fmt::format("{} x {}", rows, columns) : fmt::format("{}", rows);
    part.parameters = (columns > 0 ? rows * columns : rows) + biases;
    part.formula = formula;
    parts_.push_back(std::move(part));
    return parts_.back();
  }
  ModelPart& add(const std::string& name) {
    parts_.emplace_back();
    parts_.back().name = name;
    return parts_.back();
  }
  static void keeps(ModelPart& part, double bytes, const std::string& formula) {
    part.activations = bytes;
    if (bytes > 0) part.activation_formula = formula;
  }
  /// So many bytes for each of `elements`, which the letters count: "4 s b h".
  static void keeps_each(ModelPart& part, double bytes, double elements,
                         const std::string& letters) {
    keeps(part, bytes, fmt::format("{:.4g} {}", elements > 0 ? bytes / elements : 0, letters));
  }

  /// Of what each rank has whole, under sequence parallelism its part.
  std::string own(const std::string& letters) const {
    return letters + (sequence_share(setup_) < 1 ? " / t" : "");
  }
  std::string of_norm(const std::string& letters) const {
    return m_.norm_biases ? "2 " + letters : letters;
  }
  std::string with(bool biases, const char* formula, const char* more) const {
    return biases ? fmt::format("{} + {}", formula, more) : formula;
  }

  double part_of_tokens() const { return tokens_of(setup_) / number(setup_.tp); }
  std::int64_t norm_bias() const { return m_.norm_biases ? m_.hidden : 0; }

  void embedding() {
    add("embedding.words", m_.vocab / setup_.tp, m_.hidden, 0, "V h / t");
    if (m_.learned_positions) add("embedding.positions", m_.positions, m_.hidden, 0, "s h");
    if (m_.embedding_norm)
      keeps(add("embedding.norm", m_.hidden, 0, m_.hidden, "2 h"),
            bytes_of(setup_.type) * tokens_of(setup_) * sequence_share(setup_) *
                static_cast<double>(m_.hidden),
            own("2 s b h"));
    if (setup_.hidden_dropout && setup_.framework != Framework::kProbe)
      keeps(add("embedding.dropout"),
            tokens_of(setup_) * sequence_share(setup_) * static_cast<double>(m_.hidden),
            own("s b h"));
  }

  void layer() {
    const std::int64_t layers = setup_.layers_of_stage(stage_), dense = layers - mixtures_;
    const auto begin = parts_.size();
    norm("layer.norm1", kept_.norm1);
    attention();
    const LayerActivations plain = layer_activations(setup_, false);
    const bool alike = dense == 0 || mixtures_ == 0 || plain.norm2 == kept_.norm2;
    if (alike) norm("layer.norm2", kept_.norm2);
    if (kept_.dropout > 0) keeps(add("layer.dropouts"), kept_.dropout, own("2 s b h"));
    times(begin, layers);
    const auto mlps = parts_.size();
    if (!alike) norm("layer.norm2", plain.norm2);
    if (dense > 0) mlp("layer.mlp", m_.ffn, plain.mlp);
    times(mlps, dense);
    const auto others = parts_.size();
    if (!alike) norm("layer.norm2_of_mixtures", kept_.norm2);
    if (mixtures_ > 0) experts();
    times(others, mixtures_);
  }

  /// Of all parts from there on.
  void times(std::size_t begin, std::int64_t layers) {
    for (auto i = begin; i < parts_.size(); ++i) parts_[i].times = layers;
  }

  void norm(const char* name, double kept) {
    keeps_each(add(name, m_.hidden, 0, norm_bias(), of_norm("h")), kept,
               tokens_of(setup_) * sequence_share(setup_) * number(m_.hidden), own("s b h"));
  }

  void attention() {
    each_attention_matrix(m_, setup_.tp, [&](const AttentionMatrix& one) {
      if (one.part != AttentionPart::kOut) attention_matrix(one);
    });
    if (m_.is_latent()) latents();
    if (m_.qk_norms && !m_.is_latent())
      keeps(add("layer.attention.qk_norms", 2 * m_.head_width, 0,
                m_.norm_biases ? 2 * m_.head_width : 0, of_norm(by_heads("2 h / a", "2 d"))),
            kept_.qk_norms, by_heads("4 (1 + g/a) s b h / t", "4 (a + g) d s b / t"));
    ModelPart& core = add("layer.attention.core");
    if (kept_.scores > 0)
      keeps_each(core, kept_.scores, part_of_tokens() * number(m_.heads * m_.seq), "a s^2 b / t");
    else
      keeps(core, kept_.log_sums + kept_.copy,
            kept_.copy > 0 ? by_heads("4 a s b / t + 2 s b h / t", "4 a s b / t + 2 a d s b / t")
                           : "4 a s b / t");
    each_attention_matrix(m_, setup_.tp, [&](const AttentionMatrix& one) {
      if (one.part == AttentionPart::kOut) attention_matrix(one);
    });
  }

  /// Where heads are as wide as h / a says, and where they have a width of their own.
  const char* by_heads(const char* usual, const char* own_width) const {
    return m_.heads * m_.head_width == m_.hidden ? usual : own_width;
  }

  struct Named {
    const char* name;
    const char* formula;
  };
  Named named(AttentionPart part) const {
    switch (part) {
      case AttentionPart::kQueryDown:
        return {"query_down", "q h"};
      case AttentionPart::kQueryUp:
        return {"query_up", "a d q / t"};
      case AttentionPart::kQuery:
        return {"query", "a d h / t"};
      case AttentionPart::kKeyDown:
        return {"key_down", "(c + r) h"};
      case AttentionPart::kKeyUp:
        return {"key_up", "a (d - r + v) c / t"};
      case AttentionPart::kOut:
        return {"out", m_.is_latent() ? "a v h / t" : by_heads("h^2 / t", "a d h / t")};
      case AttentionPart::kWhole:
        break;
    }
    return {"qkv", by_heads("(1 + 2 g/a) h^2 / t", "(a + 2 g) d h / t")};
  }

  /// The output keeps what attention gives it, all in one queries, keys and values.
  void attention_matrix(const AttentionMatrix& one) {
    const bool is_out = one.part == AttentionPart::kOut;
    const bool is_whole = one.part == AttentionPart::kWhole;
    const bool has_biases = is_out ? m_.biases : is_whole && (m_.biases || m_.qkv_biases);
    const auto [name, formula] = named(one.part);
    ModelPart& part = add(
        fmt::format("layer.attention.{}", name), one.rows, one.columns, has_biases ? one.rows : 0,
        with(has_biases, formula, is_out ? "h" : by_heads("(1 + 2 g/a) h / t", "(a + 2 g) d / t")));
    if (is_out)
      keeps_each(part, kept_.context, part_of_tokens() * number(m_.heads * m_.values()),
                 m_.is_latent() ? "s b a v / t" : by_heads("s b h / t", "s b a d / t"));
    if (is_whole)
      keeps(part, kept_.qkv, by_heads("2 (1 + 2 g/a) s b h / t", "2 (a + 2 g) d s b / t"));
  }

  void latents() {
    const std::int64_t width = m_.query_latent + m_.key_latent;
    if (m_.qk_norms)
      add("layer.attention.latent_norms", width, 0, m_.norm_biases ? width : 0,
          m_.norm_biases ? "2 (q + c)" : "q + c");
    keeps_each(add("layer.attention.latents"), kept_.latents,
               tokens_of(setup_) * sequence_share(setup_) * number(width), own("s b (q + c)"));
    keeps(add("layer.attention.heads"), kept_.qkv, "2 s b a (2 d + v) / t");
  }

  void mlp(const std::string& name, std::int64_t width, double kept) {
    const std::int64_t ffn = width / setup_.tp, up = (m_.gated() ? 2 : 1) * ffn;
    add(name + ".up", up, m_.hidden, m_.biases ? up : 0,
        m_.gated() ? with(m_.biases, "2 f h / t", "2 f / t") : with(m_.biases, "f h / t", "f / t"));
    keeps_each(add(name + ".activation"), kept, part_of_tokens() * number(width), "s b f / t");
    add(name + ".down", m_.hidden, ffn, m_.biases ? m_.hidden : 0, with(m_.biases, "f h / t", "h"));
  }

  void experts() {
    const std::int64_t each = m_.experts / setup_.ep, ffn = m_.expert_ffn / setup_.expert_tp;
    const std::int64_t up = (m_.gated() ? 2 : 1) * ffn;
    add("layer.mlp.router", m_.experts, m_.hidden, m_.biases ? m_.experts : 0,
        with(m_.biases, "E h", "E"));
    keeps(add("layer.mlp.tokens"), kept_.routed,
          own(fmt::format("{:.4g} k s b h", setup_.input_bytes())));
    add("layer.mlp.experts.up", each * up, m_.hidden, m_.biases ? each * up : 0,
        m_.gated() ? with(m_.biases, "E/e 2 f h / t", "E/e 2 f / t")
                   : with(m_.biases, "E/e f h / t", "E/e f / t"));
    keeps_each(
        add("layer.mlp.experts.activation"), kept_.mlp,
        tokens_of(setup_) * sequence_share(setup_) * number(m_.experts_per_token * m_.expert_ffn),
        "k s b f / t");
    add("layer.mlp.experts.down", each * m_.hidden, ffn, m_.biases ? each * m_.hidden : 0,
        with(m_.biases, "E/e f h / t", "E/e h"));
    if (m_.shared_ffn == 0) return;
    const SharedActivations shared =
        kept_.shared > 0 ? shared_activations(setup_) : SharedActivations{};
    mlp("layer.mlp.shared", m_.shared_ffn, shared.mlp);
    const double gathered =
        tokens_of(setup_) * (setup_.overlaps_shared ? 1 : sequence_share(setup_));
    if (shared.gathered > 0)
      keeps_each(add("layer.mlp.shared.gathered"), shared.gathered, gathered * number(m_.hidden),
                 "s b h");
    if (m_.shared_gate)
      keeps(add("layer.mlp.shared.gate", m_.hidden, 0, 0, "h"), shared.gated, "2 s b h");
  }

  /// Each of their layers as a whole: its parts are those of the last one.
  void mtp() {
    const auto weights = parts_.size();
    add("mtp.norms", 3 * m_.hidden, 0, 3 * norm_bias(), m_.norm_biases ? "6 h" : "3 h");
    add("mtp.projection", m_.hidden / setup_.tp, 2 * m_.hidden, 0, "2 h^2 / t");
    ModelPart& layer = add("mtp.layer");
    layer.parameters = layer_parameters(setup_, m_.ends_in_mixture()).all();
    layer.formula = "a layer as the last one";
    times(weights, m_.mtp_weights());
    const auto passes = parts_.size();
    keeps(add("mtp.stream"), mtp_stream_bytes(setup_),
          setup_.sequence_parallel ? "2 (5 + t) s b h / t" : "12 s b h");
    keeps(add("mtp.layer.activations"), layer_activations(setup_, m_.ends_in_mixture()).all(),
          "a layer as the last one");
    times(passes, m_.mtp_layers);
    if (setup_.pp == 1) return;
    add("mtp.words", m_.vocab / setup_.tp, m_.hidden, 0, "V h / t, the embedding's copy");
  }

  void head() {
    if (!m_.tied || setup_.pp > 1)
      add("head.output", m_.vocab / setup_.tp, m_.hidden, 0,
          m_.tied ? "V h / t, the embedding's copy" : "V h / t");
    if (setup_.framework == Framework::kDeepSpeedPipeline && setup_.pp > 1 && m_.learned_positions)
      add("head.positions", m_.positions, m_.hidden, 0, "s h, the embedding's copy");
  }

  const Setup& setup_;
  const Shape& m_;
  std::int64_t mixtures_;
  LayerActivations kept_;  ///< of a layer with experts, where there are some
  std::int64_t stage_;
  std::vector<ModelPart> parts_;
};

}  // namespace

std::vector<ModelPart> parts_of_stage(const Setup& setup, std::int64_t stage) {
  return Lister(setup, stage).all();
}

}  // namespace pippin
