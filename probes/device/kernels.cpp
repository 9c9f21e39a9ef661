// SPDX-License-Identifier: Apache-2.0
#include "probes/device/kernels.h"

namespace pippin::probes {

extern const Kernels<float> kernels_baseline_float;
extern const Kernels<double> kernels_baseline_double;
#ifdef PROBES_HAVE_LEVELS
extern const Kernels<float> kernels_avx2_float, kernels_avx512_float;
extern const Kernels<double> kernels_avx2_double, kernels_avx512_double;
#endif

namespace {

enum class Level { kBaseline, kAvx2, kAvx512 };

Level level() {
#ifdef PROBES_HAVE_LEVELS
  // What tells x86-64-v3 and -v4 apart from what came before.
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  if (avx2 && avx512) return Level::kAvx512;
  if (avx2) return Level::kAvx2;
#endif
  return Level::kBaseline;
}

}  // namespace

template <>
const Kernels<float>& kernels() {
#ifdef PROBES_HAVE_LEVELS
  if (level() == Level::kAvx512) return kernels_avx512_float;
  if (level() == Level::kAvx2) return kernels_avx2_float;
#endif
  return kernels_baseline_float;
}

template <>
const Kernels<double>& kernels() {
#ifdef PROBES_HAVE_LEVELS
  if (level() == Level::kAvx512) return kernels_avx512_double;
  if (level() == Level::kAvx2) return kernels_avx2_double;
#endif
  return kernels_baseline_double;
}

const char* kernels_level() {
  switch (level()) {
    case Level::kAvx512:
      return "avx512";
    case Level::kAvx2:
      return "avx2";
    case Level::kBaseline:
      break;
  }
  return "baseline";
}

}  // namespace pippin::probes
