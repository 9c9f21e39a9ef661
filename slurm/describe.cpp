// SPDX-License-Identifier: Apache-2.0
#include "slurm/describe.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/host_list.h"
#include "core/base/text.h"
#include "slurm/answers.h"
#include "slurm/ask.h"
#include "sweeps/estimate/time_limit.h"

namespace pippin::slurm {

const char* const kNodesFormat = "%R\x1f%D\x1f%T\x1f%c\x1f%X\x1f%Y\x1f%Z\x1f%G\x1f%f\x1f%m\x1f%N";

namespace {

constexpr std::size_t kNodesFields = 11;

/// Slurm's words for nothing.
bool says_nothing(std::string_view text) {
  return text.empty() || text == "(null)" || text == "N/A" || text == "NONE";
}

/// "250+" of nodes that differ; 0 where it is no number.
std::int64_t count_of(std::string_view text) {
  if (text.ends_with('+')) text.remove_suffix(1);
  return count_in(text).value_or(0);
}

/// Split at commas, but for those in parentheses: "gpu:a100:4(S:0,1),nvme:1".
std::vector<std::string> resources_of(std::string_view gres) {
  std::vector<std::string> resources(1);
  int depth = 0;
  for (char c : gres) {
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      resources.emplace_back();
    } else if (depth == 0 && c != '(' && c != ')') {
      resources.back() += c;
    }
    if (c == '(') ++depth;
  }
  return resources;
}

/// "gpu:a100:4", "gpu:4", "gpu:a100", "gpu", "gpu:a100:no_consume:4".
Gpus gpus_in(const std::string& resource) {
  auto parts = split(resource, ':');
  Gpus gpus;
  if (trim(parts.front()) != "gpu") return gpus;
  const auto count = count_in(trim(parts.back()));
  if (parts.size() > 1 && count) parts.pop_back();
  gpus.count = count.value_or(1);
  if (parts.size() > 1) gpus.type = trim(parts[1]);
  return gpus;
}

/// A part of a GPU, by its MIG profile: "a100_1g.5gb".
bool is_slice(std::string_view type) {
  const auto mark = type.find("g.");
  return mark != std::string_view::npos && type.find("gb", mark) != std::string_view::npos;
}

Nodes nodes_of(const std::vector<std::string_view>& fields) {
  Nodes nodes;
  nodes.partition = fields[0];
  nodes.count = count_of(fields[1]);
  nodes.state = fields[2];
  nodes.cpus = count_of(fields[3]);
  nodes.sockets = count_of(fields[4]);
  nodes.cores = count_of(fields[5]);
  nodes.threads = count_of(fields[6]);
  nodes.gpus = gpus_of(fields[7]);
  if (!says_nothing(fields[8])) nodes.features = fields[8];
  nodes.memory_mb = count_of(fields[9]);
  nodes.names = fields[10];
  return nodes;
}

using Fields = std::map<std::string, std::string, std::less<>>;

/// The KEY=VALUE words of a line; the first of a key.
Fields fields_of(std::string_view line) {
  Fields fields;
  for (std::string_view word : split(line, ' ')) {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    fields.emplace(word.substr(0, equals), word.substr(equals + 1));
  }
  return fields;
}

std::string field(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

/// Cores and MB of a node that are kept for the system.
using Reserved = std::pair<std::int64_t, std::int64_t>;

/// The cores whose CPUs these are: "0-1,20"; a core has `threads` of them, one after the other.
std::int64_t cores_in(std::string_view cpus, std::int64_t threads) {
  constexpr std::int64_t kMostCpus = 65'535;  // of a node: Slurm counts them in 16 bits
  std::set<std::int64_t> cores;
  for (std::string_view part : split(cpus, ',')) {
    const auto ends = split(part, '-');
    const auto first = count_in(ends.front()), last = count_in(ends.back());
    if (!first || !last || *last > kMostCpus) continue;
    for (std::int64_t core = *first / threads; core <= *last / threads; ++core) cores.insert(core);
  }
  return static_cast<std::int64_t>(cores.size());
}

Reserved reserved_of(const Fields& fields) {
  const auto number = [&](std::string_view name) {
    return count_in(field(fields, name)).value_or(0);
  };
  const std::int64_t cores = number("Sockets") * number("CoresPerSocket");
  const std::int64_t threads = cores > 0 ? std::max<std::int64_t>(number("CPUTot") / cores, 1) : 1;
  const std::int64_t counted = number("CoreSpecCount");
  return {counted > 0 ? counted : cores_in(field(fields, "CPUSpecList"), threads),
          number("MemSpecLimit")};
}

using ReservedByName = std::map<std::string, Reserved>;

ReservedByName reserved_in(std::string_view output) {
  ReservedByName reserved;
  for (std::string_view line : split(output, '\n')) {
    if (!line.starts_with("NodeName=")) continue;
    const Fields fields = fields_of(line);
    const Reserved one = reserved_of(fields);
    if (one != Reserved{}) reserved[field(fields, "NodeName")] = one;
  }
  return reserved;
}

std::vector<Nodes> parts_of(const Nodes& alike, const ReservedByName& reserved) {
  std::map<Reserved, std::vector<std::string>> names_by;
  for (const auto& name : host_names(alike.names).value_or(std::vector<std::string>{})) {
    const auto found = reserved.find(name);
    names_by[found == reserved.end() ? Reserved{} : found->second].push_back(name);
  }
  if (names_by.empty()) return {alike};
  std::vector<Nodes> parts;
  for (const auto& [kept, names] : names_by) {
    parts.push_back(alike);
    Nodes& part = parts.back();
    part.count = static_cast<std::int64_t>(names.size());
    part.names = join(names, ",");
    std::tie(part.reserved_cores, part.reserved_mb) = kept;
  }
  return parts;
}

/// Empty where there is no limit, and for what is no time.
std::string time_of(const std::string& text) { return seconds_of_time(text) ? text : ""; }

/// "a,b"; none for "ALL" and what says nothing.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  if (text == "ALL" || text == "NONE" || says_nothing(text)) return names;
  for (std::string_view name : split(text, ','))
    if (!name.empty()) names.emplace_back(name);
  return names;
}

Partition partition_of(const Fields& fields) {
  Partition partition;
  partition.name = field(fields, "PartitionName");
  partition.is_default = field(fields, "Default") == "YES";
  partition.default_time = time_of(field(fields, "DefaultTime"));
  partition.max_time = time_of(field(fields, "MaxTime"));
  partition.min_nodes = count_in(field(fields, "MinNodes"));
  partition.max_nodes = count_in(field(fields, "MaxNodes"));
  partition.max_cpus_per_node = count_in(field(fields, "MaxCPUsPerNode"));
  partition.max_mb_per_node = count_in(field(fields, "MaxMemPerNode"));
  partition.max_mb_per_cpu = count_in(field(fields, "MaxMemPerCPU"));
  partition.state = field(fields, "State");
  partition.accounts = names_in(field(fields, "AllowAccounts"));
  partition.denied_accounts = names_in(field(fields, "DenyAccounts"));
  partition.qos = names_in(field(fields, "AllowQos"));
  partition.denied_qos = names_in(field(fields, "DenyQos"));
  partition.root_only = field(fields, "RootOnly") == "YES";
  return partition;
}

std::string names_of(const std::vector<Partition>& partitions) {
  std::vector<std::string> names;
  names.reserve(partitions.size());
  for (const auto& partition : partitions) names.push_back(partition.name);
  return join(names, ", ");
}

/// "300 sec"
std::optional<std::int64_t> seconds_of(std::string_view text) {
  return parse_integer(split(text, ' ').front());
}

bool is_let_in(const std::string& name, const std::vector<std::string>& allowed,
               const std::vector<std::string>& denied) {
  const auto holds = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return (allowed.empty() || holds(allowed)) && !holds(denied);
}

}  // namespace

