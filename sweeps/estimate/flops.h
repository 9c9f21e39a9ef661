// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/point.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// How the work of an iteration is counted; every stored TFLOPS names one.
enum class FlopsFormula {
  kParams,    ///< 2 (3 or 4) N s B: the BigScience GPT-2 tables
  kHardware,  ///< with full recomputation. Narayanan et al., SC21, equation 3
  kModel,     ///< the same without recomputation
  kMegatron,  ///< Megatron-LM since April 2025: causal attention, grouped queries, SwiGLU, experts
  kPalm,      ///< 6N + 12 l h s a token, not causal. Chowdhery et al., PaLM, appendix B
};

inline constexpr FlopsFormula kFlopsFormulas[] = {FlopsFormula::kModel, FlopsFormula::kHardware,
                                                  FlopsFormula::kMegatron, FlopsFormula::kParams,
                                                  FlopsFormula::kPalm};

/// "params", "hardware", …: as databases and tables have it.
std::string_view text_of(FlopsFormula formula);
/// Nothing where no formula has that name.
std::optional<FlopsFormula> flops_formula_of(std::string_view text);

/// Floating point operations of one iteration of `gbs` sequences over all GPUs; nothing where the
/// model is not known well enough, or is none that the formula knows: SC21's are of GPT-2's shape.
/// Of a mixture N is what a token meets. `full_recompute` counts in `params` only: there the
/// forward pass done twice makes 4 of 3. The vocabulary is the padded one where it is known.
std::optional<double> iteration_flops(FlopsFormula formula, const Model& model, std::int64_t gbs,
                                      bool full_recompute);

/// Why a formula that gives nothing gives nothing, of a model of an unusual shape; else empty.
std::string why_no_flops(FlopsFormula formula, const Model& model);

struct WorkCount {
  std::string name;  ///< a formula's, or "products"
  double flops = 0;
};

/// The work of one iteration by each formula that knows such a model, and last "products", which
/// model_work() counts.
std::vector<WorkCount> work_counts(const Setup& setup);

/// The work of any model as `model` counts that of GPT-2: all of attention's products, those of the
/// experts that a token meets, nothing twice. Of GPT-2's shape it is the same.
double model_work(const Shape& shape, std::int64_t gbs);

/// Unit: TFLOPS per GPU. Requires seconds > 0, gpus > 0.
double tflops_per_gpu(double flops, double seconds, std::int64_t gpus);

}  // namespace pippin
