// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/counted_reasons.h"
#include "harness/commands/steps/machine_readings.h"
#include "harness/commands/steps/model_checks.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"
#include "reports/calibration.h"
#include "sweeps/cluster_file.h"
#include "sweeps/cluster_rates.h"
#include "sweeps/judge_points.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

/// A part of the database, and its points.
struct Part {
  SampleFilter filter;
  bool takes_logs = false;  ///< a person named them, so that those count whose cluster is not known
  std::vector<StoredCheck> checks;
};

/// Of a cluster each campaign is apart: a point may have run on others, too.
std::vector<SampleFilter> filters_of(Database& database, const SampleFilter& selected,
                                     bool is_of_cluster) {
  if (!is_of_cluster || selected.campaign || selected.sweep == "") return {selected};
  std::vector<SampleFilter> filters;
  for (const CampaignName& campaign : database.campaigns(selected.sweep))
    filters.push_back({campaign.sweep, campaign.number});
  return filters;
}

std::vector<Part> parts_of(const Globals& globals, Database& database,
                           const CalibrateOptions& options, const GivenMachine& given) {
  const std::vector<std::string> names =
      options.selections.empty() ? std::vector<std::string>{""} : options.selections;
  std::vector<Part> parts;
  std::set<std::pair<std::optional<std::string>, std::optional<std::int64_t>>> known;
  for (const std::string& name : names) {
    const SampleFilter selected = selection_named(globals, database, name);
    say_what_is_set_aside(globals, database, selected);
    for (const SampleFilter& filter : filters_of(database, selected, given.cluster.has_value()))
      if (known.insert({filter.sweep, filter.campaign}).second)
        parts.push_back(
            {filter, selected.sweep == "", stored_checks(globals, database, filter, given)});
  }
  return parts;
}

/// Leaves the points of the cluster; of logs those that a person names as `collected`.
void keep_cluster(std::vector<Part>& parts, const std::string& cluster) {
  if (cluster.empty()) return;
  for (Part& part : parts) {
    std::erase_if(part.checks, [&](const StoredCheck& one) {
      const auto& clusters = one.origin.clusters;
      return clusters.empty() ? !part.takes_logs : clusters != std::vector<std::string>{cluster};
    });
  }
}

/// The clusters and the GPUs of what was measured.
struct Found {
  std::set<std::string> clusters, accelerators;
};
Found found_in(const std::vector<Part>& parts) {
  Found found;
  for (const Part& part : parts) {
    for (const StoredCheck& one : part.checks) {
      if (!measured_s(one.check)) continue;
      found.clusters.insert(one.origin.clusters.begin(), one.origin.clusters.end());
      if (one.stored.machine) found.accelerators.insert(one.check.accelerator);
    }
  }
  return found;
}

std::string listed(const std::set<std::string>& names) {
  return printable(join({names.begin(), names.end()}, ", "));
}

/// Errors: Error (bad input) where what was measured is of several machines.
void check_one_machine(const Found& found) {
  if (found.clusters.size() > 1)
    bad_input("calibrate: runs of several clusters: {}; name one with --cluster",
              listed(found.clusters));
  if (found.accelerators.size() > 1)
    bad_input("calibrate: runs on several kinds of GPU: {}; name a SWEEP, or --cluster",
              listed(found.accelerators));
}

/// The file of the cluster at hand: the one that is named, or of the name that runs have.
std::optional<Cluster> cluster_of(const Found& found, const GivenMachine& given) {
  if (given.cluster || found.clusters.empty()) return given.cluster;
  const auto known = cluster_names();
  const std::string& name = *found.clusters.begin();
  if (std::find(known.begin(), known.end(), name) == known.end()) return std::nullopt;
  return cluster_named(name, "cluster");
}

/// What its figures are shares of: nothing where data sheets do not say it.
std::optional<Machine> machine_at_hand(const std::vector<Part>& parts,
                                       const std::optional<Cluster>& cluster,
                                       const GivenMachine& given, std::string& why_none) {
  for (const Part& part : parts)
    for (const StoredCheck& one : part.checks)
      if (one.stored.machine) return one.stored.machine;
  const auto& accelerator = given.accelerator ? given.accelerator
                            : cluster         ? std::optional(cluster->accelerator)
                                              : std::nullopt;
  if (!accelerator) {
    why_none = "its GPU is not known; --cluster or --accelerator says it";
    return std::nullopt;
  }
  const auto of_cluster = cluster ? cluster->rates.node_gb_per_s : std::nullopt;
  try {
    return machine_of(*accelerator, given.node_gb_per_s ? given.node_gb_per_s : of_cluster);
  } catch (const Error& error) {
    why_none = error.what();
    return std::nullopt;
  }
}

