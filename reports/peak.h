// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/rates.h"

namespace pippin {

/// The peak of a row's GPU in TFLOPS: of the number type that its point names (`bf16: True`,
/// `precision: fp16`, `params_dtype: torch.float16`), or else `rating`; nothing where either is
/// unknown.
std::optional<double> peak_of(const Summary& row, const Rating& rating);

/// The axes that may name a point's number type.
std::vector<std::string> precision_axes();

/// FLOPs of an iteration without recomputed work, as `formula` counts: the part that MFU is of.
std::optional<double> model_flops(FlopsFormula formula, const Model& model, std::int64_t gbs);

/// FLOPs of an iteration with all recomputed work, as `formula` counts: the part that HFU is of.
/// Nothing where the formula cannot tell: `megatron` and `palm` know no recomputation, and none
/// knows a selective one.
std::optional<double> hardware_flops(FlopsFormula formula, const Model& model, std::int64_t gbs,
                                     const std::string& recompute);

}  // namespace pippin
