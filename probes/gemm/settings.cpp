// SPDX-License-Identifier: Apache-2.0
#include "probes/gemm/settings.h"

#include <algorithm>

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

bool shapes_products(const Option& option) {
  static const std::vector<std::string> kNames = {"--tp",       "--mbs",      "--hidden", "--heads",
                                                  "--kv-heads", "--ffn",      "--style",  "--seq",
                                                  "--vocab",    "--precision"};
  return std::find(kNames.begin(), kNames.end(), option.name) != kNames.end();
}

}  // namespace

OptionTable gemm_options(GemmSettings& s) {
  constexpr std::int64_t kLargest = 1 << 24;
  OptionTable table;
  for (const Option& option : setup_options(s.setup))
    if (shapes_products(option)) table.push_back(option);
  const OptionTable own = {
      whole_option("--m", s.m, 0, kLargest, "one product m x k by k x n instead of a model's"),
      whole_option("--n", s.n, 0, kLargest, "the same"),
      whole_option("--k", s.k, 0, kLargest, "the same"),
      choice_option("--device", s.device, {"cpu", "cuda"}, "what each rank runs on"),
      whole_option("--algorithms", s.algorithms, 1, 1000,
                   "of cuBLASLt's that are tried on a GPU; the fastest is timed"),
      whole_option("--threads", s.threads, 1, 4096, "of each rank"),
      number_option("--seconds", s.seconds, 0.0, 1e6, "for all products together"),
      whole_option("--iterations", s.iterations, 0, 1'000'000'000,
                   "steps of all products, each a line; 0 is the table"),
      number_option("--step-ms", s.step_ms, 0, 1e6, "a step makes them as often as takes so long"),
      word_option("--json", s.json, "FILE for one JSON object per line; - is standard output"),
  };
  table.insert(table.end(), own.begin(), own.end());
  return table;
}

std::vector<Product> chosen_products(const GemmSettings& s) {
  const int given = (s.m > 0) + (s.n > 0) + (s.k > 0);
  if (given == 3) return {{"given", Pass::kForward, s.m, s.k, s.n, {}}};
  if (given > 0) bad_input("--m, --n and --k belong together; give all three");
  check_setup(s.setup);
  return products_of(s.setup);
}

}  // namespace pippin::probes
