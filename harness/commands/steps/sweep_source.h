// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/files.h"
#include "core/records/sweep.h"
#include "harness/commands/steps/output.h"
#include "sweeps/sweep_words.h"

namespace pippin {

/// Where a sweep stands: in a file, or in the words of the command line.
struct SweepSource {
  fs::path file;                 ///< empty: `words` say it
  SweepWords words;              ///< of a sweep without file
  bool keep_infeasible = false;  ///< points that cannot run
  bool is_judged_later = false;  ///< no point is dropped for it, and no run time predicted
};

/// Reads it; where its probe is here, it is asked what it takes; what cannot run is dropped.
/// Errors: Error (bad input), as the one or the other.
Sweep load_sweep(const Globals& globals, const SweepSource& source);

/// What a person types behind `pippin run` for this sweep.
std::string bash_words(const SweepSource& source);

}  // namespace pippin
