// SPDX-License-Identifier: Apache-2.0
#include "reports/closing.h"

#include "core/base/text.h"
#include "reports/rates.h"
#include "reports/standing.h"
#include "reports/statistics/sample.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

Summary row_of(const std::string& name, const std::vector<double>& seconds) {
  Summary row = test::row_52b(name, mean_of(seconds));
  for (std::size_t i = 0; i < seconds.size(); ++i)
    row.allocation_means.push_back({std::to_string(i), "2026-11-20", seconds[i]});
  row.allocations = row.runs = static_cast<std::int64_t>(seconds.size());
  row.iterations = 20 * row.runs;
  rate(row, {});
  return row;
}

std::string words_on(std::vector<Summary> rows, const Noise& noise = {}) {
  rank(rows);
  return join(closing_words(rows, noise), "\n");
}

Noise noise_with_suspect() {
  Noise noise;
  noise.runs = 10;
  noise.configurations = 2;
  noise.allocations = 5;
  noise.levels = {{"allocation", 0.08, 0.05, 0.2, 0.9}};
  Suspect suspect;
  suspect.nodes = {"n07"};
  suspect.kind = "network";
  noise.suspects = {suspect};
  return noise;
}

}  // namespace

TEST_CASE("the closing words name the best, and by how much others are slower") {
  const std::string words =
      words_on({row_of("a", {1.00, 1.20, 1.10}), row_of("b", {1.50, 1.81, 1.65})});
  CHECK_THAT(words, Contains("a is the best; one is surely slower, by 50 % or more."));
  CHECK_THAT(words_on({row_of("a", {1.00, 1.20, 1.10}), row_of("b", {3.00, 3.62, 3.30})}),
             Contains("one is surely slower, taking 3.0 times as long or more."));
}

TEST_CASE("rows that are tied are named, with what would decide between them") {
  const std::string words =
      words_on({row_of("a", {1.00, 1.20, 1.10, 1.05}), row_of("b", {1.08, 1.19, 1.17, 1.10}),
                row_of("c", {2.01, 2.40, 2.21, 2.10})});
  CHECK_THAT(words, Contains("a is in front, but b cannot be told from it; one is surely slower"));
  CHECK_THAT(words, Contains("more allocation") && Contains("GPU-hours of steps."));
}

TEST_CASE("rows within two percent are as good as equal") {
  const std::string words =
      words_on({row_of("a", {1.000, 1.200, 1.100}), row_of("b", {1.001, 1.199, 1.102})});
  CHECK_THAT(words, Contains("The tied rows are as good as equal, within 2 %."));
}

TEST_CASE("one allocation says nothing of what is best") {
  CHECK_THAT(words_on({row_of("a", {1}), row_of("b", {2})}),
             Contains("Which is best cannot be said") && Contains("repeats: {allocations: 5}"));
  CHECK(words_on({}).empty());
  CHECK(words_on({row_of("a", {1})}).empty());
}

TEST_CASE("the closing words say how large the noise was and whom to suspect") {
  const std::string words = words_on({row_of("a", {1, 1.1})}, noise_with_suspect());
  CHECK_THAT(words, Contains("most of the noise (90 %) lies between allocations"));
  CHECK_THAT(words, Contains("Suspect: n07 (network); 'pippin noise' has the evidence."));
}
