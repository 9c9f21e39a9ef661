// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/records/campaign.h"

namespace pippin {

/// A campaign as JSON text, and back: everything that a later process needs to go on with it or to
/// collect it without the sweep file. Errors: Error (bad input) where the text is no campaign.
std::string manifest_of(const Campaign& campaign);
Campaign campaign_of(const std::string& manifest, const std::string& where);

}  // namespace pippin
