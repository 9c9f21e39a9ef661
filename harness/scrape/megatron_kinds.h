// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/scrape/deepspeed_config.h"
#include "harness/scrape/megatron_timers.h"

namespace pippin {

/// What a line may hold that the reader cares for.
enum MegatronLine : std::size_t {
  kIterationLine,
  kArgonneLine,
  kMemoryLine,
  kMemoryInGb,
  kDumpBegins,
  kDumpEnds,
  kWorldLine,
  kProbeLine,
  kMicroBatches,
  kVocabulary,
  kParameters,
  kSaving,
  kSaved,
  kSaveTimer,
  kSaveScheduled,
  kLoading,
  kValidation,
  kZeroShot,
  kEvaluating,
  kEvaluateTimer,
  kTimers,
  kTimerRange,
  kTimerTitle,
  kDatetime,
  kDeepspeedLog,
  kDeepspeedConfig,
  kConfigSize,
  kConfigSeq,
  kConfigLayers,
  kConfigHeads,
  kConfigGroups,
  kConfigGated,
  kConfigShared,
  kConfigExperts,
  kJobName,
  kCommand,
  kPrimusEnv,
  kProfiledWorld,
  kProfiledData,
  kProfiledModel,
  kProfiledBatch,
  kTextCount,
};

/// The text by which each of them is found.
inline constexpr std::array<std::string_view, kTextCount> kMegatronTexts{
    "elapsed time per iteration (",
    "elapsed_time_per_iteration_ms=",
    "memory (MB) |",
    "memory (GB) |",
    " arguments -",
    " end of arguments -",
    "using world size:",
    "> probe: pippin ",
    "setting number of micro",
    "padded vocab (size:",
    "number of parameters on ",
    "saving checkpoint",
    "saved checkpoint",
    "save-checkpoint",
    "scheduled an async checkpoint",
    "checkpoint from ",
    "validation loss at",
    "validation results on ",
    "Evaluating ",
    "  evaluate ..",
    "time (ms) |",
    "..: (",
    TimerBlock::kTitle,
    "datetime: ",
    "] [INFO] [",
    DeepspeedConfig::kBegin,
    "_size: ",
    "seq_length: ",
    "num_layers: ",
    "num_attention_heads: ",
    "num_query_groups: ",
    "gated_linear_unit: ",
    "share_embeddings_and_output_weights: ",
    "num_moe_experts: ",
    "_gpus",
    "--micro-batch-size",
    "[Primus:Env] ",
    // Source: DeepSpeed, profiling/flops_profiler/profiler.py, which pads names to 60 columns.
    "world size:               ",
    "data parallel size:       ",
    "model parallel size:      ",
    "batch size per GPU:       ",
};

/// `found`: as LogLine::found_in says.
inline bool has(std::uint64_t found, MegatronLine kind) { return (found >> kind & 1) != 0; }

}  // namespace pippin
