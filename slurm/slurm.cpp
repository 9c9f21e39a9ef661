// SPDX-License-Identifier: Apache-2.0
#include "slurm/slurm.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <set>
#include <thread>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/batch.h"
#include "slurm/ask.h"
#include "slurm/limits.h"
#include "slurm/lists.h"
#include "slurm/survey.h"

namespace pippin {

namespace {

using Phase = JobStatus::Phase;
using slurm::check_answer;
using slurm::Entry;
using slurm::kPatience;

// sbatch gives up by itself after 120 s where MaxJobCount is reached.
constexpr std::chrono::seconds kSubmitPatience{150};
// How long accounting may lag behind the queue: seconds, and more where its daemon restarts.
constexpr std::chrono::seconds kLag{60};
constexpr int kConfirming = 3;  ///< pauses
constexpr std::int64_t kClockSkew_s = 5;

std::int64_t now_s() { return static_cast<std::int64_t>(std::time(nullptr)); }

/// In the names of logs Slurm replaces %j and the like, unless there is a backslash: then it takes
/// those away, and leaves the rest as it is. Source: remove_path_slashes in its fname.c.
std::string without_replacements(const std::string& path) {
  const char special = path.find('\\') == std::string::npos ? '%' : '\\';
  std::string text;
  for (char c : path) text += std::string(c == special ? 2 : 1, c);
  return text;
}

/// What a job waits for. The command line goes before the script, so that it says all of it.
std::string dependency_of(bool is_array, const std::vector<std::string>& after,
                          const std::string& users) {
  std::vector<std::string> parts;
  if (!users.empty()) parts.push_back(users);
  // Twins, should there ever be any, do not overlap; an array's tasks would be twins as well.
  if (!is_array && after.empty()) parts.emplace_back("singleton");
  if (!after.empty()) parts.push_back("afterany:" + join(after, ":"));
  return join(parts, ",");
}

std::vector<std::string> sbatch_command(const JobRequest& request,
                                        const std::vector<std::string>& after,
                                        const slurm::Place& place,
                                        const std::vector<std::string>& excluded) {
  const bool is_array = request.tasks > 1;
  const std::string log = without_replacements(request.log.string());
  std::vector<std::string> command{"sbatch", "--parsable", "--job-name=" + request.token,
                                   "--output=" + log, "--open-mode=append"};
  if (is_array) {
    std::string range = fmt::format("--array=1-{}", request.tasks);
    if (request.max_in_flight > 0) range += fmt::format("%{}", request.max_in_flight);
    command.push_back(range);
  }
  if (request.begin) command.push_back("--begin=" + slurm::local_time(*request.begin));
  const std::string dependency = dependency_of(is_array, after, place.dependency);
  if (!dependency.empty()) command.push_back("--dependency=" + dependency);
  if (!excluded.empty()) {
    const std::string users = place.exclude.empty() ? "" : place.exclude + ",";
    command.push_back("--exclude=" + users + join(excluded, ","));
  }
  command.insert(command.end(), request.options.begin(), request.options.end());
  command.push_back(request.script.string());
  return command;
}

/// Accounting writes names in small letters. One that is a number was found by a machine that could
/// not look it up.
bool is_owner(const std::string& user, const Asked& asked) {
  return asked.owner.empty() || user.empty() || parse_integer(asked.owner) ||
         lower(user) == lower(asked.owner);
}

void take(const std::vector<Entry>& entries, const Asked& asked, std::vector<JobStatus>& tasks) {
  for (const auto& entry : entries) {
    if (entry.name != asked.token || !is_owner(entry.user, asked)) continue;
    if (entry.tasks.empty())
      machine_failed("an answer of Slurm's that pippin cannot read: job '{}'", printable(entry.id));
    const JobStatus status = slurm::status_of(entry);
    for (const auto& range : entry.tasks) {
      for (auto task = range.first; task <= std::min(range.last, asked.tasks); task += range.step) {
        if (task < 1) continue;
        JobStatus& known = tasks[static_cast<std::size_t>(task) - 1];
        if (is_more_alive(status, known) || is_absent(known)) known = status;
      }
    }
  }
}

/// Of a task that the queue has lost, and that was begun by its accounting.
constexpr const char* kIsAccounted = "its accounting has begun it";

void take_accounting(const std::vector<Entry>& entries, const Asked& asked,
                     std::vector<JobStatus>& tasks) {
  const auto before = tasks;
  take(entries, asked, tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const bool is_over = tasks[i].phase == Phase::kEnded,
               has_begun = !is_absent(tasks[i]) && tasks[i].phase != Phase::kWaiting;
    // What the queue has is newer; what it has lost does not run, whatever accounting thinks.
    if (!is_absent(before[i]) || !is_over) tasks[i] = before[i];
    if (is_absent(tasks[i]) && has_begun) tasks[i].evidence = kIsAccounted;
  }
}

/// All nodes of the cluster, sorted. Errors: Error where Slurm does not answer.
std::set<std::string> all_nodes() {
  const Answer answer =
      slurm::ask({"sinfo", "--noheader", "--all", "--Node", "--format=node=%N"}, kPatience);
  check_answer(answer);
  constexpr std::string_view kMark = "node=";  // a site's banner has none
  std::set<std::string> names;
  for (std::string_view line : split(answer.output, '\n'))
    if (line.starts_with(kMark)) names.emplace(trim(line.substr(kMark.size())));
  return names;
}

/// What a job is kept off: all but the nodes that it is to keep to, as sbatch's --nodelist gives it
/// every node that it names. Nothing, with why in `refusal`, where Slurm knows one of those not.
std::vector<std::string> excluded_of(const JobRequest& request, std::string& refusal) {
  std::vector<std::string> excluded = request.exclude;
  if (request.only_on.empty()) return excluded;
  auto others = all_nodes();
  for (const auto& node : request.only_on) {
    if (others.erase(node) == 0)
      refusal = fmt::format("--nodelist: Slurm has no node '{}'; 'sinfo -N' lists them", node);
  }
  excluded.insert(excluded.end(), others.begin(), others.end());
  return excluded;
}

/// What to do where nodes that jobs are kept off, or kept to, are none, or leave too few.
Handed with_remedy(Handed handed, const JobRequest& request) {
  const auto says = [&](const char* words) {
    return handed.words.find(words) != std::string::npos;
  };
  // A site may let arrays have fewer tasks than they have places: half as many are tried.
  if (request.tasks > 1 && says("Invalid job array specification"))
    handed.answer = Handed::Answer::kNoRoom;
  const bool is_node = says("Invalid node name") || says("Requested node configuration");
  if (is_node && !request.exclude.empty())
    handed.words += fmt::format(
        "; excluded are {}: 'pippin nodes --allow NODE' takes back one that is good, or has left "
        "the cluster; --exclude, with the others or '', those that it named",
        join(request.exclude, ","));
  if (is_node && !request.only_on.empty())
    handed.words += fmt::format(
        "; --nodelist keeps jobs to {}: the cluster file may ask for other nodes, by nodelist, "
        "partition or constraint",
        join(request.only_on, ","));
  return handed;
}

/// What is not over of the jobs behind the tokens.
std::vector<Entry> live(const std::vector<Entry>& entries, const std::vector<Asked>& asked) {
  std::set<std::string> tokens;
  for (const auto& one : asked) tokens.insert(one.token);
  std::vector<Entry> found;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(found), [&](const Entry& entry) {
    const Phase phase = slurm::status_of(entry).phase;
    return tokens.count(entry.name) && (phase == Phase::kWaiting || phase == Phase::kRunning);
  });
  return found;
}

/// It began before it could be changed, or is over; of an array each task is told of in a line.
bool is_too_late(const Answer& answer) {
  return answer.errors.find("no longer pending") != std::string::npos ||
         answer.errors.find("Invalid job id") != std::string::npos;
}

std::vector<std::string> array_ids_of(const std::vector<Entry>& entries) {
  std::set<std::string> ids;
  for (const auto& entry : entries) ids.insert(entry.array_id);
  return {ids.begin(), ids.end()};
}

}  // namespace

