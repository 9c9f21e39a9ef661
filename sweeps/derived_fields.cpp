// SPDX-License-Identifier: Apache-2.0
#include "sweeps/derived_fields.h"

#include <fmt/format.h>
#include <initializer_list>

#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/setup.h"
#include "sweeps/feasibility.h"
#include "sweeps/keys.h"

namespace pippin {

namespace {

/// The product of counts; nothing where it is beyond what a double holds exactly.
Count product_of(std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product) || product > kLargest)
      return std::nullopt;
  }
  return product;
}

void set_world(PointValues& values, std::int64_t world, const Cluster& cluster) {
  values.set_count(kGpus, world);
  values.set_count(kNodes, nodes_for(world, cluster));
  values.set_count(kGpusPerNode, cluster.gpus_per_node == 0 ? world : cluster.gpus_per_node);
}

}  // namespace

Reason derive_layout(PointValues& values, const Cluster& cluster) {
  const std::int64_t tp = *values.count(kTp), pp = *values.count(kPp), cp = *values.count(kCp);
  const Count ranks = product_of({tp, pp, cp});
  const auto split = [&] {
    return cp > 1 ? fmt::format("tp {} x pp {} x cp {}", tp, pp, cp)
                  : fmt::format("tp {} x pp {}", tp, pp);
  };
  if (!ranks) return split() + " is too large";
  const Count gpus = values.count(kGpus);
  if (!values.knows(kDp) && gpus && *gpus % *ranks != 0) {
    return fmt::format("dp = gpus {} / ({}) is no whole number", *gpus, split());
  }
  if (!values.knows(kDp)) values.set_count(kDp, gpus ? *gpus / *ranks : 1);
  const std::int64_t dp = *values.count(kDp);
  const Count world = product_of({*ranks, dp});
  if (!world || *world > kLargestCount) return fmt::format("{} x dp {} is too large", split(), dp);
  if (gpus && *gpus != *world) return fmt::format("{} x dp {} is not gpus {}", split(), dp, *gpus);
  set_world(values, *world, cluster);
  return "";
}

Reason derive_batch(PointValues& values) {
  const Count gbs = product_of({*values.count(kMbs), *values.count(kGas), *values.count(kDp)});
  if (!gbs) return "mbs x gas x dp is too large";
  values.set_count(kGbs, *gbs);
  return "";
}

void derive_model(PointValues& values) {
  if (!values.knows(kStyle)) values.set(kStyle, {"gpt2", std::nullopt});
  const Count hidden = values.count(kHidden), vocab = values.count(kVocab);
  if (hidden && !values.knows(kFfn))
    values.set_count(kFfn, usual_ffn(values.find(kStyle)->text == "llama", *hidden));
  if (vocab) values.set_count(kPaddedVocab, padded_vocab(*vocab, *values.count(kTp)));
  const Count params = parameter_count(values.model());
  if (params) values.set_count(kParams, *params);
}

}  // namespace pippin
