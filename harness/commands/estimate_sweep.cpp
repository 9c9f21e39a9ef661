// SPDX-License-Identifier: Apache-2.0
// The layouts of a sweep, or of words such as tp=2,4, before they run.
#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/estimate.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/setup_of_point.h"
#include "harness/commands/steps/sweep_source.h"
#include "sweeps/accelerators.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

bool are_values(const std::vector<std::string>& words) {
  return words.front().find('=') != std::string::npos;
}

bool says(const std::vector<std::string>& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.starts_with(name + '='); });
}

/// "size=52B tp=2,4" as a sweep: a command that uses all of it takes the place of a trainer's. Of
/// gbs=512 follow the micro-batches.
SweepWords sweep_of_values(const std::vector<std::string>& words, const std::string& cluster) {
  SweepWords sweep;
  if (!cluster.empty()) sweep.cluster = cluster;
  sweep.name = "estimate";
  sweep.is_typed_plainly = true;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos)
      bad_input("estimate: '{}' is no NAME=VALUES, as those before it", printable(word));
    const std::string name = word.substr(0, equals), values = word.substr(equals + 1);
    if (name == "gbs") {
      if (says(words, "gas")) bad_input("estimate: give gbs or gas, not both");
      if (!parse_integer(values))
        bad_input("estimate: gbs is one whole number, not '{}'", printable(values));
      sweep.derived.push_back(fmt::format("gas={} / (mbs * dp)", values));
      continue;
    }
    sweep.axes.emplace_back(name, values);
    sweep.command += "{" + name + "} ";
  }
  return sweep;
}

/// Errors: Error (bad input) naming an axis that no estimate knows.
void check_axes(const Sweep& sweep) {
  const std::vector<std::string> known = typed_axes();
  for (const std::string& name : sweep.own_axes)
    if (std::find(known.begin(), known.end(), name) == known.end())
      bad_input("estimate: unknown name '{}'{}", printable(name), did_you_mean(name, known));
}

/// Where layouts are judged.
struct Place {
  Hardware hardware;               ///< without an accelerator where its memory is not known
  std::optional<Machine> machine;  ///< nothing where its rates are not known: no times
};

/// `remarks` gets what there is to say of it.
Place place_of(const Sweep& sweep, const EstimateOptions& options,
               std::vector<std::string>& remarks) {
  Place place{hardware_of(sweep.cluster), {}};
  take_options(options, place.hardware);
  Hardware& hardware = place.hardware;
  if (!hardware.accelerator->memory_gib) {
    const std::string& name = hardware.accelerator->name;
    remarks.push_back(
        name == "cpu" ? "no fit and no time: no GPU is named; --accelerator or --cluster names one"
                      : fmt::format("no fit and no time: the memory of accelerator {} is not "
                                    "known; --accelerator NAME names another",
                                    printable(name)));
    hardware.accelerator.reset();
    return place;
  }
  try {
    place.machine = machine_of(*hardware.accelerator, hardware.node_gb_per_s);
    remarks.push_back(words_on_rates(hardware.cluster, hardware.known));
  } catch (const Error& error) {
    hardware.why_no_machine = error.what();
    remarks.push_back("no time: " + hardware.why_no_machine);
  }
  return place;
}

SetupOfPoint setup_of_typed(const Point& point, Generation generation, std::int64_t gpus_per_node) {
  try {
    return {typed_setup(point, generation, gpus_per_node), "", {}, {}};
  } catch (const Error& error) {
    return {{}, reason_of(error), {}, {}};
  }
}

class Points {
 public:
  Points(const Globals& globals, const EstimateOptions& options)
      : globals_(globals), options_(options), is_typed_(are_values(options.what)) {
    SweepSource source;
    source.is_judged_later = true;
    if (is_typed_)
      source.words = sweep_of_values(options.what, options.cluster);
    else
      source.file = options.what.front();
    sweep_ = load_sweep(globals, source);
    if (is_typed_) check_axes(sweep_);
    if (!is_typed_ && !has_setups(sweep_))
      bad_input(
          "{}: only points of the probe training, or of a command with Megatron's arguments, can "
          "be estimated",
          printable(sweep_.file.string()));
    place_ = place_of(sweep_, options, remarks_);
    for (const DroppedPoint& one : sweep_.dropped)
      remarks_.push_back(fmt::format("dropped: {}: {}", printable(one.point.name), one.reason));
    for (const auto& words : remarks_) remark(globals, words);
    if (place_.hardware.accelerator) sweep_.cluster.accelerator = *place_.hardware.accelerator;
  }

