// SPDX-License-Identifier: Apache-2.0
// A row of a table of layouts as a setup.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/layout_checks.h"
#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/newer_choices.h"
#include "sweeps/estimate/newer_layers.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/point_rows.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/row_arguments.h"
#include "sweeps/estimate/row_checks.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/vocabularies.h"

namespace pippin {

namespace {

/// "H100-SXM5" and "h100-sxm5-80g" alike.
Generation generation_of(std::string gpu) {
  std::transform(gpu.begin(), gpu.end(), gpu.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  const auto begins = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return gpu.starts_with(name); });
  };
  if (begins({"V100"})) return Generation::kVolta;
  if (begins({"A100", "A800"})) return Generation::kAmpere;
  if (begins({"H100", "H200", "H800", "GH200"})) return Generation::kHopper;
  if (begins({"B200", "B300", "GB200", "GB300"})) return Generation::kBlackwell;
  return Generation::kOther;
}

/// One that is not known is refused before.
std::optional<Framework> framework_of(const PointRow& row) {
  const std::string name = row.text("framework");
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  const bool shards = row.text("zero") == "2" || row.text("zero") == "3";
  if (const auto typed = find_framework(name)) return typed;
  if (has("Megatron-Core") || has("Megatron-Bridge")) return Framework::kMegatronCore;
  if (has("Megatron-LM Aug 2023")) return Framework::kMegatron2023;
  if (has("FSDP") || has("torchtitan")) return Framework::kFsdp;
  if (has("NeMo")) return Framework::kMegatronCore;
  if (has("BigScience") || has("ALCF"))
    return shards ? Framework::kDeepSpeedZero : Framework::kMegatronDeepSpeed;
  if (has("DeepSpeed-3D")) return Framework::kDeepSpeedPipeline;
  if (has("ZeRO-3") || has("HF Trainer")) return Framework::kDeepSpeedZero;
  if (has("Megatron")) return Framework::kMegatron2;
  return std::nullopt;
}

/// Builds a setup; what is not given or not known is remembered.
class RowReader {
 public:
  explicit RowReader(const PointRow& row) : row_(row) {
    if (auto arguments = RowArguments::in_notes(row))
      arguments_ = *std::move(arguments);
    else
      refuse("its notes begin like arguments in JSON, and are none");
  }

  RowSetup read() && {
    if (why_.empty()) refuse(unreadable_reason(row_));
    if (why_.empty()) refuse_what_is_unknown();
    if (why_.empty()) shape();
    if (why_.empty()) layout();
    if (why_.empty()) framework();
    if (why_.empty()) attention();
    if (why_.empty()) vocabulary();
    if (why_.empty()) newer_choices();
    if (why_.empty()) check_parts();
    if (!why_.empty()) return {std::nullopt, why_, "", "", "", false};
    return {setup_, "", why_no_memory_, why_no_time_, doubt_, any_micro_batch_};
  }

 private:
  void refuse(const std::string& why) {
    if (why_.empty()) why_ = why;
  }
  void refuse_memory(const std::string& why) {
    if (why_no_memory_.empty()) why_no_memory_ = why;
  }
  void refuse_time(const std::string& why) {
    if (why_no_time_.empty()) why_no_time_ = why;
  }
  void doubt(const std::string& what) { doubt_ += (doubt_.empty() ? "" : "; ") + what; }
  bool is_named(std::string_view part) const { return row_.says("model", part); }
  bool is_core() const { return setup_.framework == Framework::kMegatronCore; }
  bool is_megatron() const {
    return is_core() || setup_.framework == Framework::kMegatron2023 ||
           setup_.framework == Framework::kMegatron2;
  }
  /// One of those whose speed NVIDIA publishes: they reduce gradients in 16 bits, and overlap
  /// messages with products.
  bool is_recipe() const {
    return is_core() &&
           (row_.says("framework", "NeMo") || row_.says("framework", "Megatron-Bridge"));
  }

