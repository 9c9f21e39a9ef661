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

/// Where jobs start and their runs lie, in two scripts of one submission.
class FolderOfThen {
 public:
  FolderOfThen(const std::string& script_then, const std::string& script_now);

  /// A text of then in the words of now, where the folder was moved or copied with all that is in
  /// it; else as it is. Lines that are in today's text stay: they name what did not move.
  std::string in_words_of_now(const std::string& then, const std::string& today) const;

 private:
  std::string moved(std::string line) const;
  std::string then_, now_;  // empty: it is the same, or the runs stayed
};

}  // namespace pippin
