// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pippin {

/// What a script says otherwise than another, for a message.
struct ScriptDifference {
  std::string then, now;  ///< the words in question and the one before them; empty: none there
};

/// The first of two scripts. Comments say nothing, but for `#SBATCH` and `#PBS`; both are empty
/// where nothing else differs.
ScriptDifference first_difference(const std::string& then, const std::string& now);

}  // namespace pippin
