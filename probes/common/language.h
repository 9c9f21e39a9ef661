// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "probes/common/setup.h"

namespace pippin::probes {

/// A made-up language that a model can learn. Small token numbers are common: a token is drawn from
/// each octave (1, 2-3, 4-7, …) with equal chance, much like Zipf's law. Three times out of four
/// the next token is the one fixed successor of the last, else a fresh draw. A sequence depends on
/// the seed, the iteration and its place in the global batch alone, however that batch is split.
/// Whole-number arithmetic only: the same on every platform.
class Language {
 public:
  explicit Language(const Setup& setup);

  /// Sequence number `sample` of an iteration's global batch: seq inputs, and the seq tokens that
  /// follow them.
  void read(std::int64_t iteration, std::int64_t sample, std::int32_t* inputs,
            std::int32_t* targets) const;

 private:
  std::uint64_t seed_;
  std::int64_t seq_, vocab_;
  std::vector<std::int32_t> successor_;
};

}  // namespace pippin::probes
