// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/common/options.h"
#include "probes/common/setup.h"
#include "probes/gemm/products.h"

namespace pippin::probes {

struct GemmSettings {
  Setup setup;  ///< the model, unless m, n and k are given
  std::int64_t m = 0, n = 0, k = 0;
  std::string device = "cpu";   ///< or "cuda"
  std::int64_t algorithms = 8;  ///< of cuBLASLt's that are tried for each product
  std::int64_t threads = 1;
  double seconds = 5;           ///< for all products together
  std::int64_t iterations = 0;  ///< steps of all products; 0: the table
  double step_ms = 10;          ///< the least time of a step
  std::string json;             ///< a file, "-" for standard output, empty for none
};

/// The rows of `settings`' options: of the setup those that a product's shape depends on.
/// `settings` must outlive them.
OptionTable gemm_options(GemmSettings& settings);

/// The products to make.
/// Errors: Error (bad input) where only some of m, n and k are given; as products_of().
std::vector<Product> chosen_products(const GemmSettings& settings);

}  // namespace pippin::probes
