// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/scrape/scrape.h"

namespace pippin {

/// Lines of a log, 1-based.
struct LineRange {
  std::size_t first = 0, last = 0;
};

/// Where a log tells what is known of one of its runs.
struct LogPlaces {
  std::vector<std::size_t> steps;  ///< the line of each of the run's; 0: it was not found again
  std::optional<LineRange> launch, arguments, memory, timers, events;
};

/// Looks a run's steps up again, by their numbers in their order. `ordinal`: which of the log's
/// `runs` with steps it is, from 0. `read`, `hints` and `document`: as explain_lines() has them.
LogPlaces places_in(const ReadParts& read, const std::vector<std::int64_t>& numbers,
                    std::size_t ordinal, std::size_t runs, const LogHints& hints = {},
                    const DocumentSigns& document = {});

}  // namespace pippin
