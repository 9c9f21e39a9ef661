// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/stored_setup.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/records/run.h"
#include "harness/commands/steps/command_words.h"
#include "sweeps/accelerators.h"
#include "sweeps/cluster_file.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/trainer_arguments.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

std::string text_in(const NamedValues& values, const std::string& name) {
  const Value* value = find_value(values, name);
  return value ? value->text : "";
}

/// Those of pippin's clusters are known by their names; a file that lay elsewhere is not stored.
std::optional<Cluster> cluster_of(const PointOrigin& origin, const GivenMachine& given) {
  if (origin.clusters.size() > 1 || (origin.has_logs && !origin.clusters.empty()))
    return std::nullopt;
  if (origin.clusters.empty()) return given.cluster;
  const std::string& name = origin.clusters.front();
  if (given.cluster && given.cluster->name == name) return given.cluster;
  const auto known = cluster_names();
  if (std::find(known.begin(), known.end(), name) != known.end())
    return cluster_named(name, "cluster");
  return std::nullopt;
}

/// A GPU, or why it is not known.
struct Found {
  std::optional<Accelerator> accelerator;
  std::string why_not;
};

/// That of those names which `hint` is, where there are several.
Found one_of(const std::vector<std::string>& names, const std::string& said,
             const std::optional<Accelerator>& hint) {
  if (names.size() == 1) return {find_accelerator(names.front()), ""};
  const bool fits = hint && std::find(names.begin(), names.end(), hint->name) != names.end();
  if (fits) return {hint, ""};
  return {std::nullopt, fmt::format("its GPU '{}' is {}; --accelerator says it", printable(said),
                                    names.empty() ? "not known" : join(names, " or "))};
}

/// One that a cluster's file describes, with its rates, else one of which nothing is known.
Accelerator processor_of(const std::optional<Cluster>& cluster) {
  const bool is_described = cluster && !find_accelerator(cluster->accelerator.name);
  return is_described ? cluster->accelerator : find_accelerator("cpu").value();
}

Found accelerator_of(const Point& point, const PointOrigin& origin,
                     const std::optional<Cluster>& cluster, const GivenMachine& given) {
  if (text_in(origin.arguments, "device") == "cpu") return {processor_of(cluster), ""};
  if (const std::string told = text_in(point.axes, "accelerator"); !told.empty())
    return one_of(find_accelerator(told) ? std::vector{told} : std::vector<std::string>(), told,
                  std::nullopt);
  const auto hint = cluster ? std::optional(cluster->accelerator) : given.accelerator;
  if (origin.gpu_models.size() > 1)
    return {std::nullopt, "its runs had different GPUs: " + join(origin.gpu_models, ", ")};
  if (!origin.gpu_models.empty()) {
    const std::string& model = origin.gpu_models.front();
    return one_of(accelerators_called(model), model, hint);
  }
  if (origin.accelerators.size() > 1)
    return {std::nullopt, "its runs had different GPUs: " + join(origin.accelerators, ", ")};
  // A file may describe one that the table does not have.
  if (cluster) return {hint, ""};
  if (!origin.accelerators.empty()) {
    const std::string& own = origin.accelerators.front();
    if (hint && hint->name == own) return {hint, ""};
    return one_of(find_accelerator(own) ? origin.accelerators : std::vector<std::string>(), own,
                  std::nullopt);
  }
  if (hint) return {hint, ""};
  return {std::nullopt, "its GPU is not stored; --accelerator or --cluster says it"};
}

/// A cluster that takes any number of ranks is one node.
Count gpus_per_node_of(const Point& point, const PointOrigin& origin,
                       const std::optional<Cluster>& cluster) {
  if (const auto told = parse_integer(text_in(point.axes, "gpus_per_node"))) return told;
  if (cluster && cluster->gpus_per_node > 0) return cluster->gpus_per_node;
  const Count& gpus = point.layout.gpus;
  if (gpus && (cluster || gpus == 1)) return gpus;
  if (gpus && origin.nodes) return (*gpus + *origin.nodes - 1) / *origin.nodes;
  return std::nullopt;
}

/// Why no training was measured; empty where some was.
std::string no_training(const Point& point, const PointOrigin& origin) {
  const std::string probe = text_in(origin.arguments, "probe");
  if (point.trainer == "replay" || probe == "replay")
    return "replay draws its times, and trains nothing";
  for (const char* other : {"collective", "gemm"})
    if (point.trainer == other) return fmt::format("{} trains nothing", other);
  return "";
}

