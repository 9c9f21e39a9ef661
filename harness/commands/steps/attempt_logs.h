// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files.h"
#include "core/jobs/manifest.h"
#include "core/jobs/protocol.h"
#include "core/records/point.h"
#include "harness/scrape/scraped_file.h"

namespace pippin {

/// What an attempt has printed. Where its trainer writes its lines elsewhere (Campaign::log), the
/// steps are those of that file, or of all ranks' files together; the text stays that which was
/// printed.
ScrapedFile scraped_attempt(const Attempt& attempt, const Campaign& campaign, const Point& point);

/// The file in which its steps should stand; of several ranks' the first.
fs::path file_of_steps(const Attempt& attempt, const Campaign& campaign);

}  // namespace pippin
