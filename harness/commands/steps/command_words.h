// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/value.h"

namespace pippin {

/// The words of a command up to where bash does something else with them. A word that is one of
/// these variables is what that holds, more words perhaps. What another holds is a path or the
/// like: where it holds the model, an estimate misses that.
std::vector<std::string> command_words(const std::string& command, const Environment& env = {});

/// The variables that a stored command sets for itself: its "export NAME=VALUE" lines.
Environment exports_in(const std::string& command);

}  // namespace pippin
