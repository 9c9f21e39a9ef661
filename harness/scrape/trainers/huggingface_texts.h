// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace pippin::huggingface {

/// By what its lines are found: a place in the texts below.
enum Text : std::size_t {
  kTotal,
  kMetric,
  kBegin,
  kLosses,
  kBanner,
  kSigns,
  kFacts = kSigns,
  kPerDevice,
  kExamples,
  kSteps,
  kTrainable,
  kResumed,
  kShape,
  kEvaluation,
  kEvaluated,
  kSave,
  kFastBar,
  kSlowBar,
  kFastBarAndMore,
  kSlowBarAndMore,
  kVocabulary,
  kMemory,
  kTensors,
  kContexts,
  kSequences,
  kBannerSteps,
  kBannerBatch,
  kBannerTotal,
  kBannerGpus,
  kMetricRate,
  kTexts
};

// Source: transformers, src/transformers/trainer.py and trainer_pt_utils.py, 2020-2026; unsloth,
// unsloth/models/_utils.py, 2024-2026.
inline constexpr std::array<std::string_view, kTexts> kSaid{
    "'train_runtime': ",
    "train_runtime  ",
    "***** Running training *****",
    "{'loss':",
    "Unsloth - 2x faster free ",
    "ccumulation",  // its total train batch size, and the gradient accumulation steps
    "Instantaneous batch size per device = ",
    "Num examples = ",
    "Total optimization steps = ",
    "Number of trainable parameters = ",
    "Continuing training from global step ",
    "Overriding config: ",
    "***** Running Evaluation *****",
    "'eval_",
    "Saving model checkpoint to ",
    "it/s]",
    "s/it]",
    "it/s, ",
    "s/it, ",
    "\"vocab_size\": ",
    "'memory/max_",  // Axolotl's
    "tensor_parallel_size",
    "context_parallel_size",
    "sequence_parallel_size",
    " | Total steps = ",
    " Batch size per device = ",
    " Total batch size ",
    " Data Parallel GPUs = ",
    "train_steps_per_second  ",
};

/// Those that say that the GPUs are more than the batches.
inline constexpr std::size_t kParallel[] = {kTensors, kContexts, kSequences};

/// Drawn before Unsloth's words.
inline constexpr std::string_view kBannerArt = "==((====))==", kBannerGap = "    ";

}  // namespace pippin::huggingface