  /// As Megatron refuses them, too.
  void check_parts() {
    const Shape& m = setup_.shape;
    const auto divides = [&](std::int64_t whole, std::int64_t part, const char* words) {
      if (part > 0 && whole % part != 0) refuse(fmt::format("{} ({} by {})", words, whole, part));
    };
    refuse(layout_reason(setup_));
    if (m.head_width == m.hidden / m.heads)
      divides(m.hidden, m.heads, "heads do not divide the hidden size");
    if (is_megatron() && setup_.first_layers + setup_.last_layers == 0 && !setup_.layers_before) {
      divides(m.layers, setup_.pp, "PP does not divide the number of layers");
      divides(m.layers / setup_.pp, setup_.chunks, "vpp does not divide the layers of a stage");
    }
    const bool is_deepspeed = setup_.framework == Framework::kDeepSpeedPipeline ||
                              setup_.framework == Framework::kMegatronDeepSpeed;
    if (is_deepspeed && setup_.chunks > 1)
      refuse(fmt::format("DeepSpeed has no virtual stages (vpp {})", setup_.chunks));
    if (setup_.first_layers + setup_.last_layers > m.layers)
      refuse("the first and the last stage have more layers than there are");
    const bool is_batch_given = row_.count("gas") > 0 || row_.count("gbs") > 0;
    if (is_batch_given && setup_.framework != Framework::kFsdp) refuse(interleaving_reason(setup_));
  }

  void refuse_what_is_unknown() {
    const std::string model = row_.text("model");
    const std::string kind = model.substr(0, model.find('/'));
    if (kind != model && kind != "gpt" && kind != "moe" && kind != "mixtral")
      refuse(fmt::format("a model of the kind '{}' is not known", kind));
    for (const char* word : {"UNUSABLE", "INCONSISTENT"})
      if (row_.says("notes", word)) refuse("its notes call it " + lower(word));
    const std::string recompute = recomputation_words(), activation = row_.text("act_fn");
    if (recompute.empty() || recompute == "?") refuse("recomputation is not given");
    if (!recompute.starts_with("full") && !recompute.starts_with("selective") &&
        recompute != "none")
      refuse("the recomputation '" + recompute + "' is not known");
    if (!activation.empty() && activation != "gelu" && activation != "swiglu" &&
        activation != "squared-relu")
      refuse("the activation '" + activation + "' is not known");
    if (arguments_.has("fp8-format")) refuse_memory("fp8 weights and their scales are not known");
    NamedValues on;
    for (const auto& [written, text] : arguments_.all()) {
      std::string name = written;
      std::replace(name.begin(), name.end(), '-', '_');
      const Value given = value_of(text);
      const bool is_none = is_count(name) && parse_number(given.text) == 0.0;
      if (is_none) continue;
      on.emplace_back(name, given);
      if (is_unknown_to_memory(name, given))
        refuse_memory(fmt::format("what {} takes is not known", typed_argument(name)));
      if (is_unknown_to_time(name, given))
        refuse_time(fmt::format("how fast it is with {} is not known", typed_argument(name)));
    }
    refuse_what_is_misspelt(on);
    if (given_.latent && !given_.key_latent)
      refuse("the widths of multi-latent attention are not given");
    if (is_named("muon")) refuse_memory("how its optimizer Muon is spread is not given");
    if (is_named("defer_embedding"))
      refuse_memory("of how many micro-batches the output layer's gradient waits is not given");
    if (is_named("distill")) refuse("its teacher is not given");
    if (is_named("grpo")) refuse("it samples, too, which is not known");
    if (row_.says("framework", "HF") && !row_.says("notes", "Offl"))
      refuse("whether the optimizer is offloaded is not given");
  }

  void refuse_what_is_misspelt(const NamedValues& arguments) {
    std::vector<std::string> unused;
    try {
      given_ = megatron_given(arguments, unused);
    } catch (const Error& error) {
      refuse("its notes: " + reason_of(error));
    }
  }

