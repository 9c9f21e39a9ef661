// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/comm/nodes.h"
#include "probes/gemm/measure.h"

namespace pippin::probes {

/// One product on all ranks.
struct ProductResult {
  Product product;
  std::vector<Speed> of_rank;
};

/// Every rank over all products: their operations over the sum of their times, each time taken at
/// the rank's slowest, middle and fastest repetition.
std::vector<Speed> speeds_of_ranks(const std::vector<ProductResult>& results);

/// Every node: the sum of its ranks' medians.
std::vector<double> speeds_of_nodes(const std::vector<Speed>& of_rank, const Nodes& nodes);

// What a person reads, and the lines of --json; LOG_FORMAT.md lists their keys.
std::vector<std::string> product_heads();
std::string product_line(const ProductResult& result);
std::vector<std::string> summary_lines(const std::vector<ProductResult>& results,
                                       const Nodes& nodes);
std::vector<std::string> product_records(const ProductResult& result, const Nodes& nodes);
std::vector<std::string> summary_records(const std::vector<ProductResult>& results,
                                         const Nodes& nodes);

}  // namespace pippin::probes
