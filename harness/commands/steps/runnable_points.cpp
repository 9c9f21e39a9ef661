// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/runnable_points.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/counted_reasons.h"
#include "harness/commands/steps/setup_of_point.h"
#include "sweeps/judge_points.h"

namespace pippin {

namespace {

/// What is said of a point.
struct Verdict {
  std::string drop;     ///< why it cannot run; empty: it may
  std::string unknown;  ///< why nobody knows what it needs
};

/// As much as estimates of the peak are off on average: what needs no more may fit.
constexpr double kDoubt = 1.02;

bool may_be_megatron(const Sweep& sweep) {
  return !sweep.trainer.command.empty() && has_setups(sweep);
}

bool knows_memory(const Sweep& sweep) {
  return sweep.cluster.gpus_per_node > 0 && sweep.cluster.accelerator.memory_gib.has_value();
}

/// What an estimate takes for granted of arguments that it has never heard of.
std::string words_on(const std::vector<std::string>& strangers) {
  if (strangers.empty()) return "";
  return fmt::format(", where {} {} nothing of that", join(strangers, " "),
                     strangers.size() == 1 ? "changes" : "change");
}

Verdict judge(const Sweep& sweep, const Point& point) {
  const SetupOfPoint read = setup_of_point(sweep, point, VocabularyUnsaid::kLeast);
  if (read.is_impossible) return {"layout: " + read.why_not, ""};
  if (!knows_memory(sweep)) return {};
  if (!read.setup) return {"", read.why_not};
  const auto memory = sweep.cluster.accelerator.memory_gib;
  const auto said = judge_setup(*read.setup, {}, *memory * kDoubt);
  if (said.fits != false) return {};
  return {"memory: " + judge_setup(*read.setup, {}, memory).why + words_on(read.strangers), ""};
}

/// Errors: Error (bad input) where all were dropped, or the one that each incomplete block
/// measures.
void check_what_remains(const Sweep& sweep, const std::vector<Point>& kept,
                        const std::vector<DroppedPoint>& dropped) {
  if (kept.empty())
    bad_input(
        "{}: no point remains; of {} the first is dropped by '{}'; --keep-infeasible keeps them",
        printable(sweep.file.string()), dropped.size(), dropped.front().reason);
  for (const DroppedPoint& one : dropped) {
    if (one.point.id == sweep.reference)
      bad_input("{}: reference: {} is dropped by '{}'; choose another, or --keep-infeasible",
                printable(sweep.file.string()), printable(one.point.name), one.reason);
  }
}

}  // namespace

std::string drop_what_cannot_run(Sweep& sweep) {
  if (!may_be_megatron(sweep)) return "";
  std::vector<Point> kept;
  std::vector<DroppedPoint> dropped;
  CountedReasons unjudged;
  for (const Point& point : sweep.points) {
    Verdict verdict = judge(sweep, point);
    if (!verdict.unknown.empty()) unjudged.add(verdict.unknown);
    if (verdict.drop.empty())
      kept.push_back(point);
    else
      dropped.push_back({point, std::move(verdict.drop)});
  }
  check_what_remains(sweep, kept, dropped);
  const std::size_t all = sweep.points.size();
  sweep.points = std::move(kept);
  sweep.dropped.insert(sweep.dropped.end(), dropped.begin(), dropped.end());
  if (unjudged.count() == 0) return "";
  return fmt::format("whether {} of {} points fit the memory is not known: {}", unjudged.count(),
                     all, unjudged.words());
}

}  // namespace pippin
