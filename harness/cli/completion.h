// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/cli/typed_values.h"

namespace CLI {
class App;
}

namespace pippin {

/// What can stand for the last of `words`, which may be empty; the words before it are those of a
/// command line of `app`, without the program. The app is asked what commands and options there
/// are; what their values can be, typed_values.h knows.
/// Errors: those of reading what a value names.
std::vector<Candidate> completion(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace pippin