/// A point that several parts have counts once, by the mean of its times' logarithms.
std::vector<MeasuredStep> measured_steps(const std::vector<Part>& parts) {
  std::vector<MeasuredStep> steps;
  std::vector<int> counts_of;
  std::map<std::string, std::size_t> known;
  for (const Part& part : parts) {
    for (const StoredCheck& one : part.checks) {
      const auto seconds = measured_s(one.check);
      const RunState state = one.check.of.state;
      const bool counts = state == RunState::kOk || counts_beside_ok(state);
      if (!seconds || !one.stored.machine || !counts) continue;
      const auto [place, is_new] =
          known.try_emplace(one.check.of.sweep + '\n' + one.check.of.point.id, steps.size());
      if (is_new) {
        steps.push_back({*one.stored.setup, *one.stored.machine, false, 0});
        counts_of.push_back(0);
      }
      steps[place->second].seconds += std::log(*seconds);
      ++counts_of[place->second];
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    steps[i].seconds = std::exp(steps[i].seconds / counts_of[i]);
  return steps;
}

/// What was measured of training and tells nothing of rates, and why.
void tell_left_out(const Globals& globals, const std::vector<Part>& parts) {
  CountedReasons reasons;
  for (const Part& part : parts)
    for (const StoredCheck& one : part.checks)
      if (measured_s(one.check) && !one.stored.machine) reasons.add(one.check.why_no_time);
  if (reasons.count() == 0) return;
  remark(globals, fmt::format("{} of training {} left out: {}",
                              counted(static_cast<std::int64_t>(reasons.count()), "measured point"),
                              reasons.count() == 1 ? "is" : "are", reasons.words()));
}

ClusterCalibration learned_of(const Globals& globals, Database& database,
                              const std::vector<Part>& parts, const GivenMachine& given) {
  const Found found = found_in(parts);
  check_one_machine(found);
  const auto cluster = cluster_of(found, given);
  ReadingsOf of;
  std::string no_machine;
  of.machine = machine_at_hand(parts, cluster, given, no_machine);
  if (cluster) of.cluster = cluster->name;
  if (cluster && cluster->gpus_per_node > 0) of.gpus_per_node = cluster->gpus_per_node;
  MachineReadings readings;
  for (const Part& part : parts) add_readings(database, part.filter, of, part.checks, readings);
  if (!no_machine.empty() && !readings.empty())
    remark(globals, "what is measured of links and products is no rate: " + no_machine);
  tell_left_out(globals, parts);
  ClusterCalibration learned;
  learned.cluster = cluster ? cluster->name : found.clusters.empty() ? "" : *found.clusters.begin();
  if (!found.accelerators.empty())
    learned.accelerator = *found.accelerators.begin();
  else if (cluster)
    learned.accelerator = cluster->accelerator.name;
  learned.machine = fit_machine(readings);
  if (of.machine) learned.node_gb_per_s = of.machine->node_gb_per_s;
  learned.rates =
      learn_rates(direct_rates(learned.machine, of.machine, of.gpus_per_node.value_or(0)),
                  measured_steps(parts), kUncalibratedHalfWidth,
                  of.machine ? usual_rates_of(*of.machine) : Rates());
  return learned;
}

std::string names_at_bounds(const ClusterCalibration& learned) {
  std::vector<std::string> names;
  for (const LearnedRate& rate : learned.rates.all)
    if (rate.at_bound) names.emplace_back(rate.name);
  return join(names, ", ");
}

void write_rates(const ClusterCalibration& learned, const fs::path& file) {
  if (!has_learned(learned)) {
    const std::string at_bounds = names_at_bounds(learned);
    bad_input("calibrate: {}; {} is not written",
              at_bounds.empty() ? "nothing was measured that tells a rate"
                                : "what was measured drives " + at_bounds + " beyond what can be",
              printable(file.string()));
  }
  if (learned.rates.half_width > kWidestBounds)
    bad_input(
        "calibrate: times differ from what any rates predict by a factor of {:.0f}: leave out the "
        "points that are far off, which report --against-model shows; {} is not written",
        std::exp(learned.rates.half_width), printable(file.string()));
  if (fs::exists(file)) bad_input("calibrate: {} is there already", printable(file.string()));
  disk().write(file, rates_yaml(learned));
}

void print(const ClusterCalibration& learned, const std::string& format) {
  if (!is_for_people(format)) return print_table(calibration_figures(learned), format);
  std::ostringstream text;
  const char* between = "";
  for (const EstimateTable& one : calibration_tables(learned)) {
    text << between << one.heading << "\n\n";
    write_table(one.table, format, text);
    between = "\n";
  }
  print_text(text.str(), format);
}

}  // namespace

ExitCode calibrate(const Globals& globals, const CalibrateOptions& options) {
  flat_format_named(options.format);  // before anything is read
  if (!options.write.empty() && fs::exists(options.write))
    bad_input("calibrate: {} is there already", printable(options.write.string()));
  const GivenMachine given =
      given_machine(options.cluster, options.accelerator, options.node_gb_per_s);
  Database database = existing_database(globals);
  auto parts = parts_of(globals, database, options, given);
  keep_cluster(parts, given.cluster ? given.cluster->name : "");
  std::vector<const StoredCheck*> all;
  for (const Part& part : parts)
    for (const StoredCheck& one : part.checks) all.push_back(&one);
  if (const std::string words = what_is_known_better(all, given); !words.empty())
    remark(globals, words);
  const ClusterCalibration learned = learned_of(globals, database, parts, given);
  if (!options.write.empty()) write_rates(learned, options.write);
  print(learned, options.format);
  return ExitCode::kDone;
}

}  // namespace pippin
