// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/records/cluster.h"
#include "sweeps/point_values.h"

namespace pippin {

/// Why a point is dropped; empty: it is not.
using Reason = std::string;

// Each of these fills in what follows from the rest of a point. A values knows tp, pp, cp, mbs,
// gas.

/// dp from gpus, or gpus from dp, or dp = 1; nodes and gpus_per_node. Drops a dp that is no whole
/// number, and a world that is not the gpus asked for.
Reason derive_layout(PointValues& values, const Cluster& cluster);
/// gbs = mbs gas dp. Requires dp.
Reason derive_batch(PointValues& values);
/// The style gpt2 where none is named, its ffn of four times hidden, padded_vocab and params as far
/// as the shape is known.
void derive_model(PointValues& values);

}  // namespace pippin
