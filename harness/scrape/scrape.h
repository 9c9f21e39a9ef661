#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// Rises whenever the same text may give other records; stored with every run.
inline constexpr std::int64_t kScraperVersion = 6;

/// The launches that a log tells of, in its order; empty where the text is no log of a known
/// trainer. A launch without a single iteration counts where its header stands.
/// Shape: Model::params is left empty: counting parameters is not a matter of text.
std::vector<LogRun> scrape(std::string_view log);

}  // namespace pippin
