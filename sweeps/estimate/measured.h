// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/records/point.h"

namespace pippin {

/// One call of a collective operation. Unit: bytes of the whole, as nccl-tests count them: of all
/// parts of a gather, a scatter or an all-to-all.
struct CollectiveCall {
  std::string_view operation;  ///< "all_reduce", …: as the probe `collective` names them
  std::int64_t bytes = 0;
  std::string_view type;  ///< "float", …
  std::int64_t ranks = 1;
};

/// The bytes that a call of at most `call.bytes` sends: whole elements, and where there are parts
/// as many multiples of 16 bytes as divide evenly. Nothing for a type that is unknown. Source:
/// nccl-tests 2.17, src/all_gather.cu.
std::optional<std::int64_t> bytes_sent(const CollectiveCall& call);

/// Bus bandwidth: what the busiest link must carry, so that operations and numbers of ranks can be
/// compared. Unit: 1e9 bytes per second. Nothing of one rank, which sends nothing, or where the
/// operation or type is unknown. Requires seconds > 0. Source: nccl-tests, doc/PERFORMANCE.md.
std::optional<double> bus_bandwidth_gb_per_s(const CollectiveCall& call, double seconds);

/// The call that a point of the probe `collective` makes; nothing where it does not say enough. The
/// texts are the point's.
std::optional<CollectiveCall> call_of(const Point& point);

/// Floating point operations of making all products of a point of the probe `gemm` once, on one
/// rank: of one m × k by k × n, or of a transformer layer and the logits, forward and backward; of
/// attention what its causal mask leaves. Nothing where the shape is not known.
/// Source: probes/gemm/products.cpp.
std::optional<double> product_flops(const Point& point);

}  // namespace pippin
