// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "harness/scrape/format.h"

namespace pippin {

/// All texts that logs are searched for, in one list, and whose they are.
struct LogTexts {
  std::vector<std::string_view> all;
  std::vector<TextRange> of_format, of_trainer;
  CommonTexts common;
  std::size_t tables = 0;  ///< the first sign of one
};

const LogTexts& log_texts();

/// Which of them are looked for together, by their numbers: first those of each log, then for each
/// trainer those that its logs are searched for besides.
std::vector<std::vector<std::size_t>> texts_looked_for_together();

}  // namespace pippin
