// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/records/point.h"

namespace pippin {

/// What a Megatron log says of its configuration before the first iteration.
struct MegatronHeader {
  NamedValues arguments;        ///< the dump, then DeepSpeed's configuration
  bool is_of_command = false;   ///< the arguments are those of a command, not of a dump
  std::string probe;            ///< of our own probes: "training", "replay"
  Count world, tp, pp, dp, cp;  ///< of the "using world size: …" line
  Count mbs;                    ///< of the summary of DeepSpeed's flops profiler
  Count gas;                    ///< "setting number of micro-batches to constant …"
  Count vocab, padded_vocab;    ///< of the "padded vocab" line
  Count params;                 ///< that rank (0, 0) of TP and PP says it holds
  Count ranks;                  ///< as the iteration lines' logger counts them
  Count gbs;                    ///< of the iteration lines, where they agree
};

/// Model, layout, trainer, axes, name and id of what ran. The axes are all arguments that could
/// matter to speed and stand in neither model nor layout: two days of one configuration are one
/// point, another ZeRO stage or another fusion is another.
/// Shape: the name tells model and layout, then DeepSpeed, ZeRO stage, precision and such where
/// they are on; unlike points may share it.
Point point_of(const MegatronHeader& header);

/// Whether two dumps are of two ranks of one launch: they differ in nothing but the rank.
bool are_of_two_ranks(const NamedValues& a, const NamedValues& b);

/// "none", "selective" or "full"; empty where the arguments don't say.
std::string recompute_of(const NamedValues& arguments);

/// False for arguments that cannot change the time of a step: paths, names, seeds, schedules,
/// intervals, and what point_of reads into model and layout.
bool matters_to_speed(const std::string& name, const Value& value);

}  // namespace pippin
