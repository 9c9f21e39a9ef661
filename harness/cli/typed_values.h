// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"

namespace pippin {

/// What can stand in the place of a word that is being typed.
struct Candidate {
  std::string word;
  std::string what;  ///< a few words on it, maybe none
};

/// A value that is being typed, and what stands before it on the line.
struct TypedValue {
  std::string command;  ///< "report"
  /// The name that help shows for the value: "RUN", "SWEEP.yaml", "NAME VALUES".
  std::string type;
  std::size_t part = 0;  ///< which word of the option's: of -L tp 1,2 0 is "tp", 1 is "1,2"
  std::string word;      ///< as far as it is typed
  fs::path database;
  fs::path sweep_file;  ///< empty where none is named
};

/// Words that `value` can become; none where nothing is known of its type. What the type of an
/// option or positional is called decides alone: a new one is a line in a table, one that lists its
/// values ("INT:{3,4}") not even that.
std::vector<Candidate> candidates(const TypedValue& value);

}  // namespace pippin