Handed SlurmScheduler::submit(const JobRequest& request) {
  std::vector<std::string> after;
  if (!request.after.empty()) {
    try {
      after = array_ids_of(live(slurm::jobs_in_queue(request.after), request.after));
    } catch (const Error& error) {
      return {Handed::Answer::kNoRoom, error.what()};  // nothing was handed over yet
    }
  }
  std::vector<std::string> excluded;
  std::string refusal;
  try {
    excluded = excluded_of(request, refusal);
  } catch (const Error& error) {
    return {Handed::Answer::kNoRoom, error.what()};
  }
  if (!refusal.empty()) return {Handed::Answer::kRefused, refusal};
  const Answer answer =
      slurm::ask(sbatch_command(request, after, place_, excluded), kSubmitPatience);
  if (answer.gave_up) return {Handed::Answer::kUnsure, "sbatch gave no answer in time"};
  return with_remedy(slurm::read_submission(answer.exit_code, answer.output, answer.errors),
                     request);
}

/// What only an earlier process has missed for long is asked for once more, some seconds later.
std::map<std::string, std::vector<JobStatus>> SlurmScheduler::query(
    const std::vector<Asked>& asked) {
  believes_earlier_ = false;
  Answers answers = query_once(asked);
  if (!believes_earlier_) return answers;
  std::this_thread::sleep_for(kConfirming * pause_);
  return query_once(asked);
}

