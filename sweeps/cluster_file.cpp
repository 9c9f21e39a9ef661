// SPDX-License-Identifier: Apache-2.0
#include "sweeps/cluster_file.h"

#include <algorithm>
#include <cmath>

#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "sweeps/accelerators.h"
#include "sweeps/cluster_rates.h"
#include "sweeps/embedded.h"
#include "sweeps/environment.h"
#include "sweeps/estimate/time_limit.h"
#include "sweeps/keys.h"
#include "sweeps/scheduler_options.h"

namespace pippin {

namespace {

constexpr std::int64_t kMostNodes = 1'000'000;
constexpr std::int64_t kMostGpusPerNode = 1'000;
constexpr std::string_view kFolder = "clusters/", kYaml = ".yaml";

std::string read_scheduler(const YamlNode& root) {
  const YamlNode* node = root.find("scheduler");
  if (!node) return "local";
  const std::vector<std::string> known{"local", "slurm", "pbs"};
  const std::string& name = text_at(*node, "scheduler");
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  fail(*node, "unknown scheduler {}{}", in_quotes(name), hint(name, known));
}

Accelerator read_device(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kMap) {
    const YamlNode* name = node.find("name");
    if (!name) fail(node, "an accelerator described here needs a name");
    return read_accelerator(text_at(*name, "name"), node);
  }
  return accelerator_named(node);
}

/// A line of bash with the placeholders of a launch.
std::string read_line(const YamlNode& node, const std::string& key) {
  const std::string& line = text_at(node, key);
  std::vector<std::string> known{"ranks", "nodes", "ranks_per_node", "gpus_per_node"};
  for (auto& name : bash_names()) {
    if (name != "launch") known.push_back(std::move(name));
  }
  for (const auto& piece : placeholders(line)) {
    if (!piece.is_name || std::find(known.begin(), known.end(), piece.text) != known.end())
      continue;
    fail(node, "{} knows no {{{}}}{}", key, piece.text.substr(0, 60), hint(piece.text, known));
  }
  return line;
}

std::string read_launch(const YamlNode& root, const std::string& scheduler) {
  if (const YamlNode* node = root.find("launch")) return read_line(*node, "launch");
  if (scheduler == "slurm") return "srun";
  if (scheduler == "pbs") return "mpiexec --hostfile $PBS_NODEFILE -n {ranks}";
  return "mpirun -n {ranks}";
}

std::string read_canary(const YamlNode& root) {
  const YamlNode* node = root.find("canary");
  if (!node) return "";
  std::string canary = read_line(*node, "canary");
  if (trim(canary).empty()) fail(*node, "the canary is empty; without one, leave the key out");
  return canary;
}

void read_links(const YamlNode& root, Cluster& cluster) {
  const YamlNode* links = root.find("links");
  if (!links) return;
  expect_map(*links, "links", {"node", "cluster"});
  if (const auto* link = links->find("node")) cluster.node_link = text_at(*link, "links: node");
  if (const auto* link = links->find("cluster")) {
    cluster.cluster_link = text_at(*link, "links: cluster");
  }
}

std::optional<std::int64_t> read_files_late(const YamlNode& root, const std::string& scheduler) {
  const YamlNode* node = root.find("files_late");
  if (!node) return std::nullopt;
  if (scheduler == "local")
    fail(*node, "files_late: has no meaning with scheduler: local, whose jobs run here");
  constexpr double kLongest_s = 86400;
  const auto seconds = seconds_of_duration(text_at(*node, "files_late"));
  if (!seconds || !(*seconds >= 0) || *seconds > kLongest_s)
    fail(*node, "files_late: {} is no time from 0 to a day, such as 90 s or 5 min",
         in_quotes(node->text));
  return static_cast<std::int64_t>(std::ceil(*seconds));
}

/// A count that any scheduler but local needs.
std::int64_t read_count(const YamlNode& root, const std::string& key, std::int64_t fallback,
                        std::int64_t low, std::int64_t high, const std::string& needed_by) {
  const YamlNode* node = root.find(key);
  if (!node && needed_by != "local")
    fail(root, "a cluster with scheduler: {} needs {}", needed_by, key);
  return node ? whole_number_at(*node, key, low, high) : fallback;
}

Cluster read_cluster(const YamlNode& root) {
  expect_map(root, "a cluster",
             {"cluster", "scheduler", "nodes", "gpus_per_node", "accelerator", "links", "launch",
              "slurm", "pbs", "prolog", "env", "canary", "budget", "files_late", "rates"});
  Cluster cluster;
  const YamlNode* name = root.find("cluster");
  cluster.name = name ? text_at(*name, "cluster") : "inline";
  cluster.scheduler = read_scheduler(root);
  const bool local = cluster.scheduler == "local";
  cluster.nodes = read_count(root, "nodes", 1, 1, kMostNodes, cluster.scheduler);
  cluster.gpus_per_node =
      read_count(root, "gpus_per_node", 0, local ? 0 : 1, kMostGpusPerNode, cluster.scheduler);
  if (local && cluster.nodes > 1)
    fail(root, "scheduler: local is one machine, not {}", cluster.nodes);
  const YamlNode* accelerator = root.find("accelerator");
  if (!accelerator && !local)
    fail(root, "a cluster with scheduler: {} needs accelerator", cluster.scheduler);
  cluster.accelerator = accelerator ? read_device(*accelerator) : find_accelerator("cpu").value();
  read_links(root, cluster);
  cluster.launch = read_launch(root, cluster.scheduler);
  read_scheduler_options(root, cluster);
  if (const auto* prolog = root.find("prolog")) {
    for (const YamlNode* line : list_at(*prolog, "prolog")) {
      cluster.prolog.push_back(text_at(*line, "a line of prolog"));
    }
  }
  if (const auto* env = root.find("env")) cluster.env = read_environment(*env);
  cluster.canary = read_canary(root);
  if (const auto* budget = root.find("budget")) {
    cluster.budget_gpu_hours = positive_number_at(*budget, "budget");
  }
  cluster.files_late_s = read_files_late(root, cluster.scheduler);
  if (const auto* rates = root.find("rates")) cluster.rates = read_cluster_rates(*rates);
  return cluster;
}

}  // namespace

