// SPDX-License-Identifier: Apache-2.0
#include "sweeps/judge_points.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "core/base/units.h"
#include "sweeps/accelerators.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

/// Beside PyTorch's peak nvidia-smi shows the context, NCCL, DeepSpeed's buckets, and what the
/// allocator keeps; fitted to BigScience's runs.
double shown_by_nvidia_smi(const Setup& setup, double peak, double card) {
  const double beside = (setup.generation == Generation::kVolta ? 6.1 : 6.4) * kGib;
  return std::min(card, peak + beside);
}

/// As the row says, or as the data sheet does where all GPUs of that name have as much.
std::optional<double> card_of(const PointRow& row) {
  const auto said = row.number("gpu_mem_gb");
  return said ? said : memory_in_table(row.text("gpu"));
}

double as_measured(const PointRow& row, const Setup& setup, double peak) {
  constexpr double kReserved = 1.05;  // of a steady run
  if (row.says("mem_kind", "FORMULA")) return korthikanti_bytes(setup);
  const double card = card_of(row).value_or(0) * kGib;
  if (row.says("mem_kind", "nvidia-smi") && card > 0) return shown_by_nvidia_smi(setup, peak, card);
  return row.says("mem_kind", "reserved") ? kReserved * peak : peak;
}

}  // namespace

double usable_bytes(Generation generation, double memory_gb) {
  struct Card {
    Generation generation;
    double sold, usable;
  };
  constexpr Card kCards[] = {
      {Generation::kVolta, 16, 15.77},      {Generation::kVolta, 32, 31.75},
      {Generation::kAmpere, 40, 39.59},     {Generation::kAmpere, 80, 79.35},
      {Generation::kHopper, 80, 79.2},      {Generation::kHopper, 141, 139.8},
      {Generation::kBlackwell, 180, 178.35}};
  for (const Card& card : kCards)
    if (card.generation == generation && card.sold == memory_gb) return card.usable * kGib;
  // Of NVIDIA's cards the driver keeps about as much as of these.
  constexpr double kShare = 0.99;
  return (generation == Generation::kOther ? 1 : kShare) * memory_gb * kGib;
}

bool leaves_little(double needed_bytes, double usable_bytes) {
  constexpr double kReserved = 0.05;
  return needed_bytes <= usable_bytes && needed_bytes > (1 - kReserved) * usable_bytes;
}

namespace {

/// Whether it fits, and why.
void judge_fit(std::optional<double> card, const Setup& setup, PointJudgement& said) {
  if (!card) return;
  const double needed = needed_bytes(setup), usable = usable_bytes(setup.generation, *card);
  said.fits = needed <= usable;
  said.why = fmt::format("stage {} needs {:.1f} GiB of {:.1f}", largest_stage(setup), needed / kGib,
                         usable / kGib);
}

/// A layout that does not fit with one sequence fits with none, where all else is known.
void judge_least(const PointRow& row, PointJudgement& said) {
  const RowSetup least = setup_of_row(row.with("mbs", "1"));
  if (!least.setup || !least.why_no_memory.empty()) return;
  PointJudgement one;
  judge_fit(card_of(row), *least.setup, one);
  if (one.fits == false) {
    said.fits = false;
    said.why += "; with MBS 1 " + one.why;
  }
}

}  // namespace

namespace {

void judge_memory(const PointRow& row, const RowSetup& read, PointJudgement& said) {
  if (!read.why_no_memory.empty()) {
    said.why = "no memory: " + read.why_no_memory;
    return judge_least(row, said);
  }
  const Setup& setup = *read.setup;
  const bool last = row.says("mem_kind", "LAST rank");
  const StageMemory memory = stage_memory(setup, last ? setup.pp - 1 : largest_stage(setup));
  said.allocated_gib = memory.allocated() / kGib;
  said.peak_gib = as_measured(row, setup, memory.peak) / kGib;
  const auto card = card_of(row);
  if (!card) said.why = "gpu_mem_gb is not given";
  judge_fit(card, setup, said);
}

/// Between the bounds lie 19 of 20.
void say_time(double seconds, double half_width, PointJudgement& said) {
  said.step_s = seconds;
  said.step_s_low = seconds * std::exp(-half_width);
  said.step_s_high = seconds * std::exp(half_width);
}

std::string after_semicolon(const std::string& before, const std::string& words) {
  return (before.empty() || words.empty() ? "" : "; ") + words;
}

std::string cluster_of(const PointRow& row) {
  const auto card = card_of(row);
  return row.text("group") + " " + row.text("gpu") + (card ? fmt::format(" {:g}", *card) : "");
}

std::optional<MeasuredStep> measured_step(const PointRow& row) {
  const RowSetup read = setup_of_row(row);
  const auto machine = machine_of_row(row);
  const double seconds = row.number("step_s").value_or(0);
  if (!read.setup || !machine || seconds <= 0 || !read.why_no_time.empty()) return std::nullopt;
  return MeasuredStep{*read.setup, *machine, read.any_micro_batch, seconds};
}

/// Alike of all that a time depends on.
std::string layout_of(const MeasuredStep& step) {
  const Setup& setup = step.setup;
  return fmt::format("{} {} {} {} {} {} {} {:a}", setup.tp, setup.pp, setup.chunks, setup.dp,
                     setup.cp, setup.mbs, setup.gas,
                     predicted_seconds(step, usual_rates_of(step.machine)));
}

/// Of one layout, each as likely.
class Repeats {
 public:
  void add(const MeasuredStep& one) {
    step_ = one;
    sum_ += std::log(one.seconds);
    ++count_;
  }
  MeasuredStep mean() const {
    MeasuredStep step = *step_;
    step.seconds = std::exp(sum_ / count_);
    return step;
  }

