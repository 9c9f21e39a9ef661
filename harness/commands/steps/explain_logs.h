// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <vector>

#include "core/base/error.h"
#include "harness/commands/steps/told_values.h"

namespace pippin {

/// Prints what each line of some logs gives, and why others give nothing; stores nothing. kBadInput
/// where a log gives no run. Errors: Error (bad input) where none is named, or for a folder.
ExitCode explain_logs(const std::vector<fs::path>& logs, ToldValues& told, std::ostream& out);

}  // namespace pippin
