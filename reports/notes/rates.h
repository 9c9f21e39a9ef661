// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "reports/notes/measures.h"

namespace pippin {

/// What a throughput counts a second.
struct RateUnit {
  enum class Of { kSamples, kTokens };
  Of of = Of::kSamples;
  bool per_gpu = false;
  double factor = 1;  ///< 1000 of "ktokens/s"
};

/// "samples/s", "seq per second", "tokens/s/GPU", "ktok/s"; nothing for any other text.
std::optional<RateUnit> rate_unit_in(std::string_view text);

/// The unit that a column's title says: of "Throughput (tokens/s)", "tokens per second", "TGS".
std::optional<RateUnit> rate_unit_of_title(std::string_view title);

/// Whether a title means a throughput without saying of what.
bool is_bare_throughput(std::string_view title);

/// A throughput and its unit.
struct NotedRate {
  Measure measure;  ///< in samples or tokens a second
  RateUnit unit;
};

/// "41.2", "~3.1k", "1,234 tok/s", "5.2 ± 0.1"; without a unit in `of_title`. Nothing where neither
/// says one or the cell is none.
std::optional<NotedRate> rate_in(std::string_view cell, const std::optional<RateUnit>& of_title);

}  // namespace pippin
