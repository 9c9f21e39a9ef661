// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "harness/scrape/scrape.h"

namespace pippin {

/// How a text may have been cut: no line is longer than the width, and several are just as long.
/// Nothing where that cannot be.
std::optional<Wrapping> wrapping_of(const ReadParts& read);

/// Whether a text that begins so seems to be cut: what stands behind its longest lines begins as
/// other lines do not.
bool looks_wrapped(std::string_view beginning);

/// The same text with lines of that width joined with the next, unless that begins like others do.
/// Where the blank behind a line was lost as it was copied, it is put back.
ReadParts unwrapped(const ReadParts& read, const Wrapping& wrapping);

}  // namespace pippin
