// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "harness/scrape/scrape.h"

namespace pippin {

/// What a log says that begins with the text of its own job script, as `cat $0` prints it. Only
/// what stands behind the script is read. Nothing where the text does not begin with a script, the
/// script goes on behind the first step, or so few steps follow that they may be an example.
/// `signs`: of the whole text; `of_trainers`: as LogReaders has them.
std::optional<Scraped> scrape_behind_script(const ReadParts& read, const DocumentSigns& signs,
                                            std::uint64_t of_trainers, const LogHints& hints);

}  // namespace pippin
