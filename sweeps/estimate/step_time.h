// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// What a GPU and its links can do at best, by data sheets.
struct Machine {
  double peak_tflops = 0;     ///< of matrix products in the type that is trained in
  double peak_tflops_16 = 0;  ///< of products in 16 bits
  double memory_gb_per_s = 0;
  double link_gb_per_s = 0;  ///< of a GPU to the others of its node, one way
  double node_gb_per_s = 0;  ///< of a node to the others, one way, all adapters together
  std::int64_t units = 108;  ///< multiprocessors: products are made in whole waves of tiles
  /// GPUs that links join across nodes, of which so many are on each; 0: those of a node alone.
  std::int64_t joined = 0, node_gpus = 0;
  /// Of the best product that was measured, in the type that is trained in; 0: unknown.
  double best_tflops = 0;
};

/// How much of that comes about. Each has a meaning, and bounds within which it is physics.
struct Rates {
  double product_share = 0.80;    ///< of the peak, of a product with long sides
  double short_side = 100;        ///< elements: a side so long takes twice the time
  double attention_share = 0.40;  ///< of the peak, of attention's products
  double odd_head_share = 0.12;   ///< of that, where a head's width is no multiple of 8
  double memory_share = 0.75;     ///< of the memory's bandwidth, of what works on each element
  double layer_us = 1300;         ///< in which a processor issues one layer's forward pass
  double call_us = 30;            ///< latency of a collective or message
  double link_share = 0.75;       ///< of the links within a node
  double node_share = 0.70;       ///< of a node's adapters, of collectives
  double message_share = 0.50;    ///< of a GPU's part of them, of messages between stages
  double optimizer_bytes = 40;    ///< of memory traffic for each parameter of the step
  double logit_bytes = 30;        ///< of memory traffic for each logit
  double fixed_ms = 20;           ///< of each iteration
  double hidden_share = 0.85;     ///< of data-parallel traffic that overlaps, behind computation
  double recomputed_share = 1;    ///< of layers, where recomputation is full
};

/// The usual ones on such a machine: of a GPU whose best product is known to fall short of the peak
/// more than an A100's, products reach less of it.
Rates usual_rates_of(const Machine& machine);

/// One of them as a fit sees it.
struct RateParameter {
  std::string_view name;
  double Rates::*member;
  double least, most;
  double spread;   ///< how far clusters differ from the usual: of the logarithm, or of a share
  bool is_linear;  ///< its spread is of the value itself
};
/// What a fit sees of a rate's value, and the value that it makes of it.
double to_free(const RateParameter& parameter, double value);
double from_free(const RateParameter& parameter, double free);
using RateParameters = std::array<RateParameter, 15>;
const RateParameters& rate_parameters();

/// Where the time of an iteration goes, on its critical path. Unit: seconds.
struct StepTime {
  double products = 0, attention = 0, elements = 0;  ///< of all micro-batches, recomputed ones too
  double tensor = 0;                                 ///< waiting for tensor-parallel collectives
  double context = 0;                                ///< waiting for the other parts of a sequence
  double experts = 0;   ///< waiting for tokens on their way to experts and back
  double issue = 0;     ///< waiting for the processor that issues kernels
  double pipeline = 0;  ///< messages, and idling at the pipeline's ends
  double data = 0;      ///< gradients and weights, as far as not hidden
  double optimizer = 0, fixed = 0;
  double all() const {
    return products + attention + elements + tensor + context + experts + issue + pipeline + data +
           optimizer + fixed;
  }
};

/// What a product of m × k by k × n needs of a GPU. Unit: seconds.
struct ProductWork {
  double computing = 0;  ///< at the whole peak, in whole waves of tiles
  double sides = 0;      ///< as much more for each element of Rates::short_side
  double memory = 0;     ///< at least, as memory hands it over at Rates::memory_share
};
ProductWork product_work(const Machine& machine, std::int64_t m, std::int64_t n, std::int64_t k);

/// The 1F1B schedule of the slowest stage, in closed form; nothing overlaps but ZeRO-3's traffic
/// and the ring of context parallelism with attention. Tokens are spread evenly over experts.
/// Source: Narayanan et al., SC21, for schedule and collectives; the rest is a model with the
/// parameters above, held against measured points: RESULTS.md.
StepTime step_time(const Setup& setup, const Machine& machine, const Rates& rates);

}  // namespace pippin