  const Sweep& sweep() const { return sweep_; }

  SetupOfPoint setup_of(const Point& point) const {
    if (!is_typed_) return setup_of_point(sweep_, point);
    const Hardware& hardware = place_.hardware;
    const auto generation =
        hardware.accelerator ? generation_of(*hardware.accelerator) : Generation::kAmpere;
    return setup_of_typed(point, generation, hardware.gpus_per_node.value_or(8));
  }

  void print_one(const Point& point) const {
    const SetupOfPoint read = setup_of(point);
    if (!read.setup) bad_input("{}: {}", printable(point.name), read.why_not);
    std::vector<std::string> remarks = remarks_;
    for (const auto& words : read.assumed) {
      remarks.push_back("assumed: " + words);
      remark(globals_, remarks.back());
    }
    if (!read.strangers.empty())
      remark(globals_, "not known, and left out of all figures: " + join(read.strangers, " "));
    if (options_.checkpoints) return print_checkpoints({{point.name, *read.setup}}, options_);
    if (options_.compat) return print_figures_of_tool(*read.setup, options_);
    print_estimate({*read.setup, point.name, remarks, read.strangers, {}}, place_.hardware,
                   options_);
  }

  void print_all() const {
    if (options_.compat) bad_input("estimate --compat is of one layout: name one");
    if (options_.checkpoints) return print_all_checkpoints();
    std::vector<PointJudgement> all;
    for (const Point& point : sweep_.points) {
      const SetupOfPoint read = setup_of(point);
      PointJudgement said;
      said.why = read.why_not;
      if (read.setup)
        said = judge_setup(*read.setup, place_.machine, memory_gib(), place_.hardware.known);
      if (!read.strangers.empty()) {
        said.fits.reset();
        said.why += "; not known, and left out: " + join(read.strangers, " ");
      }
      said.id = point.name;
      all.push_back(std::move(said));
    }
    print_judgements(all, axes_of(sweep_.points), remarks_, options_);
  }

 private:
  std::optional<double> memory_gib() const {
    const auto& accelerator = place_.hardware.accelerator;
    return accelerator ? accelerator->memory_gib : std::nullopt;
  }

  void print_all_checkpoints() const {
    NamedSetups layouts;
    for (const Point& point : sweep_.points) {
      const SetupOfPoint read = setup_of(point);
      if (read.setup)
        layouts.emplace_back(point.name, *read.setup);
      else
        remark(globals_, fmt::format("{}: {}", printable(point.name), read.why_not));
    }
    print_checkpoints(layouts, options_);
  }

  const Globals& globals_;
  const EstimateOptions& options_;
  bool is_typed_;
  Sweep sweep_;
  Place place_;
  std::vector<std::string> remarks_;  ///< of all its points
};

const Point& point_named(const Sweep& sweep, const std::string& name) {
  std::vector<std::string> names;
  for (const Point& point : sweep.points) {
    if (point.name == name) return point;
    names.push_back(point.name);
  }
  bad_input("{}: no point is named '{}'{}", printable(sweep.file.string()), printable(name),
            did_you_mean(name, names));
}

}  // namespace

ExitCode estimate_sweep(const Globals& globals, const EstimateOptions& options) {
  const bool is_typed = are_values(options.what);
  if (!is_typed && options.what.size() > 2)
    bad_input("estimate takes one SWEEP.yaml and one of its points");
  if (!is_typed && (!options.cluster.empty() || options.gpus_per_node))
    bad_input("estimate: the sweep file names its cluster, with the GPUs of a node");
  const Points points(globals, options);
  if (!is_typed && options.what.size() == 2)
    points.print_one(point_named(points.sweep(), options.what.back()));
  else if (points.sweep().points.size() == 1)
    points.print_one(points.sweep().points.front());
  else
    points.print_all();
  return ExitCode::kDone;
}

}  // namespace pippin
