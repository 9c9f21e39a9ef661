#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/records/summary.h"
#include "sweeps/estimate/flops.h"

namespace pippin {

/// Which lines of a log count in a mean.
enum class Samples {
  kClean,  ///< those without a flag, after the warm-up; every line where a point has none
  kAll,    ///< every line
};

/// Of sum_up() and what it calls: rows that another version summed up are summed up anew.
inline constexpr std::int64_t kSummaryVersion = 3;

/// Which rows there are, and of which lines.
struct Summing {
  Samples samples = Samples::kClean;
  bool by_run = false;  ///< a row for each run instead of one for each point
};

/// How work is counted, and what it is held against.
struct Rating {
  FlopsFormula formula = FlopsFormula::kParams;
  PeakTflops peak_tflops = {};   ///< of the accelerator, where the rows do not know theirs
  std::string number_type = {};  ///< "bf16", of the peak, where the points do not say theirs
};

/// One row per point, or per run, in the given order, without rates.
/// Shape: every run with lines counts, however it ended, by its digest; one without is digested
/// from its iterations. Where the batch size differs between a point's runs, only runs of the
/// largest one count. The state is ok where one run is, else the worst that is present, out of
/// memory first. A row of figures written down by hand has no interval, and is where it was noted.
std::vector<Summary> sum_up(const std::vector<PointSamples>& points, const Summing& summing);

/// Adds to a row what follows from its mean time.
/// Unit: TFLOPS per GPU; `params` counts recomputation where the runs say "full". MFU and HFU come
/// from the same formula: without recomputed work, and with it.
/// Source: for TFLOPS see sweeps/estimate/flops.h.
void rate(Summary& row, const Rating& rating);

/// Both.
std::vector<Summary> summarize(const std::vector<PointSamples>& points, const Summing& summing,
                               const Rating& rating = {});

/// Sets the useful work that each row's GPUs do in a second against that of row `reference`: work
/// that is done twice (recomputation) counts once, other than in TFLOPS. Rows of one model are
/// compared by sequences where their FLOPs are unknown; others then not at all.
/// Shape: the interval combines both rows' own. Source: Zou and Donner, "Construction of confidence
/// limits about effect measures", Statistics in Medicine 27, 2008, on logarithms.
void compare_with(std::vector<Summary>& rows, std::size_t reference);

}  // namespace pippin