SlurmScheduler::Answers SlurmScheduler::query_once(const std::vector<Asked>& asked) {
  Answers answers;
  try {
    auto entries = slurm::jobs_in_queue(asked);
    if (is_odd(entries, asked)) {
      std::this_thread::sleep_for(pause_);
      entries = slurm::jobs_in_queue(asked);
    }
    std::vector<Asked> missing;
    for (const auto& one : asked) {
      JobStatus absent;
      absent.phase = Phase::kAbsent;
      auto& tasks = answers[one.token];
      tasks.assign(static_cast<std::size_t>(one.tasks), absent);
      take(entries, one, tasks);
      note_queue(one, tasks);
      if (std::any_of(tasks.begin(), tasks.end(), is_absent)) missing.push_back(one);
    }
    if (!missing.empty() && has_accounting()) missing = ask_accounting(missing, answers);
    for (const auto& one : missing) judge_missing(one, answers[one.token]);
  } catch (const Error& error) {
    for (const auto& one : asked) answers[one.token] = unknown_tasks(one, error.what());
  }
  return answers;
}

/// An empty answer, and it had jobs when it was asked before, or was given them: one such is not
/// believed.
bool SlurmScheduler::is_odd(const std::vector<Entry>& entries,
                            const std::vector<Asked>& asked) const {
  return entries.empty() && std::any_of(asked.begin(), asked.end(), [&](const Asked& one) {
           return one.handed && missed_.count({one.token, 0}) == 0;
         });
}

/// What they were asked for and answered; of the others nothing is known now: there are too many
/// for one call, or accounting does not answer.
std::vector<Asked> SlurmScheduler::ask_accounting(std::vector<Asked> missing, Answers& answers) {
  constexpr std::size_t kMostNames = 1000;
  const auto leave = [&](const Asked& one, const std::string& why) {
    for (JobStatus& task : answers[one.token])
      if (is_absent(task)) task = {Phase::kUnknown, why};
  };
  for (; missing.size() > kMostNames; missing.pop_back())
    leave(missing.back(), "its accounting is asked for later");
  try {
    read_accounting_of(missing, answers);
  } catch (const Error& error) {  // what the queue has said stands
    for (const auto& one : missing) leave(one, error.what());
    return {};
  }
  return missing;
}

void SlurmScheduler::read_accounting_of(const std::vector<Asked>& missing, Answers& answers) {
  const auto named = slurm::jobs_in_accounting(missing);
  std::vector<Asked> unnamed;
  for (const auto& one : missing) {
    auto& tasks = answers[one.token];
    take_accounting(named, one, tasks);
    const bool is_missing = std::any_of(tasks.begin(), tasks.end(), is_absent);
    if (is_missing && slurm::has_id(one)) unnamed.push_back(one);
  }
  if (unnamed.empty() || !slurm::accounting_has_submit_lines(config())) return;
  const auto renamed = slurm::renamed_in_accounting(unnamed);
  for (const auto& one : unnamed) take_accounting(renamed, one, answers[one.token]);
}

/// Whether the task has not been missing for long, by this process, or by earlier ones and for some
/// seconds by this one: its accounting may lag.
bool SlurmScheduler::may_lag(const Asked& asked, std::size_t task) {
  const auto now = std::chrono::steady_clock::now();
  const auto missed = now - missed_.emplace(std::pair(asked.token, task), now).first->second;
  if (!has_accounting() || missed >= kLag) return false;
  const auto before = asked.missed_s.find(static_cast<std::int64_t>(task) + 1);
  if (before == asked.missed_s.end() || std::chrono::seconds(before->second) < kLag) return true;
  if (missed >= kConfirming * pause_) return false;
  believes_earlier_ = true;
  return true;
}

