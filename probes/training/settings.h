#pragma once

#include <cstdint>

#include "probes/common/megatron.h"
#include "probes/common/options.h"
#include "probes/common/setup.h"
#include "probes/training/optimizer.h"

namespace pippin::probes {

struct TrainingSettings {
  Setup setup;
  OptimizerSettings optimizer;        ///< its lr comes from the setup
  std::int64_t threads = 1;           ///< of the matrix products
  std::int64_t memory_limit_mib = 0;  ///< 0: what the machine has free at the start
};

/// The rows of `settings`' options. `settings` must outlive them.
OptionTable training_options(TrainingSettings& settings);

/// Errors: Error (bad input) where the probe cannot do it: a world above 1 by the options or by
/// `launched` processes, a dimension beyond BLAS' int.
void check(const TrainingSettings& settings, std::int64_t launched);

/// Bytes the probe may take. Requires check().
std::uint64_t memory_limit_bytes(const TrainingSettings& settings);

/// What the dump of arguments says beside the setup.
Arguments training_arguments(const TrainingSettings& settings);

}  // namespace pippin::probes