  void shape() {
    Shape& m = setup_.shape;
    for (const char* column : {"layers", "hidden", "heads", "seq"})
      if (row_.count(column) == 0) refuse(fmt::format("{} is not given", column));
    if (!why_.empty()) return;
    m.layers = row_.count("layers");
    m.hidden = row_.count("hidden");
    m.heads = row_.count("heads");
    m.kv_heads = std::max(row_.count("kv_heads"), std::int64_t{0});
    if (m.kv_heads == 0 && arguments_.has("group-query-attention"))
      m.kv_heads = arguments_.count("num-query-groups", 1);
    if (m.kv_heads == 0) m.kv_heads = m.heads;
    m.seq = m.positions = row_.count("seq");
    m.head_width = arguments_.count("kv-channels", m.hidden / m.heads);
    const std::string activation = row_.text("act_fn");
    const auto has = [&](const char* name) {
      return activation == name || (activation.empty() && arguments_.has(name));
    };
    m.activation = has("swiglu")                   ? Activation::kSwiglu
                   : arguments_.has("quick-geglu") ? Activation::kGeglu
                   : has("squared-relu")           ? Activation::kSquaredRelu
                                                   : Activation::kGelu;
    if (activation.empty() && m.activation == Activation::kGelu) doubt("act_fn gelu is assumed");
    m.ffn = row_.count("ffn");
    if (m.ffn == 0) m.ffn = usual_ffn(m.activation == Activation::kSwiglu, m.hidden);
    m.biases = !arguments_.has("disable-bias-linear");
    m.norm_biases = arguments_.word("normalization") != "RMSNorm";
    m.qk_norms = arguments_.has("qk-layernorm") || is_named("qk_layernorm");
    const std::string positions = arguments_.word("position-embedding-type");
    m.learned_positions = (positions.empty() || positions.ends_with("absolute")) &&
                          !arguments_.has("use-rotary-position-embeddings") &&
                          !arguments_.has("no-position-embedding");
    m.tied = !arguments_.has("untie-embeddings-and-output-weights");
    m.experts = arguments_.count("num-experts", 0, 0);
    m.experts_per_token = m.experts > 0 ? arguments_.count("moe-router-topk", 2) : 0;
    m.expert_ffn = m.experts > 0 ? arguments_.count("moe-ffn-hidden-size", m.ffn) : 0;
    try {
      if (!fill_in_newer_layers(given_, setup_))
        refuse("layers with experts as its moe-layer-freq has them are not known");
    } catch (const Error& error) {
      refuse("its notes: " + reason_of(error));
    }
  }

  /// Megatron-LM's tests run on eight GPUs, but for those of one node and for long runs.
  std::int64_t gpus() {
    if (const auto count = row_.count("n_gpus"); count > 0) return count;
    if (row_.count("dp") > 0) return 0;
    if (!row_.text("model").starts_with("gpt/") && !row_.text("model").starts_with("moe/") &&
        !row_.text("model").starts_with("mixtral/"))
      refuse("n_gpus is not given");
    if (is_named("release")) refuse("n_gpus is not given");
    constexpr std::int64_t kUsual = 8;
    return is_named("1node") ? row_.count("gpus_per_node") : kUsual;
  }

  void layout() {
    const auto one_of = [&](const char* column) {
      return std::max<std::int64_t>(row_.count(column), 1);
    };
    setup_.tp = one_of("tp");
    setup_.pp = one_of("pp");
    setup_.cp = one_of("cp");
    setup_.ep = one_of("ep");
    setup_.chunks = one_of("vpp");
    setup_.gpus_per_node = one_of("gpus_per_node");
    const std::int64_t all = gpus(), replica = count_product({setup_.tp, setup_.pp, setup_.cp});
    if (all % replica != 0) refuse("TP x PP x CP does not divide n_gpus");
    // DeepSpeed leaves stages empty.
    if (setup_.shape.layers < setup_.pp && !row_.says("framework", "DeepSpeed"))
      refuse("there are fewer layers than stages");
    setup_.dp = row_.count("dp") > 0 ? row_.count("dp") : std::max<std::int64_t>(all / replica, 1);
    const std::int64_t ranks = count_product({replica, setup_.dp});
    if (row_.count("n_gpus") > 0 && ranks != all)
      refuse(fmt::format("TP x PP x CP x DP is {}, and n_gpus {}", ranks, all));
    setup_.mbs = micro_batch();
    if (setup_.mbs == 0 && row_.count("gas") > 0) {
      const std::int64_t parts = count_product({setup_.dp, row_.count("gas")});
      if (row_.count("gbs") % parts != 0) return refuse("DP x GAS does not divide gbs");
      setup_.mbs = row_.count("gbs") / parts;
    }
    if (setup_.mbs == 0) {
      if (row_.count("gbs") == 0 || row_.count("gbs") % setup_.dp != 0)
        return refuse("mbs is not given");
      refuse_memory("mbs is not given");
      any_micro_batch_ = true;
      setup_.mbs = 1;
    }
    const std::int64_t batch = row_.count("gbs") / count_product({setup_.dp, setup_.mbs});
    setup_.gas = row_.count("gas") > 0 ? row_.count("gas") : std::max<std::int64_t>(batch, 1);
    check_batch();
    if (row_.count("gpus_per_node") == 0 && ranks > 1) why_no_time_ = "gpus_per_node is not given";
    if (row_.count("gas") == 0 && row_.count("gbs") == 0)
      why_no_time_ = "neither gbs nor gas is given";
    setup_.expert_tp = arguments_.count("expert-tensor-parallel-size", setup_.tp);
    if (const auto at = row_.text("model").find("etp");
        at != std::string::npos && setup_.shape.experts > 0)
      setup_.expert_tp = std::max<std::int64_t>(
          parse_integer(row_.text("model").substr(at + 3, 1)).value_or(setup_.tp), 1);
    else if (setup_.shape.experts > 0 && !arguments_.has("expert-tensor-parallel-size") &&
             !experts_divide(setup_.tp) && experts_divide(1)) {
      setup_.expert_tp = 1;
      doubt("expert TP 1 is assumed");
    }
    setup_.sequence_parallel = row_.text("seq_par") == "1" && setup_.tp > 1;
    uneven_stages();
  }

