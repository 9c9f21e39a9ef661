#pragma once

#include <string>

#include "harness/records/cluster.h"
#include "sweeps/frame.h"

namespace pippin {

/// Why a point is dropped; empty: it is not.
using Reason = std::string;

// Each of these fills in what follows from the rest of a point. A frame knows tp, pp, cp, mbs, gas.

/// dp from gpus, or gpus from dp, or dp = 1; nodes and gpus_per_node. Drops a dp that is no whole
/// number, and a world that is not the gpus asked for.
Reason complete_layout(Frame& frame, const Cluster& cluster);
/// gbs = mbs gas dp. Requires dp.
Reason complete_batch(Frame& frame);
/// The style gpt2 where none is named, its ffn of four times hidden, padded_vocab and params as far
/// as the shape is known.
void complete_model(Frame& frame);

}  // namespace pippin