/// For how long what was not handed over surely may still arrive; 0 or less: it did not.
std::int64_t SlurmScheduler::may_arrive_for_s(const Asked& asked) {
  const std::int64_t life = slurm::credential_life_s(config()) + kClockSkew_s;
  const std::int64_t ahead = asked.tried_until - now_s();
  if (ahead <= kLongestSending_s + kClockSkew_s) return ahead + life;
  // By another clock, or by this one before it was set right: this process counts by itself.
  const auto now = std::chrono::steady_clock::now();
  const auto waited = now - ahead_.emplace(asked.token, now).first->second;
  return kLongestSending_s + life -
         std::chrono::duration_cast<std::chrono::seconds>(waited).count();
}

void SlurmScheduler::note_queue(const Asked& asked, const std::vector<JobStatus>& tasks) {
  const auto now = std::chrono::steady_clock::now();
  const bool has_array = !std::all_of(tasks.begin(), tasks.end(), is_absent);
  auto& seen = seen_[asked.token];
  seen.resize(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (is_absent(tasks[i]))
      seen[i].left_array = seen[i].left_array || (has_array && asked.handed);
    else if (tasks[i].phase == Phase::kWaiting)
      seen[i] = {now, false};
    else
      seen[i] = {};
  }
}

/// Whether somebody has cancelled a task that waited: of such a one Slurm keeps no record, but its
/// array was in the queue without it. One that had begun would be in the accounting, or, without
/// that, for MinJobAge in the queue.
bool SlurmScheduler::was_cancelled_waiting(const SeenTask& seen, const JobStatus& status) {
  if (!seen.left_array || status.evidence == kIsAccounted) return false;
  if (has_accounting()) return true;
  const std::string kept = slurm::config_value(config(), "MinJobAge");  // "300 sec"
  const auto kept_s = parse_integer(kept.substr(0, kept.find(' ')));
  return seen.waiting_at && kept_s &&
         std::chrono::steady_clock::now() - *seen.waiting_at < std::chrono::seconds(*kept_s);
}

/// What to think of tasks that are neither in the queue nor over by their accounting.
void SlurmScheduler::judge_missing(const Asked& asked, std::vector<JobStatus>& tasks) {
  const bool never_handed = !asked.handed && std::all_of(tasks.begin(), tasks.end(), is_absent);
  const std::int64_t arriving_s = never_handed ? may_arrive_for_s(asked) : 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    JobStatus& task = tasks[i];
    if (!is_absent(task)) {
      missed_.erase({asked.token, i});
    } else if (!may_see_all(asked)) {
      task = {Phase::kUnknown, fmt::format("only {} may see it", asked.owner)};
    } else if (arriving_s > 0) {
      task = {Phase::kUnknown, fmt::format("it may arrive within {} s", arriving_s)};
    } else if (never_handed) {
      task.evidence = "it never arrived";
    } else if (may_lag(asked, i)) {
      task = {Phase::kUnknown, "it has left the queue; accounting lags"};
      task.missed = true;
    } else if (was_cancelled_waiting(seen_[asked.token][i], task)) {
      task = {Phase::kEnded, "cancelled while it waited", End::kUser};
    } else {
      task = {Phase::kEnded, "Slurm no longer knows it"};
    }
  }
}

/// Other users' jobs are hidden on some clusters; then absence says nothing.
bool SlurmScheduler::may_see_all(const Asked& asked) {
  const bool is_ours = is_owner(own_user(), asked) || ::getuid() == 0;
  return is_ours || slurm::config_value(config(), "PrivateData").find("jobs") == std::string::npos;
}

bool SlurmScheduler::has_accounting() {
  const std::string type = slurm::config_value(config(), "AccountingStorageType");
  return type.find("slurmdbd") != std::string::npos;
}

/// Asked once: it hardly ever changes. Errors: Error where Slurm does not answer.
const std::string& SlurmScheduler::config() {
  if (!config_.empty()) return config_;
  const Answer answer = slurm::ask({"scontrol", "show", "config"}, kPatience);
  check_answer(answer);
  if (trim(answer.output).empty()) machine_failed("scontrol show config: an empty answer");
  config_ = answer.output;
  return config_;
}