  bool experts_divide(std::int64_t expert_tp) const {
    return count_product({setup_.tp, setup_.cp, setup_.dp}) %
               count_product({setup_.ep, expert_tp}) ==
           0;
  }

  /// Of a row that says more than it has to.
  void check_batch() {
    const std::int64_t all = count_product({setup_.dp, setup_.mbs, setup_.gas}),
                       gbs = row_.count("gbs");
    if (gbs == 0 || all == gbs) return;
    if (row_.count("gas") == 0) return refuse("MBS x DP does not divide gbs");
    doubt(fmt::format("DP x MBS x GAS is {}; its gbs of {} is not used", all, gbs));
  }

  std::int64_t micro_batch() const {
    const std::string words = "effective MBS probably ", notes = row_.text("notes");
    const auto at = notes.find(words);
    if (at == std::string::npos) return row_.count("mbs");
    const std::string rest = notes.substr(at + words.size());
    return parse_integer(rest.substr(0, rest.find_first_not_of("0123456789"))).value_or(0);
  }

  void uneven_stages() {
    setup_.first_layers = arguments_.count("decoder-first-pipeline-num-layers", 0, 0);
    setup_.last_layers = arguments_.count("decoder-last-pipeline-num-layers", 0, 0);
    bool embedding = arguments_.has("account-for-embedding-in-pipeline-split");
    bool loss = arguments_.has("account-for-loss-in-pipeline-split");
    const bool is_said =
        embedding || loss || !given_.layout.empty() || setup_.first_layers + setup_.last_layers > 0;
    const std::int64_t layers = setup_.shape.layers, parts = setup_.pp * setup_.chunks;
    constexpr std::int64_t kEnds = 2;
    if (!is_said && framework_of(row_) == Framework::kMegatronCore && layers % parts != 0 &&
        (layers + kEnds) % parts == 0) {
      doubt(fmt::format("{} layers over {}: embedding and loss are assumed to count as one each",
                        layers, parts));
      embedding = loss = true;
    }
    refuse(count_ends(setup_, embedding, loss));
  }

  /// What Megatron-Core alone has.
  void newer_choices() {
    try {
      fill_in_remade(given_, setup_);
      if (const auto unknown = fill_in_optimizer(given_, setup_); !unknown.empty())
        refuse_memory(fmt::format("what {} takes is not known", typed_argument(unknown)));
      if (!fill_in_stages(given_, setup_))
        refuse("the layout '" + given_.layout + "' is not known");
      check_mtp(setup_);
    } catch (const Error& error) {
      refuse("its notes: " + reason_of(error));
    }
    if (setup_.layers_before && row_.count("vpp") > 1 && row_.count("vpp") != setup_.chunks)
      refuse(fmt::format("its layout has {} chunks a stage, and vpp is {}", setup_.chunks,
                         row_.count("vpp")));
  }

