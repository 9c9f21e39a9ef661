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
  write_text(findings_text(findings, terminal > 0 ? terminal : kDefaultWidth));
  const auto missing = std::count_if(findings.begin(), findings.end(), is_missing);
  if (missing == 0) return ExitCode::kDone;
  machine_failed("sweeps on this machine need what is MISSING: {} thing{}", missing,
                 missing == 1 ? "" : "s");
}

slurm::ClusterFacts facts_of(const slurm::Survey& survey, const slurm::Partition& partition) {
  const auto kind = slurm::kind_of(survey.nodes, partition.name);
  if (!kind) bad_input("partition '{}' has no nodes: name another by --partition", partition.name);
  const slurm::OwnPlace place = slurm::own_place(survey.controller);
  std::string ignored;
  const OwnGpus gpus = own_gpus(ignored);
  slurm::ClusterFacts facts;
  facts.cluster = survey.controller.cluster;
  facts.version = survey.version;
  facts.asked_on = fmt::format("{:%F}", fmt::localtime(std::time(nullptr)));
  facts.partition = partition;
  facts.kind = *kind;
  facts.account = place.account;
  facts.accounts = place.accounts;
  facts.qos = place.qos;
  facts.pmix = slurm::own_pmix();
  facts.own_gpu = gpus.name;
  facts.own_gpu_memory_gib = gpus.memory_gib;
  return facts;
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

ExitCode write_cluster(const Globals& globals, const DoctorOptions& options) {
  refuse_existing(options.write_cluster);
  const slurm::Survey survey = slurm::survey(!options.partition.empty());
  if (!survey.missing.empty()) {
    machine_failed(
        "--write-cluster asks Slurm, and {} is not on PATH: go to a machine of the cluster; for "
        "this machine 'cluster: local' needs no file",
        join(survey.missing, ", "));
  }
  if (!survey.trouble.empty())
    machine_failed("--write-cluster: Slurm cannot be asked: {}; try 'scontrol ping'",
                   survey.trouble);
  const slurm::Partition partition = slurm::choose_partition(survey.partitions, options.partition);
  const std::string text = slurm::cluster_text(facts_of(survey, partition));
  refuse_existing(options.write_cluster);  // asking took a while
  disk().write(options.write_cluster, text);
  const std::string name = printable(options.write_cluster.string());
  remark(globals,
         fmt::format("{}: partition {}; look it through, then say 'cluster: {}' in a sweep", name,
                     partition.name, name_in_sweep(options.write_cluster)));
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
