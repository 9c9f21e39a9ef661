// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/files.h"
#include "core/records/campaign.h"

namespace pippin {

/// The jobs and runs of a campaign as lines that are read quickly, kept beside its manifest for who
/// only looks: a manifest tells of each point too. `manifest` is what that is known by. Nothing
/// where a name has a tab or the end of a line in it.
std::optional<std::string> plan_text(const Campaign& campaign, const FileIdentity& manifest);

/// Reads it back. Shape: of the campaign its names, number, time, scheduler and jobs; of a job its
/// name and runs; of a run its name and `left`. Nothing where the text is of another manifest, is
/// damaged, or of another version.
std::optional<Campaign> plan_of(std::string_view text, const FileIdentity& manifest);

}  // namespace pippin
