// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/scrape/scrape.h"

namespace pippin {

/// How a Markdown document begins a line that it quotes: "> ", or ">" alone.
inline constexpr char kQuoteMark = '>';

/// The same text without such marks. `are_all_marked` is set, where that is read, to whether there
/// are several and each line that is not blank had one.
ReadParts without_marks(const ReadParts& read, bool* are_all_marked = nullptr);

}  // namespace pippin
