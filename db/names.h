// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace pippin {

/// What people call by name in a database; kSelections: sweeps, campaigns ("gpt-52b/2") and tags.
enum class NameKind { kSweeps, kCampaigns, kTags, kSelections, kRuns, kPoints, kAxes, kNodes };

struct KnownName {
  std::string name;
  std::string what;  ///< a few words on it, maybe none
};

/// The names of a kind that begin with `prefix`, at most a thousand, for a person who is typing
/// one. Nothing is made, changed or brought up to date, and another's lock is hardly waited for.
/// Shape: empty where there is no such file, or it cannot be read now, whatever the reason.
std::vector<KnownName> names_in(const fs::path& database, NameKind kind, std::string_view prefix);

}  // namespace pippin
