// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "harness/commands/steps/findings.h"
#include "slurm/kinds.h"

namespace pippin {

namespace {

using State = Finding::State;

Finding programs_finding(const slurm::Survey& survey) {
  if (!survey.has_programs()) {
    return {
        State::kAbsent, "Slurm",
        "no programs of Slurm's here; only clusters with scheduler: slurm need them: apt install "
        "slurm-client, on a machine of the cluster"};
  }
  if (!survey.missing.empty()) {
    return {State::kNote, "Slurm",
            join(survey.missing, ", ") + " not on PATH: apt install slurm-client"};
  }
  if (survey.trouble.empty()) return {State::kHere, "Slurm", survey.version};
  return {State::kNote, "Slurm",
          "cannot be asked: " + survey.trouble +
              "; see 'scontrol ping', and SLURM_CONF where slurm.conf is in no usual place"};
}

Finding cluster_finding(const slurm::Survey& survey) {
  // Behind an answer the second may have changed, and the answer may have taken one.
  constexpr double kAgree_s = 5;
  const double off_s = std::abs(survey.clock_ahead_s);
  const std::string cluster = survey.controller.cluster;
  if (!survey.controller.clock) return {State::kHere, "cluster", cluster};
  if (off_s <= kAgree_s)
    return {State::kHere, "cluster", cluster + ", its clock agrees with this machine's"};
  return {State::kNote, "cluster",
          fmt::format("{}, its clock is {:.0f} s {} this machine's: times of runs will not fit "
                      "together; have both follow NTP",
                      cluster, off_s, survey.clock_ahead_s < 0 ? "ahead of" : "behind")};
}

Finding accounting_finding(const slurm::Controller& controller, const slurm::OwnPlace& place) {
  if (!controller.has_accounting) {
    return {State::kNote, "accounting",
            fmt::format("none: {} after its end (MinJobAge) a job is forgotten, and only the files "
                        "that it wrote tell how it ended",
                        controller.keeps_jobs_s ? fmt::format("{} s", *controller.keeps_jobs_s)
                                                : "some time")};
  }
  if (!place.trouble.empty()) {
    return {
        State::kNote, "accounting",
        fmt::format("cannot be asked: {}; until it can, nobody knows how jobs ended that have left "
                    "the queue without their files",
                    place.trouble)};
  }
  if (place.account.empty() && place.accounts.empty()) {
    return {State::kNote, "accounting",
            "it knows no account of yours; Slurm may refuse your jobs: ask an administrator"};
  }
  return {State::kHere, "accounting",
          fmt::format("yours: {}", join(place.accounts, ", ")) +
              (place.account.empty() ? "" : "; default " + place.account)};
}

std::string number_or(const std::optional<std::int64_t>& number, const char* otherwise) {
  return number ? std::to_string(*number) : otherwise;
}

Finding limits_finding(const slurm::Controller& controller, const slurm::OwnPlace& place) {
  const bool limited = !place.limit.words.empty();
  return {State::kHere, "limits",
          fmt::format("MaxArraySize {}, MaxJobCount {}; {}",
                      number_or(controller.array_size, "unknown"),
                      number_or(controller.job_count, "unknown"),
                      limited ? place.limit.words : "no limit on submitted jobs of yours")};
}

Finding credential_finding(const slurm::Controller& controller) {
  return {State::kHere, "submission",
          fmt::format("one without an answer may still arrive for {} s (ttl of AuthInfo)",
                      controller.credential_life_s)};
}

std::string gpus_text(const slurm::Nodes& node) {
  if (node.gpus.count == 0) return "no GPUs";
  return fmt::format("{} GPUs{} a node", node.gpus.count,
                     node.gpus.type.empty() ? "" : " (" + node.gpus.type + ")");
}

Finding partition_finding(const slurm::Survey& survey, const slurm::Partition& partition) {
  const std::string thing = "partition";
  const std::string name = partition.name + (partition.is_default ? " (default)" : "");
  const auto kinds = slurm::kinds_of(survey.nodes, partition);
  if (kinds.empty()) return {State::kNote, thing, name + ": no nodes"};
  const slurm::Kind& kind = kinds.front();
  std::string words =
      fmt::format("{}: {} node{}", name, kind.node.count, kind.node.count == 1 ? "" : "s");
  if (kind.broken > 0) words += fmt::format(" ({} down or drained)", kind.broken);
  words +=
      fmt::format(", {}, {}", gpus_text(kind.node),
                  partition.max_time.empty() ? "no time limit" : "up to " + partition.max_time);
  for (std::size_t i = 1; i < kinds.size(); ++i)
    words += (i == 1 ? "; others: " : "; ") + kinds[i].words;
  const std::string why_shut = partition.why_shut();
  if (!why_shut.empty()) words += "; " + why_shut;
  const bool all_broken = kind.broken == kind.node.count;
  return {all_broken || !why_shut.empty() ? State::kNote : State::kHere, thing, words};
}

}  // namespace

std::vector<Finding> slurm_findings(const slurm::Survey& survey, const slurm::OwnPlace& place) {
  std::vector<Finding> findings{programs_finding(survey)};
  if (findings.front().state != State::kHere) return findings;
  findings.push_back(cluster_finding(survey));
  findings.push_back(accounting_finding(survey.controller, place));
  findings.push_back(limits_finding(survey.controller, place));
  findings.push_back(credential_finding(survey.controller));
  for (const auto& partition : survey.partitions)
    findings.push_back(partition_finding(survey, partition));
  return findings;
}

}  // namespace pippin