bool Partition::may_use(const std::string& account) const {
  return is_let_in(account, accounts, denied_accounts);
}

bool Partition::takes_qos(const std::string& other) const {
  return is_let_in(other, qos, denied_qos);
}

std::string Partition::why_shut() const {
  if (!state.empty() && state != "UP") return "it is " + state + ", so that no job begins there";
  return root_only ? "only root may submit jobs to it (RootOnly)" : "";
}

bool Nodes::usable() const {
  const std::string text = lower(state);
  if (text.ends_with('*')) return false;  // it does not respond
  constexpr std::string_view kBroken[] = {"down", "drain", "fail", "error", "inval", "unknown"};
  return std::none_of(std::begin(kBroken), std::end(kBroken),
                      [&](std::string_view word) { return text.starts_with(word); });
}

Gpus gpus_of(std::string_view gres) {
  Gpus most;
  int types = 0;
  for (const auto& resource : resources_of(gres)) {
    const Gpus gpus = gpus_in(resource);
    if (gpus.count > 0) ++types;
    const bool is_whole = is_slice(most.type) && !is_slice(gpus.type);
    const bool is_part = !is_slice(most.type) && is_slice(gpus.type) && most.count > 0;
    if (gpus.count > 0 && (is_whole || (gpus.count > most.count && !is_part))) most = gpus;
  }
  most.mixed = types > 1;
  return most;
}

