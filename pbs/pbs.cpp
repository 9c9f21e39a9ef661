// SPDX-License-Identifier: Apache-2.0
#include "pbs/pbs.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/user.h"
#include "core/jobs/batch.h"
#include "pbs/ask.h"
#include "pbs/limits.h"

namespace pippin {

namespace {

using pbs::Attributes;
using pbs::Entry;
using Phase = JobStatus::Phase;

constexpr std::chrono::seconds kSubmitPatience{150}, kPatience{60};
// What a qsub that is dead had sent may lie in a socket until the server reads on. By -f no process
// stays behind qsub that could send more.
constexpr std::int64_t kArrival_s = 30;
/// Of what is not over, as qselect has them.
const std::string kLiveStates = "BEHMQRSTUW";

std::int64_t now_s() { return static_cast<std::int64_t>(std::time(nullptr)); }

std::vector<std::string> qsub_command(const JobRequest& request,
                                      const std::vector<std::string>& after) {
  const bool is_array = request.tasks > 1;
  std::string log = request.log.string();
  if (is_array) log.insert(log.size() - request.log.extension().string().size(), "-^array_index^");
  std::vector<std::string> command{"qsub", "-f", "-N", pbs::job_name_of(request.token),
                                   "-o",   log,  "-v", "PIPPIN_TOKEN=" + request.token};
  const auto add = [&](const char* option, std::string value) {
    command.emplace_back(option);
    command.push_back(std::move(value));
  };
  if (is_array) {
    const bool is_limited = request.max_in_flight > 0;
    add("-J", fmt::format("1-{}{}", request.tasks,
                          is_limited ? fmt::format("%{}", request.max_in_flight) : ""));
  }
  if (request.begin) add("-a", local_text(*request.begin, "%Y%m%d%H%M.%S"));
  if (!after.empty()) add("-W", "depend=afterany:" + join(after, ":"));
  command.insert(command.end(), request.options.begin(), request.options.end());
  command.push_back(request.script.string());
  return command;
}

bool is_of(const Entry& entry, const Asked& asked) {
  return entry.token == asked.token && (asked.owner.empty() || entry.owner == asked.owner);
}

void take(const std::vector<Entry>& entries, const Asked& asked, std::vector<JobStatus>& tasks) {
  for (const auto& entry : entries) {
    if (!is_of(entry, asked) || entry.task < 1 || entry.task > asked.tasks) continue;
    const JobStatus status = pbs::status_of(entry);
    JobStatus& known = tasks[static_cast<std::size_t>(entry.task) - 1];
    if (is_more_alive(status, known) || is_absent(known)) known = status;
  }
}

/// While PBS tells of an array and not of its tasks, they are not gone.
void keep_tasks_of_arrays(const std::vector<Entry>& entries, const Asked& asked,
                          std::vector<JobStatus>& tasks) {
  const bool is_there = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.task == 0 && is_of(entry, asked) && pbs::status_of(entry).phase != Phase::kEnded;
  });
  if (!is_there) return;
  for (auto& task : tasks) {
    if (is_absent(task)) task = {Phase::kUnknown, "its array is there, it is not told of"};
  }
}

std::vector<std::string> array_ids_of(const std::vector<Entry>& entries) {
  std::set<std::string> ids;
  for (const auto& entry : entries) ids.insert(entry.array_id);
  return {ids.begin(), ids.end()};
}

/// The ids that qselect prints, each in a line. Errors: Error (machine) where it fails.
std::vector<std::string> selected(const std::vector<std::string>& command) {
  const Answer answer = pbs::ask(command, kPatience);
  if (answer.exit_code != 0) machine_failed("PBS does not answer: {}", complaint_of(answer));
  std::vector<std::string> ids;
  for (std::string_view line : split(answer.output, '\n')) {
    if (!trim(line).empty()) ids.emplace_back(trim(line));
  }
  return ids;
}