/// The cluster's name, and where its controller is first looked for.
std::string SlurmScheduler::place() {
  std::string host = slurm::config_value(config(), "SlurmctldHost[0]");
  if (host.empty()) host = slurm::config_value(config(), "ControlMachine");  // until 18.08
  const std::string cluster = slurm::config_value(config(), "ClusterName");
  if (host.empty() || cluster.empty())
    machine_failed("scontrol show config: an answer without ClusterName and SlurmctldHost");
  return fmt::format("{} at {}:{}", cluster, host.substr(0, host.find('(')),
                     slurm::config_value(config(), "SlurmctldPort"));
}

/// Asked once: limits hardly ever change, and accounting is slow.
const slurm::LimitAnswers& SlurmScheduler::settings() {
  std::string ignored;  // who submits learns of limits, too
  if (!settings_)
    settings_ = slurm::ask_limits(slurm::config_value(config(), "ClusterName"), ignored);
  return *settings_;
}

/// What Slurm does not tell only who submits learns of.
slurm::SubmitLimit SlurmScheduler::submit_limit() {
  slurm::LimitAnswers answers = settings();
  answers.associations = slurm::ask_use_of_limits();
  return slurm::submit_limit_of(answers,
                                {own_user(), static_cast<std::int64_t>(::getuid()), place_});
}

/// While the controller is silent there is no room.
Room SlurmScheduler::room() {
  const Answer queue = slurm::ask({"squeue", "--noheader", "--all", "--array", "--states=all",
                                   "--user=" + own_user(), "--format=%T"},
                                  kPatience);
  if (!slurm::is_answer(queue)) return {1, 0, slurm::silence_of(queue)};
  const Answer all = slurm::ask({"sdiag"}, kPatience);
  const bool is_limited = has_accounting() && slurm::enforces_limits(config());
  return slurm::room_of(config(), slurm::queued_of(queue.output, all.output),
                        is_limited ? submit_limit() : slurm::SubmitLimit());
}

void SlurmScheduler::cancel(const std::vector<Asked>& asked) {
  std::vector<std::string> command{"scancel"};
  for (const auto& id : array_ids_of(live(slurm::jobs_in_queue(asked), asked)))
    command.push_back(id);
  if (command.size() == 1) return;
  const Answer answer = slurm::ask(command, kPatience);
  if (answer.exit_code != 0) machine_failed("scancel: {}", slurm::complaint_of(answer));
}

std::string SlurmScheduler::test(const std::string& script) {
  const fs::path file = temporary_folder() / fmt::format("pippin-test-{}.sh", ::getpid());
  disk().write_private(file, script);
  const Answer answer = slurm::ask({"sbatch", "--test-only", file.string()}, kPatience);
  std::error_code ignored;
  fs::remove(file, ignored);
  if (answer.exit_code != 0) bad_input("sbatch --test-only: {}", slurm::complaint_of(answer));
  return std::string(trim(answer.errors));
}

std::int64_t SlurmScheduler::update(const std::vector<Asked>& asked,
                                    const std::vector<std::string>& changes) {
  std::int64_t changed = 0;
  for (const auto& entry : live(slurm::jobs_in_queue(asked), asked)) {
    if (slurm::status_of(entry).phase != Phase::kWaiting) continue;
    std::vector<std::string> command{"scontrol", "update", "jobid=" + entry.id};
    command.insert(command.end(), changes.begin(), changes.end());
    const Answer answer = slurm::ask(command, kPatience);
    if (answer.exit_code != 0 && is_too_late(answer)) continue;
    if (answer.exit_code != 0)
      bad_input("scontrol update jobid={}: {}", entry.id, slurm::complaint_of(answer));
    for (const auto& range : entry.tasks) changed += range.count();
  }
  return changed;
}

/// Beside those that a job is kept off already.
void SlurmScheduler::exclude(const std::vector<Asked>& asked,
                             const std::vector<std::string>& nodes) {
  for (const auto& entry : live(slurm::jobs_in_queue(asked), asked)) {
    if (slurm::status_of(entry).phase != Phase::kWaiting) continue;
    const std::string before = entry.excluded.empty() ? "" : entry.excluded + ",";
    const Answer changed = slurm::ask(
        {"scontrol", "update", "jobid=" + entry.id, "excnodelist=" + before + join(nodes, ",")},
        kPatience);
    if (changed.exit_code != 0 && !is_too_late(changed))
      machine_failed("scontrol update jobid={} excnodelist: {}", entry.id,
                     slurm::complaint_of(changed));
  }
}

}  // namespace pippin