 private:
  std::optional<MeasuredStep> step_;
  double sum_ = 0, count_ = 0;
};

}  // namespace

std::size_t PointJudge::calibrate_on(const std::vector<PointRow>& rows) {
  std::map<std::string, std::map<std::string, Repeats>> clusters;
  std::size_t used = 0;
  for (const PointRow& row : rows) {
    const auto step = measured_step(row);
    if (!step) continue;
    clusters[cluster_of(row)][layout_of(*step)].add(*step);
    ++used;
  }
  for (const auto& [name, layouts] : clusters) {
    std::vector<MeasuredStep> points;
    for (const auto& [layout, repeats] : layouts) points.push_back(repeats.mean());
    fits_.push_back({name, learn_rates({}, points, kUncalibratedHalfWidth,
                                       usual_rates_of(points.front().machine))});
  }
  return used;
}

const ClusterFit* PointJudge::fit_of(const PointRow& row) const {
  const auto found = std::find_if(fits_.begin(), fits_.end(), [&](const ClusterFit& fit) {
    return fit.name == cluster_of(row);
  });
  return found == fits_.end() ? nullptr : &*found;
}

void PointJudge::judge_time(const PointRow& row, const RowSetup& read, PointJudgement& said) const {
  const auto machine = machine_of_row(row);
  std::string why_not = read.why_no_time.empty() ? why_no_time(*read.setup) : read.why_no_time;
  if (!machine) why_not = "the GPU is not known";
  if (!why_not.empty()) {
    said.why += after_semicolon(said.why, "no time: " + why_not);
    return;
  }
  constexpr double kLeast = 0.02;
  const ClusterFit* fit = fit_of(row);
  const MeasuredStep step{*read.setup, *machine, read.any_micro_batch, 0};
  if (!fit) {
    if (!fits_.empty())
      said.why +=
          after_semicolon(said.why, "by usual rates, as none were learned of " + cluster_of(row));
    return say_time(predicted_seconds(step, usual_rates_of(*machine)), kUncalibratedHalfWidth,
                    said);
  }
  const LearnedRates& known = fit->learned;
  const double width = half_width_at(step, known.rates, known.half_width, known.uncertainty);
  say_time(predicted_seconds(step, known.rates), std::max(width, kLeast), said);
}

PointJudgement PointJudge::judge(const PointRow& row) const {
  PointJudgement said;
  said.id = row.text("id");
  const RowSetup read = setup_of_row(row);
  said.why = read.why_not;
  if (!read.setup) {
    judge_least(row, said);
    return said;
  }
  judge_memory(row, read, said);
  judge_time(row, read, said);
  said.why += after_semicolon(said.why, read.doubt);
  return said;
}

std::string why_no_time(const Setup& setup) {
  if (setup.type == NumberType::kFp32) return "it trains in fp32, and rates are of 16 bits";
  if (setup.type == NumberType::kBf16 && setup.generation == Generation::kVolta)
    return "such a GPU has no bf16";
  if (setup.fp8 != Fp8::kNone) return "how fast products in 8 bits are is not known";
  return setup.offloads_optimizer ? "how fast offloading is is not known" : "";
}

PointJudgement judge_setup(const Setup& setup, const std::optional<Machine>& machine,
                           std::optional<double> memory_gb, const KnownRates& known) {
  PointJudgement said;
  const StageMemory memory = stage_memory(setup, largest_stage(setup));
  said.allocated_gib = memory.allocated() / kGib;
  said.peak_gib = memory.peak / kGib;
  judge_fit(memory_gb, setup, said);
  if (!machine) return said;
  const std::string why_not = why_no_time(setup);
  if (why_not.empty()) {
    say_time(step_time(setup, *machine, known.rates).all(), half_width_of(known, setup, *machine),
             said);
  } else
    said.why += (said.why.empty() ? "no time: " : "; no time: ") + why_not;
  return said;
}

}  // namespace pippin
