// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/analysis_tool.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "sweeps/estimate/groups.h"

namespace pippin {

namespace {

constexpr double kMb = 1024.0 * 1024.0, kGb = 1024.0 * kMb;

/// What the tool counts of a type, in elements: of a parameter its gradient and its optimizer's
/// state; of the optimizer's step what is there once and what DP splits; of each of the batch's
/// tokens and words the logits and what is made of them.
struct TypeFigures {
  double bytes, gradient, optimizer, step, step_split, logits;
};

TypeFigures figures_of(NumberType type) {
  switch (type) {
    case NumberType::kBf16:
      return {2, 2, 6, 5, 2, 5};
    case NumberType::kFp16:
      return {2, 1, 8, 4, 2, 2};
    case NumberType::kFp32:
      break;
  }
  return {4, 1, 2, 3, 1, 2};
}

/// The letters of the papers, as floating point; e: bytes of an element.
struct Letters {
  double V, s, b, h, f, l, t, p, d, n, gas, Ls, e;
};

Letters letters_of(const Setup& setup) {
  const Shape& m = setup.shape;
  return {number(m.vocab),
          number(m.seq),
          number(setup.mbs),
          number(m.hidden),
          number(m.ffn),
          number(m.layers),
          number(setup.tp),
          number(setup.pp),
          number(setup.dp),
          number(setup.gpus()),
          number(setup.gas),
          number(setup.layers_of_stage(0)),
          figures_of(setup.type).bytes};
}

/// Texts as the tool rounds them.
class Figures {
 public:
  void count(const char* name, double value) { add(name, fmt::format("{:.0f}", value)); }
  void gb(const char* name, double bytes, int digits = 1) {
    add(name, fmt::format("{:.{}f}", bytes / kGb, digits));
  }
  void mb(const char* name, double bytes) { add(name, fmt::format("{:.1f}", bytes / kMb)); }
  void add(const char* name, std::string text) { all_.emplace_back(name, std::move(text)); }
  PrintedFigures all() && { return std::move(all_); }