/// Each task by itself, without the arrays that they are of.
std::int64_t jobs_in(const std::vector<std::string>& ids) {
  return std::count_if(ids.begin(), ids.end(),
                       [](const std::string& id) { return id.find("[]") == std::string::npos; });
}

/// What qstat tells of jobs. It must tell of each, or say that it knows it not, or not any more
/// (one may have ended since qselect). Errors: Error (machine) where it does not.
std::vector<Entry> told_of(const std::vector<std::string>& ids, bool with_finished) {
  std::vector<std::string> command{"qstat", "-f", "-F", "json", "-t"};
  if (with_finished) command.emplace_back("-x");
  command.insert(command.end(), ids.begin(), ids.end());
  const Answer answer = pbs::ask(command, kPatience);
  const bool has_words = !trim(answer.errors).empty();
  // A site's wrapper may warn beside a whole answer.
  if (answer.gave_up ||
      (answer.exit_code != 0 && !(has_words && pbs::speaks_of_unknown_jobs_only(answer.errors))))
    machine_failed("PBS does not answer: {}", complaint_of(answer));
  const bool says_nothing = has_words && trim(answer.output).empty();
  const auto jobs =
      says_nothing ? std::map<std::string, Attributes>() : pbs::read_objects(answer.output, "Jobs");
  for (const auto& id : ids) {
    // The server's name behind the dot may be written in several ways.
    const std::string number = id.substr(0, id.find('.') + 1);
    const bool is_told = jobs.lower_bound(number) != jobs.end() &&
                         jobs.lower_bound(number)->first.starts_with(number);
    if (!is_told && answer.errors.find(number) == std::string::npos)
      machine_failed("PBS does not answer: qstat is silent about {}", id);
  }
  return pbs::entries_of(jobs);
}

/// The same of however many, in portions: a command line holds some ten thousand. Each once, though
/// its id may be written in several ways.
std::vector<Entry> told_of_all(const std::set<std::string>& ids, bool with_finished) {
  constexpr std::size_t kPortion = 1000;
  std::vector<Entry> entries;
  std::set<std::string> told;
  for (auto next = ids.begin(); next != ids.end();) {
    std::vector<std::string> portion;
    while (next != ids.end() && portion.size() < kPortion) portion.push_back(*next++);
    for (auto& entry : told_of(portion, with_finished))
      if (told.insert(entry.id).second) entries.push_back(std::move(entry));
  }
  return entries;
}

/// A queue's name and attributes, or the server's. Errors: Error (machine) where PBS does not
/// answer.
std::pair<std::string, Attributes> object_in(const Answer& answer, const std::string& kind) {
  if (answer.exit_code != 0) machine_failed("PBS does not answer: {}", complaint_of(answer));
  const auto objects = pbs::read_objects(answer.output, kind);
  if (objects.empty()) machine_failed("PBS does not answer: qstat tells of no {}", kind);
  return *objects.begin();
}

/// Nothing of a queue that is none: qsub refuses that in its own words. Errors: as object_in().
std::optional<Attributes> limits_of_queue(const std::string& queue) {
  const std::vector<std::string> command{"qstat", "-Q", "-f", "-F", "json", queue};
  const Answer answer = pbs::ask(command, kPatience);
  if (answer.exit_code != 0 && answer.errors.find("Unknown queue") != std::string::npos)
    return std::nullopt;
  return object_in(answer, "Queue").second;
}

}  // namespace

Handed PbsScheduler::submit(const JobRequest& request) {
  std::vector<std::string> after;
  if (!request.after.empty()) {
    try {
      after = array_ids_of(live(request.after));
    } catch (const Error& error) {
      return {Handed::Answer::kNoRoom, error.what()};  // nothing was handed over yet
    }
  }
  const Answer answer = pbs::ask(qsub_command(request, after), kSubmitPatience);
  if (answer.gave_up) return {Handed::Answer::kUnsure, "qsub gave no answer in time"};
  Handed handed = pbs::read_submission(answer.exit_code, answer.output, answer.errors);
  if (handed.answer == Handed::Answer::kTaken) ids_[request.token] = handed.words;
  if (handed.words.find("illegal -o value") != std::string::npos)
    handed.words += "; PBS takes paths of plain ASCII alone: move the database to such a folder";
  return handed;
}