  void framework() {
    const auto framework = framework_of(row_);
    if (!framework) return refuse("the framework '" + row_.text("framework") + "' is not known");
    setup_.framework = *framework;
    setup_.generation = generation_of(row_.text("gpu"));
    setup_.zero = parse_integer(row_.text("zero")).value_or(0);
    const std::string precision = row_.text("precision");
    if (precision == "fp16")
      setup_.type = NumberType::kFp16;
    else if (precision == "bf16" || precision == "amp_bf16")
      setup_.type = NumberType::kBf16;
    else if (precision == "fp32")
      setup_.type = NumberType::kFp32;
    else if (lower(precision).find("fp8") != std::string::npos) {
      setup_.type = NumberType::kBf16;
      refuse_memory("fp8 weights and their scales are not known");
    } else {
      return refuse("the precision '" + precision + "' is not known");
    }
    setup_.scatters_messages = !row_.says("framework", "Jan 2021");
    setup_.reduces_narrow = row_.says("framework", "PURE") ||
                            setup_.framework == Framework::kDeepSpeedZero ||
                            (is_recipe() && !arguments_.has("accumulate-allreduce-grads-in-fp32"));
    if (is_core()) fsdp();
    if (is_core() && setup_.zero == 2 && !setup_.fsdp)
      return refuse("ZeRO-2 of Megatron-Core is not known");
    setup_.later_deepspeed = row_.says("framework", "ALCF");
    if (row_.says("notes", "8-bit Adam")) setup_.moment_bytes = 2;
    setup_.offloads_optimizer =
        row_.says("notes", "Opt Offl=Y") || row_.says("notes", "full CPU offload");
    setup_.offloads_checkpoints = row_.says("framework", "Megatron-1.1.5");
    setup_.instances = arguments_.count("num-distributed-optimizer-instances",
                                        is_named("multi_dist_optimizer_instances") ? 2 : 1);
    setup_.chunk_group = arguments_.count("microbatch-group-size-per-virtual-pipeline-stage",
                                          is_named("tunable_overlap") ? 5 : 0);
    setup_.wide_gradients = arguments_.has("accumulate-allreduce-grads-in-fp32");
    setup_.transformer_engine = is_core() && !row_.says("framework", "(local)");
    usual_model_of_framework();
    recomputation();
  }

  /// Of the time before gradients could be narrow, and before what is no layer's was kept whole,
  /// where its notes do not say otherwise.
  void fsdp() {
    const std::int64_t zero = setup_.zero;
    if (!given_.fsdp) return;
    try {
      fill_in_fsdp(given_, setup_);
    } catch (const Error& error) {
      return refuse("its notes: " + reason_of(error));
    }
    setup_.keeps_gathered = false;
    if (given_.sharded_gradient_type.empty()) setup_.reduces_narrow = false;
    if (given_.sharding.empty())
      setup_.zero = zero;
    else if (!row_.text("zero").empty() && setup_.zero != zero)
      refuse(fmt::format("zero is {}, and its notes say {}", zero, given_.sharding));
  }

  void usual_model_of_framework() {
    Shape& m = setup_.shape;
    const bool titan = row_.says("framework", "torchtitan"),
               argonne = row_.says("framework", "ALCF");
    if (titan || argonne) {
      m.biases = m.norm_biases = m.learned_positions = m.tied = false;
    }
    if (setup_.framework == Framework::kFsdp) {
      setup_.hidden_dropout = setup_.attention_dropout = false;
      constexpr double kTitan = 16, kComposer = 4;  // of a logit in eager and in fused loss
      setup_.logit_bytes = titan ? kTitan : kComposer;
    }
  }

  /// Of its column, else of its notes.
  std::string recomputation_words() const {
    const std::string words = row_.text("recompute");
    return words.empty() ? arguments_.word("recompute-granularity") : words;
  }

