// SPDX-License-Identifier: Apache-2.0
#include "pbs/directives.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "pbs/answers.h"

namespace pippin {

namespace {

/// qsub reads a directive as a shell reads words: quotes keep blanks together.
std::string quoted(const std::string& name, const std::string& value) {
  if (value.find_first_of("\n\r") != std::string::npos)
    bad_input("pbs: {}: a line break cannot stand in a #PBS line", name);
  if (value.find_first_of(" \t\"'\\#;") == std::string::npos) return value;
  if (value.find('"') == std::string::npos) return '"' + value + '"';
  if (value.find('\'') == std::string::npos) return '\'' + value + '\'';
  bad_input("pbs: {}: a #PBS line cannot hold both kinds of quotes", name);
}

std::string option(const std::string& letter, const std::string& value) {
  return fmt::format("#PBS -{} {}", letter, quoted(letter, value));
}

std::string resource(const std::string& name, const std::string& value) {
  return fmt::format("#PBS -l {}", quoted(name, name + "=" + value));
}

std::string chunk_of(const Cluster& cluster, const JobWishes& job) {
  if (const Value* chunk = find_value(cluster.scheduler_options, "chunk")) return chunk->text;
  const std::string cpus = fmt::format("ncpus={}", job.ranks_per_node);
  return cluster.accelerator.name == "cpu" ? cpus
                                           : fmt::format("{}:ngpus={}", cpus, job.ranks_per_node);
}

/// What the cluster file says, but what has its line already.
void add_options(const Cluster& cluster, std::vector<std::string>& lines) {
  for (const auto& [name, value] : cluster.scheduler_options) {
    if (name == "chunk" || name == "time") continue;
    if (name.size() > 1) {
      lines.push_back(resource(name, value.text));
    } else if (lower(value.text) == "true" || value.text.empty()) {
      lines.push_back("#PBS -" + name);
    } else if (lower(value.text) != "false") {
      lines.push_back(option(name, value.text));
    }
  }
}

}  // namespace

std::vector<std::string> pbs_directives(const Cluster& cluster, const JobWishes& job) {
  std::vector<std::string> lines{
      option("N", pbs::job_name_of(job.name)), option("S", "/bin/bash"), option("j", "oe"),
      resource("select", fmt::format("{}:{}:mpiprocs={}", job.nodes, chunk_of(cluster, job),
                                     job.ranks_per_node))};
  const Value* time = find_value(cluster.scheduler_options, "time");
  if (job.time_s) {
    lines.push_back(resource("walltime", limit_text(*job.time_s)));
  } else if (time) {
    lines.push_back(resource("walltime", time->text));
  }
  if (!find_value(cluster.scheduler_options, "place"))
    lines.push_back(resource("place", "scatter"));
  add_options(cluster, lines);
  return lines;
}

}  // namespace pippin
