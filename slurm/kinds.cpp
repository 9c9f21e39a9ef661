// SPDX-License-Identifier: Apache-2.0
#include "slurm/kinds.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/base/text.h"
#include "sweeps/accelerators.h"

namespace pippin::slurm {

namespace {

using Features = std::vector<std::string>;

/// "rack3", "switch-12", "pdu-a1", "r07": each part of a machine room has its own, and none is
/// another kind of node.
bool says_where(std::string_view feature) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kLongest = 4;  // "rackB4", not "rowhammer"
  constexpr std::string_view kPlaces[] = {"rack",   "row",     "switch",  "sw",   "leaf",  "spine",
                                          "island", "chassis", "cabinet", "cell", "group", "room",
                                          "pdu",    "aisle",   "pod",     "zone", "blade"};
  const std::string text = lower(feature);
  constexpr std::string_view kLetters = "risu";  // of racks, islands, switches and heights
  if (text.size() > 1 && kLetters.find(text[0]) != std::string_view::npos &&
      text.find_first_not_of(kDigits, 1) == std::string::npos)
    return true;
  return std::any_of(std::begin(kPlaces), std::end(kPlaces), [&](std::string_view place) {
    if (!text.starts_with(place)) return false;
    const std::string rest = text.substr(place.size());
    return rest.find_first_of(kDigits) != std::string::npos &&
           (rest.find_first_not_of("0123456789-_") == std::string::npos || rest.size() <= kLongest);
  });
}

/// Those that tell kinds; one that names a device comes first.
Features features_of(const Nodes& node) {
  Features features;
  for (std::string_view feature : split(node.features, ',')) {
    if (!feature.empty() && !says_where(feature)) features.emplace_back(feature);
  }
  std::stable_partition(features.begin(), features.end(), [](const std::string& feature) {
    return !accelerators_called(feature).empty();
  });
  return features;
}

bool has_all(const Nodes& node, const Features& wanted) {
  const Features has = features_of(node);
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
    return std::find(has.begin(), has.end(), one) != has.end();
  });
}

/// Memory of nodes that are alike differs by what their firmware keeps.
bool is_like_memory(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kAlike_percent = 90;
  return std::min(a, b) * 100 >= std::max(a, b) * kAlike_percent;
}

bool is_same_kind(const Nodes& a, const Nodes& b) {
  return a.gpus == b.gpus && a.cpus == b.cpus && a.sockets == b.sockets && a.cores == b.cores &&
         a.threads == b.threads && a.reserved_cores == b.reserved_cores &&
         is_like_memory(a.memory_mb, b.memory_mb) && has_all(a, features_of(b)) &&
         has_all(b, features_of(a));
}

std::string shared_features(const Nodes& a, const Nodes& b) {
  const auto others = split(b.features, ',');
  std::vector<std::string> shared;
  for (std::string_view feature : split(a.features, ',')) {
    if (std::find(others.begin(), others.end(), feature) != others.end())
      shared.emplace_back(feature);
  }
  return join(shared, ",");
}

void take(const Nodes& nodes, std::vector<Kind>& kinds) {
  auto kind = std::find_if(kinds.begin(), kinds.end(),
                           [&](const Kind& known) { return is_same_kind(known.node, nodes); });
  if (kind == kinds.end()) {
    kinds.push_back({nodes, 0, "", "", "", {}, {}, ""});
    kind = kinds.end() - 1;
  } else {
    kind->node.count += nodes.count;
    kind->node.memory_mb = std::min(kind->node.memory_mb, nodes.memory_mb);
    kind->node.reserved_mb = std::max(kind->node.reserved_mb, nodes.reserved_mb);
    kind->node.features = shared_features(kind->node, nodes);
  }
  if (!nodes.usable()) kind->broken += nodes.count;
}

bool has_gpus(const Kind& kind) { return kind.node.gpus.count > 0; }
std::int64_t usable(const Kind& kind) { return kind.node.count - kind.broken; }

bool stands_before(const Kind& a, const Kind& b) {
  if (has_gpus(a) != has_gpus(b)) return has_gpus(a);
  return usable(a) != usable(b) ? usable(a) > usable(b) : a.node.count > b.node.count;
}

std::string memory_text(const Nodes& node) {
  constexpr std::int64_t kMbPerGb = 1000;  // as people round what slurm.conf says: 192000 is 192 GB
  return fmt::format("{} GB", (node.memory_mb + kMbPerGb / 2) / kMbPerGb);
}

