// SPDX-License-Identifier: Apache-2.0
#include "probes/common/language.h"

#include <algorithm>
#include <string>

#include "probes/common/random.h"

namespace pippin::probes {

namespace {

std::int32_t fresh_token(Random& random, std::int64_t vocab) {
  std::uint64_t octaves = 0;
  while ((std::int64_t{1} << octaves) <= vocab) ++octaves;
  const std::int64_t first = std::int64_t{1} << random.below(octaves);
  const std::int64_t after = std::min(2 * first, vocab + 1);
  const auto step =
      static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(after - first)));
  return static_cast<std::int32_t>(first + step - 1);
}

}  // namespace

Language::Language(const Setup& setup)
    : seed_(static_cast<std::uint64_t>(setup.seed)),
      seq_(setup.seq),
      vocab_(setup.vocab),
      successor_(static_cast<std::size_t>(setup.vocab)) {
  Random random(seed_of(seed_, "successors"));
  for (auto& successor : successor_) successor = fresh_token(random, vocab_);
}

void Language::read(std::int64_t iteration, std::int64_t sample, std::int32_t* inputs,
                    std::int32_t* targets) const {
  Random random(seed_of(
      seed_, "iteration " + std::to_string(iteration) + " sample " + std::to_string(sample)));
  std::int32_t token = fresh_token(random, vocab_);
  for (std::int64_t i = 0; i < seq_; ++i) {
    inputs[i] = token;
    token = random.below(4) > 0 ? successor_[static_cast<std::size_t>(token)]
                                : fresh_token(random, vocab_);
    targets[i] = token;
  }
}

}  // namespace pippin::probes