bool is_cluster_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(kYaml) || text.ends_with(".yml");
}

Cluster cluster_named(const std::string& name, const std::string& where) {
  return load_cluster(text_written_at(where, name), "");
}

std::vector<std::string> cluster_names() {
  std::vector<std::string> names;
  for (const auto& file : embedded_files()) {
    if (!file.name.starts_with(kFolder)) continue;
    const std::string_view stem = file.name.substr(kFolder.size());
    names.emplace_back(stem.substr(0, stem.size() - kYaml.size()));
  }
  return names;
}

namespace {

/// A cluster by its name or path: what its file says. Errors: as load_cluster.
YamlNode file_of_cluster(const YamlNode& node, const fs::path& directory) {
  const std::string& name = text_at(node, "cluster");
  if (is_cluster_path(name)) {
    const fs::path path = directory / name;
    if (!disk().exists(path) || fs::is_directory(path)) {
      fail(node, "no cluster file {}", in_quotes(path.string()));
    }
    return read_yaml(path);
  }
  const auto known = cluster_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    const std::string file = std::string(kFolder) + name + std::string(kYaml);
    return parse_yaml(embedded_text(file), "sweeps/" + file);
  }
  auto known_or_path = known;
  known_or_path.emplace_back("or a path such as ./my-cluster.yaml");
  fail(node, "unknown cluster {}{}", in_quotes(name), hint(name, known_or_path));
}

/// Maps are joined key by key; whatever else `more` says stands in place of what `base` says.
void override_with(YamlNode& base, const YamlNode& more) {
  for (std::size_t i = 0; i < more.keys.size(); ++i) {
    const auto same = std::find_if(base.keys.begin(), base.keys.end(), [&](const YamlNode& key) {
      return key.text == more.keys[i].text;
    });
    if (same == base.keys.end()) {
      base.keys.push_back(more.keys[i]);
      base.items.push_back(more.items[i]);
      continue;
    }
    YamlNode& old = base.items[static_cast<std::size_t>(same - base.keys.begin())];
    const bool both_maps =
        old.kind == YamlNode::Kind::kMap && more.items[i].kind == YamlNode::Kind::kMap;
    if (both_maps && more.keys[i].text != "accelerator") {
      override_with(old, more.items[i]);
    } else {
      old = more.items[i];
      *same = more.keys[i];
    }
  }
}

/// `{from: NAME, …}`: that cluster, and what is said beside it.
YamlNode cluster_made_from(const YamlNode& node, const YamlNode& from, const fs::path& directory) {
  YamlNode base = file_of_cluster(from, directory);
  expect_map(base, "a cluster");
  if (const YamlNode* other = base.find("from"))
    fail(*other, "a cluster that others are made from says all itself");
  YamlNode more = node;
  const auto at = std::find_if(more.keys.begin(), more.keys.end(),
                               [](const YamlNode& key) { return key.text == "from"; });
  more.items.erase(more.items.begin() + (at - more.keys.begin()));
  more.keys.erase(at);
  override_with(base, more);
  return base;
}

}  // namespace

Cluster load_cluster(const YamlNode& node, const fs::path& directory) {
  if (node.kind != YamlNode::Kind::kMap) return read_cluster(file_of_cluster(node, directory));
  const YamlNode* from = node.find("from");
  return read_cluster(from ? cluster_made_from(node, *from, directory) : node);
}

}  // namespace pippin
