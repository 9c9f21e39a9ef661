// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/newer_choices.h"
#include "sweeps/estimate/newer_layers.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/row_reader.h"

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

}  // namespace

std::optional<Framework> RowReader::named_framework() const {
  const std::string name = row_.text("framework");
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  const bool shards = row_.text("zero") == "2" || row_.text("zero") == "3";
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

void RowReader::framework() {
  const auto framework = named_framework();
  if (!framework) return refuse("the framework '" + row_.text("framework") + "' is not known");
  setup_.framework = *framework;
  setup_.generation = generation_of(row_.text("gpu"));
  // Its runs whose stages are uneven say "type:transformer|embedding".
  setup_.embeddings_count = *framework == Framework::kMegatronDeepSpeed && setup_.pp > 1 &&
                            setup_.shape.layers % setup_.pp != 0;
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
void RowReader::fsdp() {
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

/// Of its column, else of its notes.
std::string RowReader::recomputation_words() const {
  const std::string words = row_.text("recompute");
  return words.empty() ? arguments_.word("recompute-granularity") : words;
}

void RowReader::recomputation() {
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
        parse_integer(trim(std::string_view(words).substr(comma + 1, words.find(')') - comma - 1)))
            .value_or(1),
        1);
  }
}

void RowReader::attention() {
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

/// What Megatron-Core alone has.
void RowReader::newer_choices() {
  try {
    fill_in_remade(given_, setup_);
    if (const auto unknown = fill_in_optimizer(given_, setup_); !unknown.empty())
      refuse_memory(fmt::format("what {} takes is not known", typed_argument(unknown)));
    if (!fill_in_stages(given_, setup_)) refuse("the layout '" + given_.layout + "' is not known");
    check_mtp(setup_);
  } catch (const Error& error) {
    refuse("its notes: " + reason_of(error));
  }
  if (setup_.layers_before && row_.count("vpp") > 1 && row_.count("vpp") != setup_.chunks)
    refuse(fmt::format("its layout has {} chunks a stage, and vpp is {}", setup_.chunks,
                       row_.count("vpp")));
}

}  // namespace pippin
