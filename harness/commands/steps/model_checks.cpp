// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/model_checks.h"

#include <fmt/format.h>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/report_rows.h"
#include "sweeps/accelerators.h"
#include "sweeps/cluster_file.h"
#include "sweeps/cluster_rates.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/judge_points.h"

namespace pippin {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

/// What people say of a log beside its trainer's own arguments.
const AxisNames kTold{"accelerator", "gpus_per_node"};

void judge_time(const StoredSetup& stored, ModelCheck& check) {
  check.why_no_time = stored.setup ? stored.why_no_time : stored.why_not;
  if (!stored.machine) return;
  const KnownRates known =
      stored.cluster ? rates_of(*stored.cluster) : usual_rates(stored.accelerator);
  check.time = step_time(*stored.setup, *stored.machine, known.rates);
  check.half_width = half_width_of(known, *stored.setup, *stored.machine);
  if (!known.are_usual) check.rates = stored.cluster->name;
  check.words_on_rates = words_on_rates(check.rates, known);
}

void judge_memory(const StoredSetup& stored, ModelCheck& check) {
  check.why_no_memory = stored.setup ? stored.why_no_memory : stored.why_not;
  if (!check.why_no_memory.empty()) return;
  const Setup& setup = *stored.setup;
  check.peak_gib = stage_memory(setup, largest_stage(setup)).peak / kGib;
  check.needed_gib = needed_bytes(setup) / kGib;
  check.usable_gib = stored.limit_gib;
  if (!check.usable_gib && stored.accelerator && stored.accelerator->memory_gib)
    check.usable_gib = usable_bytes(setup.generation, *stored.accelerator->memory_gib) / kGib;
}

StoredCheck checked(Summary row, PointOrigin origin, const std::vector<Timer>& timers,
                    const GivenMachine& given) {
  StoredCheck made;
  made.stored = stored_setup(row.point, origin, row.recompute.value_or(""), given);
  ModelCheck& check = made.check;
  check.of = std::move(row);
  if (made.stored.accelerator) check.accelerator = made.stored.accelerator->name;
  check.ran = origin.ran;
  check.out_of_memory = origin.out_of_memory;
  judge_time(made.stored, check);
  judge_memory(made.stored, check);
  if (check.time) check.phases = phases_of(*check.time, timers);
  made.origin = std::move(origin);
  return made;
}

}  // namespace

std::vector<StoredCheck> stored_checks(const Globals& globals, Database& database,
                                       const SampleFilter& filter, const GivenMachine& given) {
  const auto key = [](const std::string& sweep, const std::string& point) {
    return sweep + '\n' + point;
  };
  std::unordered_map<std::string, PointOrigin> origins;
  for (PointOrigin& origin : database.origins(filter))
    origins.emplace(key(origin.sweep, origin.point), std::move(origin));
  std::unordered_map<std::string, std::vector<Timer>> timers;
  for (PointTimers& one : database.timers(filter, phase_timers()))
    timers.emplace(key(one.sweep, one.point), std::move(one.timers));
  std::vector<StoredCheck> all;
  for (Summary& row : report_rows(globals, database, filter, {}, {}, kTold)) {
    const std::string of = key(row.sweep, row.point.id);
    all.push_back(checked(std::move(row), std::move(origins[of]), timers[of], given));
  }
  return all;
}

std::string what_is_known_better(const std::vector<const StoredCheck*>& checks,
                                 const GivenMachine& given) {
  if (!given.accelerator) return "";
  std::set<std::string> others;
  std::int64_t points = 0;
  for (const StoredCheck* one : checks) {
    const std::string& own = one->check.accelerator;
    if (own.empty() || own == given.accelerator->name) continue;
    others.insert(printable(own));
    ++points;
  }
  if (points == 0) return "";
  return fmt::format("--accelerator {} is for runs that do not know theirs: {} do ({})",
                     given.accelerator->name, counted(points, "point"),
                     join({others.begin(), others.end()}, ", "));
}

GivenMachine given_machine(const std::string& cluster, const std::string& accelerator,
                           const std::optional<double>& node_gb_per_s) {
  GivenMachine given;
  given.node_gb_per_s = node_gb_per_s;
  if (!cluster.empty()) given.cluster = cluster_named(cluster, "--cluster");
  if (!accelerator.empty())
    given.accelerator = accelerator_named(text_written_at("--accelerator", accelerator));
  return given;
}

}  // namespace pippin
