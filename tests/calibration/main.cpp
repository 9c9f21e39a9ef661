// How often pippin's judgements are right, on simulated sweeps of which the truth is known:
// calibration [SWEEPS [SEED]]. Prints a table in Markdown.
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "tests/calibration/kinds.h"

using namespace pippin;
using namespace pippin::calibration;

namespace {

void print(const std::vector<Kind>& kinds, int sweeps, std::uint64_t seed) {
  for (const auto& kind : kinds) {
    Random random(seed_of(seed, kind.name + kind.question));
    int hits = 0, counted = 0;
    for (int i = 0; i < sweeps; ++i) {
      const Outcome outcome = kind.simulate(random);
      hits += static_cast<int>(outcome.hit && outcome.counts);
      counted += static_cast<int>(outcome.counts);
    }
    const double share = static_cast<double>(hits) / counted;
    fmt::print("| {} | {} | {:.1f} % | {:.0f} – {:.0f} % | {} |\n", kind.name, kind.question,
               100 * share, 100 * kind.least, 100 * kind.most,
               share >= kind.least && share <= kind.most ? "yes" : "no");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int sweeps = argc > 1 ? std::atoi(argv[1]) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print("| simulated | counted | share | wanted | met |\n| --- | --- | ---: | ---: | --- |\n");
  print(comparing_kinds(), sweeps, seed);
  print(blaming_kinds(), sweeps, seed);
}
