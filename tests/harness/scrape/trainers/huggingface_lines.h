// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

namespace pippin::test {

/// A header of transformers since 2023.
inline std::string header(int steps, std::string_view more = "") {
  return fmt::format(
      "***** Running training *****\n"
      "  Num examples = 346,940\n"
      "  Num Epochs = 3\n"
      "  Instantaneous batch size per device = 1\n"
      "  Total train batch size (w. parallel, distributed & accumulation) = 16\n"
      "  Gradient Accumulation steps = 8\n"
      "  Total optimization steps = {}\n"
      "  Number of trainable parameters = 21,176,320\n{}",
      steps, more);
}

inline Scraped scraped(const std::string& log) {
  return scrape_parts([&](const auto& take) { take(log); });
}

inline std::string reason_of(const std::string& log) {
  const Scraped found = scraped(log);
  for (const auto& run : found.runs) CHECK(run.iterations.empty());
  REQUIRE(found.unused.size() == 1);
  return found.unused.front().reason;
}

inline std::string losses(std::initializer_list<double> epochs, double loss = 2) {
  std::string lines;
  for (const double epoch : epochs)
    lines += fmt::format("{{'loss': {}, 'learning_rate': 1e-05, 'epoch': {}}}\n", loss, epoch);
  return lines;
}

}  // namespace pippin::test