 private:
  PrintedFigures all_;
};

/// 10 sbh + 4 sbf elements of a layer, of which TP splits 5 sbh and all of the MLP.
double layer_activations(const Letters& x, double tp) {
  const double sbh = x.s * x.b * x.h, sbf = x.s * x.b * x.f;
  return x.e * ((5 * sbh + 4 * sbf) / tp + 5 * sbh);
}

double embedding_activations(const Letters& x) { return x.e * 1.5 * x.s * x.b * x.h; }

/// The bias of queries, keys and values counts h, not 3h; TP splits no bias; there is no last norm.
double parameters(const Letters& x, double tp, double layers) {
  const double layer = 7 * x.h + 4 * x.h * x.h / tp + 3 * x.f * x.h / tp + 2 * x.f;
  return x.V * x.h / tp + x.s * x.h + layers * layer;
}

void add_shapes(const Letters& x, Figures& figures) {
  figures.count("padded_vocab", x.V);
  figures.count("vocab_per_tp_rank", x.V / x.t);
  figures.count("ffn", x.f);
  figures.count("dp", x.d);
  figures.count("gas", x.gas);
  figures.count("params_full", parameters(x, 1, x.l));
  figures.count("params_per_gpu", parameters(x, x.t, x.Ls));
}

void add_full_model(const Letters& x, const TypeFigures& type, Figures& figures) {
  const double all = x.e * parameters(x, 1, x.l);
  const double activations =
      x.l * layer_activations(x, 1) + embedding_activations(x) + x.e * 4.5 * x.s * x.b * x.V;
  figures.gb("full.params_GB", all);
  figures.gb("full.grads_GB", type.gradient * all);
  figures.gb("full.optim_GB", type.optimizer * all);
  figures.gb("full.act_GB", activations);
  figures.gb("full.total_GB", (1 + type.gradient + type.optimizer) * all + activations);
}

/// The peak is that of the optimizer's step or that of the first backward pass.
void add_gpu(const Letters& x, const TypeFigures& type, Figures& figures) {
  const double own = x.e * parameters(x, x.t, x.Ls);
  const double activations = x.p * (x.Ls * layer_activations(x, x.t) + embedding_activations(x));
  const double logits = x.p == 1 ? x.e * type.logits * x.s * x.b * x.V / x.t : 0;
  const double in_step = own * (type.step + type.step_split / x.d);
  const double in_backward =
      own * (1 + type.gradient + type.optimizer / x.d) + activations + logits;
  figures.gb("gpu.params_GB", own);
  figures.gb("gpu.grads_GB", type.gradient * own);
  figures.gb("gpu.optim_GB", type.optimizer / x.d * own);
  figures.gb("gpu.act_GB", activations);
  figures.gb("gpu.requirement_GB", std::max(in_step, in_backward));
}

void add_pipeline(const Letters& x, Figures& figures) {
  const double message = x.e * x.s * x.b * x.h, calls = x.p > 1 ? 4 * x.gas : 0;
  figures.count("pp.freq", x.n * calls);
  figures.gb("pp.vol_GB", x.n * calls * message);
  figures.mb("pp.single_MB", message);
  figures.count("pp.gpu.freq", calls);
  figures.mb("pp.gpu.vol_MB", calls * message);
}

void add_tensor(const Letters& x, Figures& figures) {
  const double message = x.e * x.s * x.b * x.h, calls = x.t > 1 ? 4 * x.Ls : 0;
  figures.count("tp.freq", x.n * calls * x.gas);
  figures.gb("tp.vol_GB", x.n * calls * x.gas * message);
  figures.count("tp.gpu.mb.freq", calls);
  figures.gb("tp.gpu.mb.vol_GB", calls * message);
  figures.gb("tp.layer.vol_GB", calls / x.Ls * message, 2);
  figures.count("tp.gpu.iter.freq", calls * x.gas);
  figures.gb("tp.gpu.iter.vol_GB", calls * x.gas * message);
  figures.count("tp.cluster.mb.freq", x.n * calls);
  figures.gb("tp.cluster.mb.vol_GB", x.n * calls * message);
}

void add_data(const Letters& x, const TypeFigures& type, Figures& figures) {
  const double gradients = x.e * type.gradient * parameters(x, x.t, x.Ls);
  figures.count("dp.freq", x.d > 1 ? 2 : 0);
  figures.gb("dp.vol_GB", 2 * gradients);
  figures.gb("dp.rs_GB", gradients);
  figures.gb("dp.ag_GB", gradients);
  const double pp = x.p > 1 ? 4 * x.gas * x.n : 0, tp = x.t > 1 ? 4 * x.Ls * x.gas * x.n : 0;
  figures.count("all.freq", pp + tp + (x.d > 1 ? 2 : 0));
  figures.gb("all.vol_GB", (pp + tp) * x.e * x.s * x.b * x.h + 2 * gradients);
}

void add_layers(const Letters& x, Figures& figures) {
  const double sbh = x.e * x.s * x.b * x.h, mlp = x.e * 4 * x.s * x.b * x.f;
  figures.mb("L.embedding_act_MB", embedding_activations(x));
  figures.mb("L.word_emb_MB", x.e * x.V * x.h);
  figures.mb("L.pos_emb_MB", x.e * x.s * x.h);
  figures.mb("L.layer_act_MB", layer_activations(x, 1));
  figures.mb("L.ln_act_MB", sbh);
  figures.mb("L.attn_act_MB", 6 * sbh);
  figures.mb("L.qkv_param_MB", x.e * 3 * x.h * x.h);
  figures.mb("L.qkv_rearrange_act_MB", 3 * sbh);
  figures.mb("L.flash_act_MB", sbh);
  figures.mb("L.dense_param_MB", x.e * x.h * x.h);
  figures.mb("L.mlp_act_MB", mlp + sbh);
  figures.mb("L.h_to_4h_param_MB", x.e * 2 * x.f * x.h);
  figures.count("L.h_to_4h_rows", 2 * x.f);
  figures.mb("L.bias_glu_act_MB", mlp);
  figures.mb("L.4h_to_h_param_MB", x.e * x.f * x.h);
  figures.mb("L.drop_add_act_MB", 1.5 * sbh);
}

/// Two of these the tool prints as they are without TP.
void add_split_layers(const Letters& x, Figures& figures) {
  const double sbh = x.e * x.s * x.b * x.h;
  figures.count("T.qkv_rows", 3 * x.h / x.t);
  figures.mb("T.qkv_param_MB", x.e * 3 * x.h * x.h / x.t);
  figures.mb("T.qkv_rearrange_act_MB", 3 * sbh / x.t);
  figures.mb("T.flash_act_MB", sbh / x.t);
  figures.mb("T.dense_param_MB", x.e * x.h * x.h / x.t);
  figures.count("T.h_to_4h_rows", 2 * x.f / x.t);
  figures.mb("T.h_to_4h_param_MB", x.e * 2 * x.f * x.h / x.t);
  figures.count("T.4h_to_h_cols", x.f / x.t);
  figures.mb("T.4h_to_h_param_MB_as_printed", x.e * x.f * x.h);
  figures.mb("T.word_emb_MB_as_printed", x.e * x.V * x.h);
}

std::string group_text(const Setup& setup, const Ranks& group) {
  std::vector<std::string> places;
  places.reserve(group.size());
  for (const std::int64_t rank : group) places.push_back(place_of(setup, rank));
  return join(places, " ");
}

std::vector<std::string> groups_text(const Setup& setup, Dimension dimension) {
  const auto groups = groups_of(setup, dimension);
  std::vector<std::string> texts;
  texts.reserve(groups.size());
  for (const Ranks& group : groups) texts.push_back(group_text(setup, group));
  return texts;
}

/// Of TP and PP the first and the last group and how many there are, of DP all of them.
void add_groups(const Setup& setup, Figures& figures) {
  for (const auto& [name, dimension] :
       {std::pair("groups.tp", Dimension::kTensor), std::pair("groups.pp", Dimension::kPipeline)}) {
    const auto groups = groups_text(setup, dimension);
    figures.add(name, fmt::format("{}|{}|{}", groups.front(), groups.back(), groups.size()));
  }
  figures.add("groups.dp", join(groups_text(setup, Dimension::kData), "|"));
}

}  // namespace

std::string unknown_to_analysis_tool(const Setup& setup) {
  const Shape& m = setup.shape;
  if (m.activation != Activation::kSwiglu) return "it knows only SwiGLU";
  if (setup.attention == Attention::kScores) return "it knows only flash attention";
  if (setup.zero != 1) return "it knows only the distributed optimizer";
  if (m.kv_heads != m.heads) return "it knows no grouped queries";
  if (!m.learned_positions || !m.tied) return "it knows only learned positions and tied embeddings";
  if (m.experts > 0) return "it knows no experts";
  if (m.is_latent()) return "it knows no latent attention";
  if (setup.cp > 1 || setup.chunks > 1)
    return "it knows neither context parallelism nor interleaving";
  if (setup.recompute != Recompute::kNone) return "it knows no recomputation";
  if (setup.sequence_parallel) return "it knows no sequence parallelism";
  if (m.layers % setup.pp != 0) return "its stages have equally many layers";
  return "";
}

PrintedFigures analysis_tool_figures(const Setup& setup) {
  const Letters x = letters_of(setup);
  Figures figures;
  const TypeFigures type = figures_of(setup.type);
  add_shapes(x, figures);
  add_full_model(x, type, figures);
  add_gpu(x, type, figures);
  add_pipeline(x, figures);
  add_data(x, type, figures);
  add_tensor(x, figures);
  add_layers(x, figures);
  add_split_layers(x, figures);
  add_groups(setup, figures);
  return std::move(figures).all();
}

}  // namespace pippin