/// Cores, or CPUs where Slurm knows no cores.
std::int64_t all_cores_of(const Nodes& node) {
  const std::int64_t cores = node.sockets * node.cores;
  return cores > 0 ? std::min(cores, node.cpus) : node.cpus;
}

/// Of them those that jobs may have.
std::int64_t cores_of(const Nodes& node) {
  return std::max<std::int64_t>(all_cores_of(node) - node.reserved_cores, 0);
}

/// Cores, or threads where Slurm counts them, that jobs may have.
std::int64_t cpus_of(const Nodes& node) {
  const std::int64_t cores = all_cores_of(node);
  return cores > 0 ? node.cpus * cores_of(node) / cores : 0;
}

/// That jobs may have.
std::int64_t memory_of(const Nodes& node) {
  return std::max<std::int64_t>(node.memory_mb - node.reserved_mb, 0);
}

std::string cores_text(const Nodes& node) {
  const std::string text = fmt::format("{} cores", all_cores_of(node));
  return node.reserved_cores > 0 ? fmt::format("{} ({} reserved)", text, node.reserved_cores)
                                 : text;
}

std::string looks_of(const Nodes& node) {
  std::vector<std::string> words{node.gpus.count > 0 ? gres_text(node.gpus) : "no GPUs",
                                 cores_text(node), memory_text(node)};
  for (const auto& feature : features_of(node)) words.push_back(feature);
  return join(words, ", ");
}

/// With sockets and threads, where another kind looks the same without.
std::string words_of(const Nodes& node, const std::vector<Kind>& kinds) {
  const std::string looks = looks_of(node);
  const auto alike = std::count_if(kinds.begin(), kinds.end(),
                                   [&](const Kind& kind) { return looks_of(kind.node) == looks; });
  return fmt::format("{} with {}", node.count, looks) +
         (alike > 1 ? fmt::format(", sockets × cores × threads {} × {} × {}", node.sockets,
                                  node.cores, node.threads)
                    : "");
}

/// Whether the shape of a job for `node` fits on `other`, too.
bool may_get(const Nodes& node, const Nodes& other, const Partition& partition) {
  const JobShape shape = shape_of(node, partition);
  const std::int64_t cpus = shape.one_thread ? cores_of(other) : cpus_of(other);
  const bool is_type = node.gpus.type.empty() || other.gpus.type == node.gpus.type;
  if (node.gpus.count > 0 && !is_type && !other.gpus.mixed) return false;
  return other.gpus.count >= node.gpus.count && cpus >= shape.ranks * shape.cpus_a_rank;
}

using Rivals = std::vector<const Kind*>;

Rivals with_features(const Rivals& rivals, const Features& features) {
  Rivals left;
  std::copy_if(rivals.begin(), rivals.end(), std::back_inserter(left),
               [&](const Kind* rival) { return has_all(rival->node, features); });
  return left;
}

/// As few of these as keep off as many rivals as all of them do.
Features fewest(const Features& features, const Rivals& rivals) {
  const std::size_t left = with_features(rivals, features).size();
  if (left == rivals.size()) return {};
  for (const auto& feature : features) {
    if (with_features(rivals, {feature}).size() == left) return {feature};
  }
  Features few = features;
  for (std::size_t i = few.size(); i-- > 0;) {
    Features without = few;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (with_features(rivals, without).size() == left) few = without;
  }
  return few;
}

/// What the partition gives a job on each node, MB.
std::int64_t most_memory(const Nodes& node, const Partition& partition) {
  constexpr std::int64_t kNoLimit = INT64_MAX;
  const JobShape shape = shape_of(node, partition);
  std::int64_t most = partition.max_mb_per_node.value_or(kNoLimit);
  if (partition.max_mb_per_cpu)
    most = std::min(most, *partition.max_mb_per_cpu * shape.ranks * shape.cpus_a_rank);
  return most;
}

/// Asks for memory where that keeps off nodes of other kinds; gives the kinds that it does not.
Rivals keep_off_by_memory(Kind& kind, const Rivals& rivals, const Partition& partition) {
  // Not all of it: a site may keep some for the system.
  const std::int64_t most = std::min(kind.node.memory_mb / 10 * 9, memory_of(kind.node));
  Rivals left, less;
  for (const Kind* rival : rivals)
    (memory_of(rival->node) < memory_of(kind.node) ? less : left).push_back(rival);
  if (less.empty()) return left;
  std::int64_t wanted = most;
  for (const Kind* rival : less) wanted = std::max(wanted, memory_of(rival->node) + 1);
  if (wanted > most_memory(kind.node, partition)) return rivals;
  kind.memory_mb = wanted;
  return left;
}