  void recomputation() {
    const std::string words = recomputation_words();
    if (const std::string& noted = given_.granularity; !noted.empty() && !words.starts_with(noted))
      return refuse(fmt::format("recompute is {}, and its notes say {}", words, noted));
    if (setup_.framework == Framework::kFsdp && words == "selective (layer)")
      return refuse("which of its layers are made again is not given");
    setup_.recompute = words.starts_with("full")        ? Recompute::kFull
                       : words.starts_with("selective") ? Recompute::kSelective
                                                        : Recompute::kNone;
    const auto comma = words.find(',');
    if (comma == std::string::npos) {
      setup_.recompute_block = given_.method == "block";
      setup_.recompute_layers = given_.recompute_layers.value_or(1);
    } else {
      setup_.recompute_block = words.find("block") != std::string::npos;
      setup_.recompute_layers = std::max<std::int64_t>(
          parse_integer(
              trim(std::string_view(words).substr(comma + 1, words.find(')') - comma - 1)))
              .value_or(1),
          1);
    }
  }

  void attention() {
    setup_.deterministic = arguments_.has("deterministic-mode");
    setup_.fused_softmax = !arguments_.has("no-masked-softmax-fusion");
    try {
      fill_in_schedule(given_, setup_);
    } catch (const Error& error) {
      refuse("its notes: " + reason_of(error));
    }
    if (is_recipe()) {
      setup_.overlaps_gradients = setup_.overlaps_weights = true;
      setup_.overlaps_tensor = setup_.shape.experts == 0 && setup_.sequence_parallel;
    }
    if (given_.remakes_experts && setup_.recompute != Recompute::kSelective)
      refuse("its notes have --moe-layer-recompute, and its recompute is not selective");
    // Words say nothing of it.
    setup_.fuses_gradients = is_core() && trim(row_.text("notes")).starts_with('{') &&
                             !arguments_.has("no-gradient-accumulation-fusion");
    setup_.grouped_experts = arguments_.has("moe-grouped-gemm");
    const std::string dispatcher = arguments_.word("moe-token-dispatcher-type");
    setup_.gathers_tokens = dispatcher.empty() ? !is_named("alltoall") : dispatcher == "allgather";
    if (is_core()) {
      constexpr double kUsual = 0.1;
      setup_.hidden_dropout = arguments_.number("hidden-dropout", kUsual) > 0;
      setup_.attention_dropout = arguments_.number("attention-dropout", kUsual) > 0;
    }
    const std::string words = row_.text("attn");
    if (words.empty()) return refuse("attn is not given");
    if (words != "auto") {
      setup_.attention = words.starts_with("unfused") ? Attention::kScores
                         : words == "fused"           ? Attention::kFused
                                                      : Attention::kFlash;
    } else if (!setup_.transformer_engine) {
      setup_.attention = Attention::kScores;
    } else {
      setup_.attention = usual_attention(setup_);
    }
  }

  /// As the embedding has it. Composer and torchtitan take it as it is.
  void vocabulary() {
    std::int64_t vocab = row_.count("vocab");
    const bool is_said = vocab > 0;
    const std::string tokenizer = arguments_.word("tokenizer-type");
    if (vocab == 0) {
      constexpr std::int64_t kNemotron = 256000;
      const bool llama = row_.says("framework", "ALCF");
      vocab = tokenizer == "GPTSentencePieceTokenizer"
                  ? kNemotron
                  : vocabulary_of(llama ? "Llama2Tokenizer" : tokenizer,
                                  arguments_.word("tokenizer-model"))
                        .tokens;
    }
    if (!is_said && tokenizer.empty()) doubt(fmt::format("vocabulary {} is assumed", vocab));
    if (const auto padded = arguments_.count("padded-vocab-size", 0); padded > 0) {
      setup_.shape.vocab = padded;
      return;
    }
    const std::int64_t usual = setup_.framework == Framework::kFsdp ? 1 : 128;
    setup_.shape.vocab =
        padded_vocab(vocab, setup_.tp, arguments_.count("make-vocab-size-divisible-by", usual));
  }

  const PointRow& row_;
  RowArguments arguments_;
  MegatronGiven given_;  ///< the same, but for those that are off
  Setup setup_;
  std::string why_, why_no_memory_, why_no_time_, doubt_;
  bool any_micro_batch_ = false;
};

}  // namespace

RowSetup setup_of_row(const PointRow& row) { return RowReader(row).read(); }

}  // namespace pippin
