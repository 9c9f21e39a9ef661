// SPDX-License-Identifier: Apache-2.0
#include "slurm/directives.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

/// sbatch reads a directive as a shell reads words: double quotes keep blanks together.
std::string option(const std::string& name, const std::string& value) {
  if (value.find_first_of("\n\r") != std::string::npos) {
    bad_input("slurm: {}: a line break cannot stand in an #SBATCH line", name);
  }
  if (value.find_first_of(" \t\"'\\#") == std::string::npos)
    return fmt::format("#SBATCH --{}={}", name, value);
  std::string escaped;
  for (char c : value) escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return fmt::format("#SBATCH --{}=\"{}\"", name, escaped);
}

}  // namespace

std::vector<std::string> sbatch_directives(const Cluster& cluster, const JobWishes& job) {
  std::vector<std::string> lines{option("job-name", job.name),
                                 option("nodes", std::to_string(job.nodes)),
                                 option("ntasks-per-node", std::to_string(job.ranks_per_node))};
  bool has_signal = false;
  for (const auto& entry : cluster.scheduler_options) {
    std::string value = entry.second.text;
    if (entry.first == "time" && job.time_s) value = limit_text(*job.time_s);
    has_signal = has_signal || entry.first == "signal";
    if (lower(value) == "false") continue;
    lines.push_back(value.empty() ? "#SBATCH --" + entry.first : option(entry.first, value));
  }
  if (job.time_s && !find_value(cluster.scheduler_options, "time"))
    lines.push_back(option("time", limit_text(*job.time_s)));
  // The script starts no other run when its time is nearly up.
  if (!has_signal) lines.push_back(option("signal", "B:USR1@30"));
  return lines;
}

}  // namespace pippin