std::vector<Nodes> read_nodes(std::string_view output) {
  std::vector<Nodes> all;
  std::string_view banner;  // a site's
  for (std::string_view line : split(output, '\n')) {
    if (line.empty()) continue;
    const auto fields = split(line, kSeparator);
    if (fields.size() == kNodesFields)
      all.push_back(nodes_of(fields));
    else if (fields.size() == 1)
      banner = line;
    else
      machine_failed("sinfo: an answer that pippin cannot read: '{}'", printable(line));
  }
  if (all.empty() && !banner.empty())
    machine_failed("sinfo: an answer that pippin cannot read: '{}'", printable(banner));
  return all;
}

std::vector<Nodes> with_reserved(const std::vector<Nodes>& nodes, std::string_view output) {
  const ReservedByName reserved = reserved_in(output);
  std::vector<Nodes> all;
  for (const auto& alike : nodes) {
    const auto parts = parts_of(alike, reserved);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

std::vector<Partition> read_partitions(std::string_view output) {
  std::vector<Partition> partitions;
  for (std::string_view line : split(output, '\n')) {
    if (line.starts_with("PartitionName=")) partitions.push_back(partition_of(fields_of(line)));
  }
  return partitions;
}

const Partition& choose_partition(const std::vector<Partition>& partitions,
                                  const std::string& name) {
  if (partitions.empty()) bad_input("Slurm has no partition that you may use");
  if (name.empty() && partitions.size() == 1) return partitions.front();
  const auto found = std::find_if(partitions.begin(), partitions.end(), [&](const Partition& one) {
    return name.empty() ? one.is_default : one.name == name;
  });
  if (found != partitions.end()) return *found;
  if (name.empty()) {
    bad_input("Slurm has no default partition: add --partition and one of {}",
              names_of(partitions));
  }
  bad_input("--partition '{}': Slurm has no such partition; there are {}", printable(name),
            names_of(partitions));
}

Controller controller_of(std::string_view config) {
  constexpr std::string_view kClock = "Configuration data as of ";
  Controller controller;
  const std::string_view first = split(config, '\n').front();
  if (first.starts_with(kClock))
    controller.clock = parse_integer(trim(first.substr(kClock.size())));
  controller.cluster = config_value(config, "ClusterName");
  controller.version = config_value(config, "SLURM_VERSION");
  controller.has_accounting =
      config_value(config, "AccountingStorageType").find("slurmdbd") != std::string::npos;
  controller.keeps_jobs_s = seconds_of(config_value(config, "MinJobAge"));
  controller.array_size = count_in(config_value(config, "MaxArraySize"));
  controller.job_count = count_in(config_value(config, "MaxJobCount"));
  controller.credential_life_s = credential_life_s(config);
  return controller;
}

std::string pmix_of(std::string_view output) {
  std::string best;
  for (std::string_view line : split(output, '\n')) {
    for (std::string_view word : split(trim(line), ' ')) {
      while (word.ends_with(',')) word.remove_suffix(1);
      if (word == "pmix") return "pmix";
      // Versions are listed in no order that is promised.
      if (word.starts_with("pmix_v") && word > best) best = word;
    }
  }
  return best;
}

std::string version_of(std::string_view output) {
  const std::string_view line = trim(split(trim(output), '\n').front());
  return std::string(line.substr(line.rfind(' ') + 1));
}

}  // namespace pippin::slurm