void tell_apart(Kind& kind, const std::vector<Kind>& kinds, const Partition& partition) {
  Rivals rivals;
  for (const auto& other : kinds) {
    if (&other != &kind && may_get(kind.node, other.node, partition)) rivals.push_back(&other);
  }
  const Features features = fewest(features_of(kind.node), rivals);
  kind.constraint = join(features, "&");
  for (const Kind* other : keep_off_by_memory(kind, with_features(rivals, features), partition))
    kind.also.push_back(other->words);
}

std::string why_left_out(const Kind& kind, const std::vector<Kind>& kinds,
                         const Partition& partition) {
  if (!has_gpus(kind) && has_gpus(kinds.front())) return "others have GPUs";
  if (usable(kind) == 0) return "all down or drained";
  if (kind.node.count < partition.min_nodes.value_or(0))
    return fmt::format("a job has at least {} nodes (MinNodes)", *partition.min_nodes);
  return "";
}

void leave_out(std::vector<Kind>& kinds, const Partition& partition) {
  constexpr std::size_t kMostFiles = 8;
  std::size_t files = 0;
  for (auto& kind : kinds) {
    kind.left_out = why_left_out(kind, kinds, partition);
    if (kind.left_out.empty() && ++files > kMostFiles)
      kind.left_out = fmt::format("more than {} kinds", kMostFiles);
  }
  if (files == 0) kinds.front().left_out.clear();
}

/// What may tell a kind in a file's name, the best first.
std::vector<std::string> names_of(const Kind& kind) {
  const Gpus& gpus = kind.node.gpus;
  std::vector<std::string> names{kind.constraint, gpus.type, fmt::format("{}gpus", gpus.count),
                                 memory_text(kind.node),
                                 fmt::format("{}cores", cores_of(kind.node))};
  for (auto& name : names) {
    std::erase(name, ' ');
    std::replace_if(
        name.begin(), name.end(),
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-'; },
        '-');
  }
  return names;
}

std::string label_of(const Kind& kind, const std::vector<Kind>& kinds) {
  for (const auto& name : names_of(kind)) {
    const bool is_shared = std::any_of(kinds.begin(), kinds.end(), [&](const Kind& other) {
      const auto names = names_of(other);
      return &other != &kind && std::find(names.begin(), names.end(), name) != names.end();
    });
    if (!name.empty() && !is_shared) return name;
  }
  return fmt::format("kind{}", &kind - kinds.data() + 1);
}

}  // namespace

std::string gres_text(const Gpus& gpus) {
  return fmt::format("gpu:{}{}", gpus.type.empty() ? "" : gpus.type + ":", gpus.count);
}

JobShape shape_of(const Nodes& node, const Partition& partition) {
  constexpr std::int64_t kMostSockets = 8;
  JobShape shape;
  if (node.gpus.count > 0) {
    shape.ranks = node.gpus.count;
  } else if (node.sockets > 1 && node.sockets <= kMostSockets) {
    shape.ranks = node.sockets;
  }
  // A site may have Slurm count cores only: then CPUs are no more than sockets × cores.
  const std::int64_t all = all_cores_of(node), cores = cores_of(node);
  const std::int64_t limit = partition.max_cpus_per_node.value_or(node.cpus);
  const std::int64_t limit_cores = node.cpus > all ? limit * all / node.cpus : limit;
  shape.one_thread = node.cpus > all && std::min(cores, limit_cores) >= shape.ranks;
  shape.cpus = shape.one_thread ? std::min(cores, limit_cores) : std::min(cpus_of(node), limit);
  shape.cpus_a_rank = std::max<std::int64_t>(shape.cpus / shape.ranks, 1);
  return shape;
}

std::vector<Kind> kinds_of(const std::vector<Nodes>& nodes, const Partition& partition) {
  std::vector<Kind> kinds;
  for (const auto& one : nodes) {
    if (one.partition == partition.name && one.count > 0) take(one, kinds);
  }
  if (kinds.empty()) return kinds;
  std::stable_sort(kinds.begin(), kinds.end(), stands_before);
  for (auto& kind : kinds) kind.words = words_of(kind.node, kinds);
  for (auto& kind : kinds) tell_apart(kind, kinds, partition);
  leave_out(kinds, partition);
  const auto files = std::count_if(kinds.begin(), kinds.end(),
                                   [](const Kind& kind) { return kind.left_out.empty(); });
  for (auto& kind : kinds) kind.label = files > 1 ? label_of(kind, kinds) : "";
  return kinds;
}

}  // namespace pippin::slurm
