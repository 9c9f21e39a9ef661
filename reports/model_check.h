// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/estimate.h"
#include "reports/flat_table.h"
#include "reports/model_phases.h"
#include "sweeps/estimate/step_time.h"

namespace pippin {

/// What was predicted of a point, beside what was measured. Times in seconds, memory in GiB.
struct ModelCheck {
  Summary of;                        ///< the row of a report
  std::string accelerator;           ///< empty: unknown
  std::string rates;                 ///< the cluster whose they are; empty: the usual ones
  std::string words_on_rates;        ///< how sure they are
  std::optional<double> half_width;  ///< of the logarithm of measured by predicted, 19 of 20
  std::optional<StepTime> time;      ///< nothing where it cannot be judged
  std::string why_no_time;           ///< then
  std::vector<Phase> phases;         ///< empty where its trainer timed none

  std::optional<double> peak_gib;    ///< of PyTorch's allocator, on the stage that needs most
  std::optional<double> needed_gib;  ///< with the CUDA context and NCCL
  std::optional<double> usable_gib;  ///< of its GPU
  std::string why_no_memory;         ///< where there is no peak
  std::int64_t ran = 0, out_of_memory = 0;  ///< runs
};

std::optional<double> predicted_s(const ModelCheck& check);
/// The median of the middle run's lines, as the column `median` has it; of lines that are means the
/// mean.
std::optional<double> measured_s(const ModelCheck& check);
/// Nothing where either is not known.
std::optional<double> measured_by_predicted(const ModelCheck& check);
std::optional<bool> is_within(const ModelCheck& check);
/// Whether it should fit its GPU.
std::optional<bool> should_fit(const ModelCheck& check);
/// Whether it did, as was foretold; nothing where no run says so, or some did and some did not.
std::optional<bool> memory_agrees(const ModelCheck& check);

/// For people: times, phases, the memory's frontier; those of which there are rows.
std::vector<EstimateTable> model_check_tables(const std::vector<ModelCheck>& checks);
/// What cannot be judged, a sentence for each reason.
std::vector<std::string> what_is_not_judged(const std::vector<ModelCheck>& checks);
/// For programs: every figure, a row each.
FlatTable model_check_figures(const std::vector<ModelCheck>& checks);

}  // namespace pippin
