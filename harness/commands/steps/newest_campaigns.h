// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/jobs/protocol.h"
#include "harness/commands/steps/output.h"

namespace pippin {

/// A campaign as SweepFolder::load_plan() gives it, and where its files lie.
using OpenCampaign = std::pair<SweepFolder, Campaign>;

/// The newest campaign of the sweep of that name, or of that sweep file; or the campaign that it
/// names, by itself, its tag or one of its runs; nothing where there is none.
std::optional<OpenCampaign> find_campaign(const Globals& globals, const std::string& name);

/// Whether that is the name of a sweep that was begun, or of its file, and not of something in it.
bool names_a_sweep(const Globals& globals, const std::string& name);

/// The newest campaign of each sweep of the database; or that of find_campaign() where it is named.
/// Errors: Error (bad input) where there is none of that name.
std::vector<OpenCampaign> newest_campaigns(const Globals& globals, const std::string& name);

}  // namespace pippin
