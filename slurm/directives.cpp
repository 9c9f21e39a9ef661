#include "slurm/directives.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/text.h"

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

std::vector<std::string> sbatch_directives(const Cluster& cluster, const std::string& job,
                                           std::int64_t nodes, std::int64_t ranks_per_node) {
  std::vector<std::string> lines{option("job-name", job), option("nodes", std::to_string(nodes)),
                                 option("ntasks-per-node", std::to_string(ranks_per_node))};
  for (const auto& entry : cluster.scheduler_options) {
    const std::string& value = entry.second.text;
    if (lower(value) == "false") continue;
    lines.push_back(lower(value) == "true" || value.empty() ? "#SBATCH --" + entry.first
                                                            : option(entry.first, value));
  }
  return lines;
}

}  // namespace pippin
