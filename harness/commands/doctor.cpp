// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/findings.h"
#include "reports/display_text.h"
#include "slurm/cluster_text.h"

namespace pippin {

namespace {

bool is_missing(const Finding& finding) { return finding.state == Finding::State::kMissing; }

ExitCode look_around(const Globals& globals) {
  constexpr std::size_t kDefaultWidth = 100;
  const std::size_t terminal = terminal_width(STDOUT_FILENO);
  const slurm::Survey survey = slurm::survey(false);
  auto findings = machine_findings(globals.db);
  const auto cluster = slurm_findings(survey, slurm::own_place(survey.controller));
  findings.insert(findings.end(), cluster.begin(), cluster.end());
  if (const auto pbs = pbs_finding()) findings.push_back(*pbs);
  write_text(findings_text(findings, terminal > 0 ? terminal : kDefaultWidth));
  const auto missing = std::count_if(findings.begin(), findings.end(), is_missing);
  if (missing == 0) return ExitCode::kDone;
  machine_failed("sweeps on this machine need what is MISSING: {} thing{}", missing,
                 missing == 1 ? "" : "s");
}

/// What all files of a partition have in common.
slurm::ClusterFacts facts_of(const slurm::Survey& survey, const slurm::Partition& partition) {
  const slurm::OwnPlace place = slurm::own_place(survey.controller);
  std::string ignored;
  const OwnGpus gpus = own_gpus(ignored);
  slurm::ClusterFacts facts;
  facts.cluster = survey.controller.cluster;
  facts.version = survey.version;
  facts.asked_on = fmt::format("{:%F}", fmt::localtime(std::time(nullptr)));
  facts.partition = partition;
  facts.account = place.account;
  facts.accounts = place.accounts;
  facts.qos = place.qos;
  facts.pmix = slurm::own_pmix();
  facts.own_gpu = gpus.name;
  facts.own_gpu_memory_gib = gpus.memory_gib;
  return facts;
}

/// A cluster file that is to be written.
struct ClusterFile {
  fs::path path;
  slurm::Kind kind;
  std::string text;
};

/// "mine.yaml", "mine-v100-16g.yaml"
fs::path path_of(const fs::path& file, const std::string& label) {
  return file.parent_path() / (file.stem().string() + "-" + label + file.extension().string());
}

/// A file for each kind of nodes that is not left out: `file` for the first, beside it those of
/// others.
std::vector<ClusterFile> files_of(slurm::ClusterFacts facts, const std::vector<slurm::Kind>& kinds,
                                  const fs::path& file) {
  std::vector<ClusterFile> files;
  for (const auto& kind : kinds) {
    if (!kind.left_out.empty()) continue;
    facts.kind = kind;
    facts.others.clear();
    for (const auto& other : kinds) {
      if (&other != &kind) facts.others.push_back(other.words);
    }
    files.push_back({files.empty() ? file : path_of(file, kind.label), kind, cluster_text(facts)});
  }
  return files;
}

void refuse_existing(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored)))
    bad_input("{}: is there already: name another file, or remove it", printable(file.string()));
}

/// A cluster's name that is a path has a '/' or this ending.
std::string name_in_sweep(const fs::path& file) {
  const bool is_path = file.has_parent_path() || file.extension() == ".yaml";
  return printable((is_path ? file : "./" / file).string());
}

slurm::Survey survey_for_file(const DoctorOptions& options) {
  slurm::Survey survey = slurm::survey(!options.partition.empty());
  if (!survey.missing.empty()) {
    machine_failed(
        "--write-cluster asks Slurm, and {} is not on PATH: go to a machine of the cluster; for "
        "this machine 'cluster: local' needs no file",
        join(survey.missing, ", "));
  }
  if (!survey.trouble.empty())
    machine_failed("--write-cluster: Slurm cannot be asked: {}; try 'scontrol ping'",
                   survey.trouble);
  return survey;
}

void tell_of_files(const Globals& globals, const std::string& partition,
                   const std::vector<ClusterFile>& files, const std::vector<slurm::Kind>& kinds) {
  for (const auto& file : files) {
    const std::string which = kinds.size() > 1 ? ", the " + printable(file.kind.words) : "";
    remark(globals,
           fmt::format("{}: partition {}{}; look it through, then say 'cluster: {}' in a sweep",
                       printable(file.path.string()), partition, which, name_in_sweep(file.path)));
    for (const auto& other : file.kind.also) {
      remark(globals,
             fmt::format("{}: its jobs may get the {}, too: no option of sbatch tells them",
                         printable(file.path.string()), printable(other)));
    }
  }
  for (const auto& kind : kinds) {
    if (!kind.left_out.empty())
      remark(globals, fmt::format("left out: {}: {}", printable(kind.words), kind.left_out));
  }
}

ExitCode write_cluster(const Globals& globals, const DoctorOptions& options) {
  refuse_existing(options.write_cluster);
  const slurm::Survey survey = survey_for_file(options);
  const slurm::Partition partition = slurm::choose_partition(survey.partitions, options.partition);
  const auto kinds = slurm::kinds_of(survey.nodes, partition);
  if (kinds.empty())
    bad_input("partition '{}' has no nodes: name another by --partition", partition.name);
  const auto files = files_of(facts_of(survey, partition), kinds, options.write_cluster);
  for (const auto& file : files) refuse_existing(file.path);  // asking took a while
  for (const auto& file : files) disk().write(file.path, file.text);
  tell_of_files(globals, partition.name, files, kinds);
  return ExitCode::kDone;
}

}  // namespace

ExitCode doctor(const Globals& globals, const DoctorOptions& options) {
  if (!options.write_cluster.empty()) return write_cluster(globals, options);
  if (!options.partition.empty())
    bad_input("--partition says what --write-cluster FILE describes: add that");
  return look_around(globals);
}

}  // namespace pippin
