#include "sweeps/estimate/judge_point.h"

#include <algorithm>
#include <fmt/format.h>

#include "sweeps/estimate/memory.h"

namespace pippin {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

/// Beside PyTorch's peak nvidia-smi shows the context, NCCL, DeepSpeed's buckets, and what the
/// allocator keeps; fitted to BigScience's runs.
double shown_by_nvidia_smi(const Setup& setup, double peak, double card) {
  const double beside = (setup.generation == Generation::kVolta ? 6.1 : 6.4) * kGib;
  return std::min(card, peak + beside);
}

double as_measured(const PointRow& row, const Setup& setup, double peak) {
  constexpr double kReserved = 1.05;  // of a steady run
  if (row.says("mem_kind", "FORMULA")) return korthikanti_bytes(setup);
  const double card = row.number("gpu_mem_gb").value_or(0) * kGib;
  if (row.says("mem_kind", "nvidia-smi") && card > 0) return shown_by_nvidia_smi(setup, peak, card);
  return row.says("mem_kind", "reserved") ? kReserved * peak : peak;
}

}  // namespace

double usable_bytes(Generation generation, double memory_gb) {
  struct Card {
    Generation generation;
    double sold, usable;
  };
  constexpr Card kCards[] = {{Generation::kVolta, 16, 15.77},
                             {Generation::kVolta, 32, 31.75},
                             {Generation::kAmpere, 40, 39.59},
                             {Generation::kAmpere, 80, 79.35},
                             {Generation::kHopper, 80, 79.2}};
  for (const Card& card : kCards)
    if (card.generation == generation && card.sold == memory_gb) return card.usable * kGib;
  return memory_gb * kGib;
}

namespace {

/// Whether it fits, and why.
void judge_fit(const PointRow& row, const Setup& setup, PointJudgement& said) {
  const auto card = row.number("gpu_mem_gb");
  if (!card) return;
  const double needed = needed_bytes(setup), usable = usable_bytes(setup.generation, *card);
  said.fits = needed <= usable;
  said.why = fmt::format("stage {} needs {:.1f} GiB of {:.1f}", largest_stage(setup), needed / kGib,
                         usable / kGib);
}

/// A layout that does not fit with one sequence fits with none.
void judge_least(const PointRow& row, PointJudgement& said) {
  const RowSetup least = setup_of_row(row.with("mbs", "1"));
  if (!least.setup) return;
  PointJudgement one;
  judge_fit(row, *least.setup, one);
  if (one.fits == false) {
    said.fits = false;
    said.why += "; with MBS 1 " + one.why;
  }
}

}  // namespace

PointJudgement judge_point(const PointRow& row) {
  PointJudgement said;
  said.id = row.text("id");
  const RowSetup read = setup_of_row(row);
  said.why = read.why_not;
  if (!read.setup) {
    judge_least(row, said);
    return said;
  }
  const Setup& setup = *read.setup;
  const bool last = row.says("mem_kind", "LAST rank");
  const std::int64_t stage = last ? setup.pp - 1 : largest_stage(setup);
  const StageMemory memory = stage_memory(setup, stage);
  said.allocated_gib = memory.allocated() / kGib;
  said.peak_gib = as_measured(row, setup, memory.peak) / kGib;
  judge_fit(row, setup, said);
  return said;
}

}  // namespace pippin