/// What its command says, where it is Megatron's.
NamedValues arguments_in(const std::string& command) {
  if (command.find("--num-layers") == std::string::npos) return {};
  return arguments_of_words(megatron_words(command));
}

/// Why a point without arguments is none that is known.
std::string no_arguments(const Point& point) {
  if (point.trainer == kNotedTrainer) return "it was written down by hand";
  if (point.trainer.empty()) return "nothing says whose code it is";
  return "no arguments of Megatron's are stored of it";
}

/// A log that is read by patterns has these for arguments.
bool has_dump(const PointOrigin& origin) {
  return find_value(origin.arguments, "hidden_size") || find_value(origin.arguments, "num_layers");
}

NamedValues arguments_of(const Point& point, const PointOrigin& origin) {
  if (has_dump(origin)) return origin.arguments;
  return point.trainer == "training" ? NamedValues() : arguments_in(origin.command);
}

/// Arguments of other trainers' logs mean other things.
bool is_known_trainer(const Point& point, const PointOrigin& origin, const NamedValues& arguments) {
  if (point.trainer == "training") return true;
  return !arguments.empty() && (point.trainer.starts_with("megatron") || !origin.has_logs);
}

/// Of a command, unlike of a dump, only what is unusual is said.
ArgumentsSetup setup_of_arguments(const Point& point, const PointOrigin& origin,
                                  const NamedValues& arguments, const std::string& recompute,
                                  const Count& gpus_per_node, Generation generation) {
  const bool is_dump = has_dump(origin) || point.trainer == "training";
  return is_dump ? setup_of_dump(arguments, point, recompute, gpus_per_node, generation)
                 : setup_of_command(arguments, point, gpus_per_node, generation);
}

/// Empty where there is a machine to judge its time by.
std::string no_machine(const StoredSetup& said, const Count& gpus_per_node) {
  if (said.accelerator->peak_tflops.empty())
    return fmt::format("no peak rates of '{}' are known; a cluster's file can say them (--cluster)",
                       said.accelerator->name);
  if (!said.why_no_time.empty()) return said.why_no_time;
  if (!gpus_per_node) return "how many GPUs a node has is not known; --cluster says it";
  return "";
}

void add_machine(const GivenMachine& given, const Count& gpus_per_node, StoredSetup& said) {
  if (!said.accelerator) return;
  said.why_no_time = no_machine(said, gpus_per_node);
  if (!said.why_no_time.empty()) return;
  const auto of_cluster = said.cluster ? said.cluster->rates.node_gb_per_s : std::nullopt;
  try {
    said.machine =
        machine_of(*said.accelerator, given.node_gb_per_s ? given.node_gb_per_s : of_cluster);
  } catch (const Error& error) {
    said.why_no_time = error.what();
  }
}

/// Our `training` can be told how much it may take.
std::optional<double> limit_gib(const NamedValues& arguments) {
  const auto mib = parse_number(text_in(arguments, "memory_limit_mib"));
  return mib && *mib > 0 ? std::optional(*mib / kMibPerGib) : std::nullopt;
}

}  // namespace

StoredSetup stored_setup(const Point& point, const PointOrigin& origin,
                         const std::string& recompute, const GivenMachine& given) {
  StoredSetup said;
  said.why_not = no_training(point, origin);
  if (!said.why_not.empty()) return said;
  NamedValues arguments;
  try {
    arguments = arguments_of(point, origin);
  } catch (const Error& error) {
    said.why_not = reason_of(error);
    return said;
  }
  if (!is_known_trainer(point, origin, arguments)) {
    said.why_not = no_arguments(point);
    return said;
  }
  said.cluster = cluster_of(origin, given);
  auto [accelerator, why_no_accelerator] = accelerator_of(point, origin, said.cluster, given);
  said.accelerator = std::move(accelerator);
  const Count gpus_per_node = gpus_per_node_of(point, origin, said.cluster);
  ArgumentsSetup read =
      setup_of_arguments(point, origin, arguments, recompute, gpus_per_node,
                         said.accelerator ? generation_of(*said.accelerator) : Generation::kAmpere);
  said.setup = std::move(read.setup);
  said.why_not = std::move(read.why_not);
  said.why_no_memory = std::move(read.why_no_memory);
  said.why_no_time = said.accelerator ? std::move(read.why_no_time) : why_no_accelerator;
  said.limit_gib = limit_gib(arguments);
  if (said.setup) add_machine(given, gpus_per_node, said);
  return said;
}

}  // namespace pippin