/// Errors: Error where PBS does not answer.
std::vector<Entry> PbsScheduler::jobs_of(const std::vector<Asked>& asked, bool with_finished) {
  std::vector<std::string> select{"qselect", "-u", owners_of(asked)};
  if (with_finished) select.emplace_back("-x");
  const auto found = selected(select);
  std::set<std::string> ids(found.begin(), found.end());
  for (const auto& one : asked) {
    if (const auto known = ids_.find(one.token); known != ids_.end()) ids.insert(known->second);
    if (pbs::is_id(one.id)) ids.insert(one.id);
  }
  std::vector<Entry> entries = told_of_all(ids, with_finished);
  for (const auto& entry : entries) {
    const auto is_theirs = [&](const Asked& one) { return is_of(entry, one); };
    if (std::any_of(asked.begin(), asked.end(), is_theirs)) ids_[entry.token] = entry.array_id;
  }
  return entries;
}

std::map<std::string, std::vector<JobStatus>> PbsScheduler::query(const std::vector<Asked>& asked) {
  std::map<std::string, std::vector<JobStatus>> answers;
  try {
    const auto queue = jobs_of(asked, false);
    std::vector<Asked> missing;
    for (const auto& one : asked) {
      JobStatus absent;
      absent.phase = Phase::kAbsent;
      auto& tasks = answers[one.token];
      tasks.assign(static_cast<std::size_t>(one.tasks), absent);
      take(queue, one, tasks);
      keep_tasks_of_arrays(queue, one, tasks);
      if (std::any_of(tasks.begin(), tasks.end(), is_absent)) missing.push_back(one);
    }
    const auto history =
        !missing.empty() && keeps_history() ? jobs_of(missing, true) : std::vector<Entry>();
    for (const auto& one : missing) {
      take(history, one, answers[one.token]);
      judge_missing(one, answers[one.token]);
    }
  } catch (const Error& error) {
    for (const auto& one : asked) answers[one.token] = unknown_tasks(one, error.what());
  }
  return answers;
}

/// What to think of tasks that are neither in the queue nor in its history.
void PbsScheduler::judge_missing(const Asked& asked, std::vector<JobStatus>& tasks) {
  const bool never_handed = !asked.handed && ids_.count(asked.token) == 0 &&
                            std::all_of(tasks.begin(), tasks.end(), is_absent);
  const std::int64_t sure_from = asked.tried_until + kArrival_s;
  for (JobStatus& task : tasks) {
    if (!is_absent(task)) continue;
    if (!may_see_all(asked)) {
      task = {Phase::kUnknown, fmt::format("only {} may see it", asked.owner)};
    } else if (never_handed && now_s() < sure_from) {
      task = {Phase::kUnknown, fmt::format("it may arrive within {} s", sure_from - now_s())};
    } else if (never_handed) {
      task.evidence = "it never arrived";
    } else {
      task = {Phase::kEnded, keeps_history() ? "PBS no longer knows it"
                                             : "PBS keeps no history, and knows it no longer"};
    }
  }
}

/// Other users' jobs are hidden where the server says so; then absence says nothing.
bool PbsScheduler::may_see_all(const Asked& asked) {
  const bool is_ours = asked.owner.empty() || asked.owner == own_user() || ::getuid() == 0;
  return is_ours || lower(pbs::value_of(server(), "query_other_jobs")) == "true";
}

bool PbsScheduler::keeps_history() {
  return lower(pbs::value_of(server(), "job_history_enable")) == "true";
}

