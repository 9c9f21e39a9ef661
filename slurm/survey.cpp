// SPDX-License-Identifier: Apache-2.0
#include "slurm/survey.h"

#include <algorithm>
#include <ctime>
#include <set>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "slurm/ask.h"

namespace pippin::slurm {

namespace {

constexpr std::chrono::seconds kPatience{15};
const std::vector<std::string> kPrograms{"sbatch", "squeue", "scancel", "scontrol", "sinfo"};

/// The answer; nothing, with the reason in `trouble`, where there is none.
std::string answer_of(const std::vector<std::string>& command, std::string& trouble) {
  const Answer answer = ask(command, kPatience);
  if (answer.exit_code == 0) return answer.output;
  const bool is_lost = answer.errors.find("configuration source") != std::string::npos;
  trouble = is_lost ? "no slurm.conf is found" : complaint_of(answer);
  return "";
}

std::vector<std::string> with_hidden(std::vector<std::string> command, bool hidden) {
  if (hidden) command.insert(command.begin() + 1, "--all");
  return command;
}

void ask_partitions(Survey& survey, bool hidden) {
  survey.partitions = read_partitions(answer_of(
      with_hidden({"scontrol", "--oneliner", "show", "partition"}, hidden), survey.trouble));
  const std::string format = std::string("--format=") + kNodesFormat;
  const std::string nodes =
      answer_of(with_hidden({"sinfo", "--noheader", "--exact", format}, hidden), survey.trouble);
  const std::string each =
      answer_of(with_hidden({"scontrol", "--oneliner", "show", "node"}, hidden), survey.trouble);
  try {
    survey.nodes = with_reserved(read_nodes(nodes), each);
  } catch (const Error& error) {
    survey.trouble = error.what();  // one thing of many that doctor looks at
  }
}

std::string sacctmgr(const std::vector<std::string>& words, std::string& trouble) {
  std::vector<std::string> command{"sacctmgr", "--noheader", "--parsable2", "show"};
  command.insert(command.end(), words.begin(), words.end());
  return answer_of(command, trouble);
}

void take_associations(std::string_view rows, OwnPlace& place) {
  constexpr std::size_t kFields = 4;
  std::set<std::string> accounts, qos;
  for (std::string_view row : split(rows, '\n')) {
    const auto fields = split(row, '|');
    if (fields.size() != kFields) continue;
    accounts.emplace(fields[0]);
    for (std::string_view name : split(fields[2], ',')) qos.emplace(name);
  }
  qos.erase("");
  place.accounts = {accounts.begin(), accounts.end()};
  place.qos = {qos.begin(), qos.end()};
}

}  // namespace

bool Survey::has_programs() const { return missing.size() < kPrograms.size(); }

Survey survey(bool hidden) {
  Survey survey;
  std::copy_if(kPrograms.begin(), kPrograms.end(), std::back_inserter(survey.missing),
               [](const std::string& program) { return find_program(program).empty(); });
  if (!survey.missing.empty()) return survey;
  const std::string config = answer_of({"scontrol", "show", "config"}, survey.trouble);
  const std::time_t now = std::time(nullptr);
  if (!survey.trouble.empty()) return survey;
  survey.controller = controller_of(config);
  if (survey.controller.clock)
    survey.clock_ahead_s = static_cast<double>(now - *survey.controller.clock);
  std::string ignored;
  survey.version = version_of(answer_of({"sinfo", "--version"}, ignored));
  ask_partitions(survey, hidden);
  return survey;
}

OwnPlace own_place(const Controller& controller) {
  OwnPlace place;
  if (!controller.has_accounting) return place;
  if (find_program("sacctmgr").empty()) {
    place.trouble = "sacctmgr is not on PATH";
    return place;
  }
  const std::string user = own_user();
  LimitAnswers limits = ask_limits(controller.cluster, place.trouble);
  if (!place.trouble.empty()) return place;
  constexpr std::size_t kUserColumns = 4;  // a banner has none
  for (std::string_view line : split(trim(limits.users), '\n')) {
    const auto row = split(line, '|');
    const bool is_row = row.size() == kUserColumns && row[0].find(' ') == std::string_view::npos;
    if (is_row && place.account.empty()) place.account = row[0];
  }
  const std::string rows = sacctmgr({"assoc", "user=" + user, "cluster=" + controller.cluster,
                                     "format=Account,Partition,QOS,MaxSubmitJobs"},
                                    place.trouble);
  take_associations(rows, place);
  limits.associations = ask_use_of_limits();
  place.limit = submit_limit_of(limits, {user, static_cast<std::int64_t>(::getuid())});
  return place;
}

LimitAnswers ask_limits(const std::string& cluster, std::string& trouble) {
  LimitAnswers answers;
  answers.users = sacctmgr(
      {"user", own_user(), "withassoc", "where", "cluster=" + cluster, kUserFields}, trouble);
  if (!trouble.empty()) return answers;
  answers.qualities = sacctmgr({"qos", kQualityFields}, trouble);
  answers.partitions = answer_of({"scontrol", "--oneliner", "show", "partition"}, trouble);
  return answers;
}

std::string ask_use_of_limits() {
  std::string ignored;
  return answer_of({"scontrol", "show", "assoc_mgr", "users=" + own_user(), "flags=assoc,qos"},
                   ignored);
}

std::string own_pmix() {
  if (find_program("srun").empty()) return "";
  const Answer answer = ask({"srun", "--mpi=list"}, kPatience);
  return pmix_of(answer.output + "\n" + answer.errors);  // which of them depends on the version
}

}  // namespace pippin::slurm
