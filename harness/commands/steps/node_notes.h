// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "harness/commands/steps/output.h"
#include "reports/nodes.h"

namespace pippin {

/// The folders of the sweep, or of all where none is named.
std::vector<fs::path> folders_of(const Globals& globals, const std::string& sweep);

/// What those folders say of nodes.
std::vector<NodeNote> node_notes(const std::vector<fs::path>& folders);

}  // namespace pippin
