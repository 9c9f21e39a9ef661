// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// A model that fits a layout.
struct FittingModel {
  std::string name;  ///< of models/*.yaml; empty where only layers were added
  std::int64_t layers = 0, parameters = 0;
  double needed_bytes = 0;  ///< of the GPU that needs most
};

/// The deepest model of the setup's width that fits; its layers divide evenly over stages and
/// chunks. Nothing where not even one layer for each fits. Requires stages of equal length.
std::optional<FittingModel> deepest_model(const Setup& setup, double usable_bytes);

/// Of the named models of the setup's style, with its sequence and vocabulary, the largest that
/// divides and fits; nothing where none does.
std::optional<FittingModel> largest_named_model(const Setup& setup, double usable_bytes);

/// What is said of a layout.
struct MaxModel {
  std::string point;
  std::optional<FittingModel> deepest, named;
  std::optional<std::int64_t> hidden = {};
  std::string why;  ///< why nothing is
};

MaxModel max_model(const std::string& point, const Setup& setup, double usable_bytes);

}  // namespace pippin
