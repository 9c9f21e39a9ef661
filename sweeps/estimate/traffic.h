// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sweeps/estimate/groups.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// What ranks talk about. The first seven are the classes of the training probe's log.
enum class Topic {
  kTensor,        ///< activations, and under sequence parallelism gradients of what all of TP hold
  kPipeline,      ///< activations and their gradients between stages
  kDataReduce,    ///< gradients
  kDataGather,    ///< weights
  kEmbedding,     ///< the gradient of an embedding, between the stages that have it
  kLoss,          ///< of a vocabulary that TP splits
  kNorm,          ///< the gradient's
  kContext,       ///< keys and values of the other parts of a sequence
  kExperts,       ///< tokens to their experts and back
  kExpertTensor,  ///< tokens of all ranks that split an expert
  kExpertReduce,  ///< gradients of experts, which other ranks hold than the rest
  kExpertGather,  ///< weights of experts
};

/// "tp", "pp", "dp-reduce", …
std::string_view text_of(Topic topic);

/// What a rank does `calls` times an iteration. Unit: bytes of one call as nccl-tests count them,
/// of the whole of a gather or a scatter. A message counts at its sender.
struct Talk {
  Topic topic;
  std::string_view
      function;  ///< "all_reduce", "reduce_scatter", "all_gather", "send", "all_to_all"
  double calls = 0, bytes = 0;
  std::int64_t ranks = 1;  ///< of its group
};

/// Of a call the bytes that each rank sends, as nccl-tests' bus bandwidth counts them.
double wire_bytes(const Talk& talk);

/// How a framework gathers gradients and weights, in buckets of so many elements; 0: all at once.
struct Buckets {
  std::int64_t elements = 0;
  std::int64_t alignment = 1;  ///< a rank's part of what is reduced is a multiple of so many
};

/// What a rank of that stage says in an iteration, from the first micro-batch to the optimizer's
/// step, without what it says once before and after training.
/// Source: Narayanan et al., SC21; Korthikanti et al., 2022; Megatron-LM at the pipeline's ends;
/// Rajbhandari et al., 2020 (ZeRO).
std::vector<Talk> talk_of_stage(const Setup& setup, std::int64_t stage,
                                const Buckets& buckets = {});

/// The same of all ranks: calls are their sum, and bytes per call the mean.
std::vector<Talk> talk_of_all(const Setup& setup, const Buckets& buckets = {});

}  // namespace pippin
