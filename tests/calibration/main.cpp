// SPDX-License-Identifier: Apache-2.0
// How often pippin's judgements are right, on simulated sweeps of which the truth is known:
// calibration [SWEEPS [SEED [WORDS]]], with WORDS only of the kinds that are named so. Prints a
// table in Markdown.
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "tests/calibration/kinds.h"

using namespace pippin;
using namespace pippin::calibration;

namespace {

void print(const std::vector<Kind>& kinds, int sweeps, std::uint64_t seed,
           const std::string& words) {
  for (const auto& kind : kinds) {
    if ((kind.name + " " + kind.question).find(words) == std::string::npos) continue;
    Random random(seed_of(seed, kind.name + kind.question));
    const double share = result_of(kind, sweeps, random);
    fmt::print("| {} | {} | {:.1f} % | {:g} – {:g} % | {} |\n", kind.name, kind.question,
               100 * share, 100 * kind.least, 100 * kind.most,
               share >= kind.least && share <= kind.most ? "yes" : "no");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int sweeps = argc > 1 ? std::atoi(argv[1]) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string words = argc > 3 ? argv[3] : "";
  fmt::print("| simulated | counted | share | wanted | met |\n| --- | --- | ---: | ---: | --- |\n");
  print(reporting_kinds(), sweeps, seed, words);
  print(comparing_kinds(), sweeps, seed, words);
  print(blaming_kinds(), sweeps, seed, words);
  print(others_kinds(), sweeps, seed, words);
}
