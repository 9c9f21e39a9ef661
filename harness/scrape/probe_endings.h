// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/records/run.h"

namespace pippin {

/// How a run of one of our probes ended.
/// Source: probes/LOG_FORMAT.md, "How a run ends".
struct ProbeEnding {
  RunState state = RunState::kFailed;
  std::string evidence;    ///< "bad layout: training: --heads 4 does not divide …"
  bool lost_rank = false;  ///< a rank or its node died: worth another try
};

/// Of the exit codes that our probes have a meaning for (12 out of memory, 13 bad layout, 14 no
/// device, 15 another rank was lost), with the line of theirs that says so. Where one rank ran out
/// of memory the others lost it.
/// Shape: nothing for other codes, and where no probe of ours has said a word.
std::optional<ProbeEnding> probe_ending(int exit_code, std::string_view log);

/// The first line that a probe ("training") has said in a log, where other exit codes than those
/// above need words; empty where it has said none.
std::string words_of_probe(std::string_view probe, std::string_view log);

/// What a log of a run that left kLostRankExit says of the lost rank; empty where it was no rank.
std::string lost_rank_words(std::string_view log);

}  // namespace pippin