/// Asked once: it hardly ever changes. Errors: Error where PBS does not answer.
const Attributes& PbsScheduler::server() {
  if (!server_)
    server_ = object_in(pbs::ask({"qstat", "-B", "-f", "-F", "json"}, kPatience), "Server");
  return server_->second;
}

std::string PbsScheduler::place() {
  server();
  return server_->first;
}

/// While the server is silent there is no room.
Room PbsScheduler::room() {
  try {
    const std::string queue = queue_.empty() ? pbs::value_of(server(), "default_queue")
                                             : queue_.substr(0, queue_.find('@'));
    const auto limits = queue.empty() ? std::nullopt : limits_of_queue(queue);
    const auto count = [](const std::string& queue_option) {
      // Without states an array's tasks that are over are among them.
      std::vector<std::string> all{"qselect", "-T", "-u", own_user(), "-s", kLiveStates};
      if (!queue_option.empty()) all.insert(all.end(), {"-q", queue_option});
      std::vector<std::string> waiting = all;
      *std::find(waiting.begin(), waiting.end(), kLiveStates) = "Q";
      return pbs::Queued{jobs_in(selected(all)), jobs_in(selected(waiting))};
    };
    return pbs::room_of({server(), count("")},
                        {limits.value_or(Attributes()), limits ? count(queue) : pbs::Queued()},
                        own_user());
  } catch (const MissingProgram&) {
    throw;
  } catch (const Error& error) {
    return {1, 0, error.what()};
  }
}

/// What is not over of the jobs behind the tokens, each array's tasks by themselves.
std::vector<Entry> PbsScheduler::live(const std::vector<Asked>& asked) {
  std::vector<Entry> found;
  for (const auto& entry : jobs_of(asked, false)) {
    const Phase phase = pbs::status_of(entry).phase;
    const bool is_theirs = std::any_of(asked.begin(), asked.end(),
                                       [&](const Asked& one) { return is_of(entry, one); });
    if (is_theirs && (phase == Phase::kWaiting || phase == Phase::kRunning)) found.push_back(entry);
  }
  return found;
}

void PbsScheduler::cancel(const std::vector<Asked>& asked) {
  std::vector<std::string> command{"qdel"};
  for (const auto& id : array_ids_of(live(asked))) command.push_back(id);
  if (command.size() == 1) return;
  const Answer answer = pbs::ask(command, kPatience);
  const bool is_done = answer.exit_code == 0 ||
                       (!answer.errors.empty() && pbs::speaks_of_ended_jobs_only(answer.errors));
  if (!is_done) machine_failed("{}", complaint_of(answer));
}

namespace {

/// Those that can be made to the job: PBS refuses a limit of subjobs for one that is no array.
/// `changes`: in pairs, "-l" and "walltime=00:20:00".
std::vector<std::string> changes_for(const std::string& id,
                                     const std::vector<std::string>& changes) {
  std::vector<std::string> possible;
  for (std::size_t i = 0; i + 1 < changes.size(); i += 2) {
    if (changes[i + 1].starts_with("max_run_subjobs=") && id.find('[') == std::string::npos)
      continue;
    possible.insert(possible.end(), {changes[i], changes[i + 1]});
  }
  return possible;
}

}  // namespace

std::int64_t PbsScheduler::update(const std::vector<Asked>& asked,
                                  const std::vector<std::string>& changes) {
  std::map<std::string, std::int64_t> waiting;
  for (const auto& entry : live(asked)) {
    if (entry.task > 0 && pbs::status_of(entry).phase == Phase::kWaiting) ++waiting[entry.array_id];
  }
  std::int64_t changed = 0;
  for (const auto& [id, tasks] : waiting) {
    std::vector<std::string> command = changes_for(id, changes);
    if (command.empty()) continue;
    command.insert(command.begin(), "qalter");
    command.push_back(id);
    const Answer answer = pbs::ask(command, kPatience);
    if (answer.exit_code != 0) bad_input("qalter {}: {}", id, complaint_of(answer));
    changed += tasks;
  }
  return changed;
}

}  // namespace pippin
