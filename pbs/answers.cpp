// SPDX-License-Identifier: Apache-2.0
#include "pbs/answers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/moderate_json.h"
#include "core/base/text.h"
#include "pbs/repaired_json.h"

namespace pippin::pbs {

namespace {

using Json = nlohmann::json;
using Phase = JobStatus::Phase;

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// An object in an object becomes "outer.inner".
Attributes flat(const Json& object) {
  Attributes attributes;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_object()) {
      attributes[name] = text_of(value);
      continue;
    }
    for (const auto& [inner, part] : value.items())
      attributes[fmt::format("{}.{}", name, inner)] = text_of(part);
  }
  return attributes;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t kCount>
bool contains_any(std::string_view text, const std::array<std::string_view, kCount>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return contains(text, part); });
}

std::optional<std::int64_t> number_of(const Attributes& attributes, const std::string& name) {
  return parse_integer(value_of(attributes, name));
}

/// An array's parent has "[]", its task "[3]"; 1 for what is no array.
std::int64_t task_of(std::string_view id) {
  const auto open = id.find('['), close = id.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return 1;
  return parse_integer(id.substr(open + 1, close - open - 1)).value_or(0);
}

/// Whether it has used up its walltime. PBS ends such a job by signals, or newer ones say so.
bool has_used_its_time(const Entry& entry) {
  const auto used = seconds_of(value_of(entry.attributes, "resources_used.walltime"));
  const auto limit = seconds_of(value_of(entry.attributes, "Resource_List.walltime"));
  return used && limit && *limit > 0 && *used >= *limit;
}

// Source: job.h of OpenPBS: substates of what is over, and JOB_EXEC_KILL_*: ncpus, vmem, mem, cput,
// walltime.
constexpr std::string_view kTerminated = "91", kFinished = "92";
constexpr std::int64_t kFirstKill = -24, kLastKill = -29, kFirstSignal = 256;
constexpr const char* kKills[] = {"it used more processors than it asked for",
                                  "it used more processors than it asked for",
                                  "out of memory: over its vmem",
                                  "out of memory: over its mem",
                                  "its cput is used up",
                                  "its walltime is used up"};

bool is_kill(std::int64_t code) { return code <= kFirstKill && code >= kLastKill; }

End end_without_code(std::string_view substate) {
  if (substate == kTerminated) return End::kUser;
  if (substate == kFinished) return End::kCompleted;
  return End::kUnknown;
}

End end_of(const Entry& entry) {
  const std::string substate = value_of(entry.attributes, "substate");
  const auto code = number_of(entry.attributes, "Exit_status");
  if (code && is_kill(*code)) return End::kLimit;
  if (has_used_its_time(entry)) return End::kLimit;
  if (substate == kTerminated) return End::kUser;
  if (!code) return end_without_code(substate);
  if (*code == 0) return End::kCompleted;
  // Below 0 PBS itself could not run it, or lost it; a signal that nobody of PBS sent is no word of
  // the script's.
  return *code < 0 || *code >= kFirstSignal ? End::kInfrastructure : End::kApplication;
}

/// What it was killed for; empty: for none.
std::string limit_in_words(const Entry& entry) {
  const auto code = number_of(entry.attributes, "Exit_status");
  if (code && is_kill(*code)) return kKills[kFirstKill - *code];
  return has_used_its_time(entry) ? kKills[kFirstKill - kLastKill] : "";
}

/// Of a job without an exit code: an array's task that never ran has none.
std::string end_in_words(const Entry& entry) {
  const std::string substate = value_of(entry.attributes, "substate");
  if (substate == kTerminated) return "it was deleted";
  if (substate == kFinished) return "it is over, without an exit code";
  return "state " + value_of(entry.attributes, "job_state");
}

/// "exit 271 (Job run at Tue … on (n1:ncpus=4) and terminated)"
std::string evidence_of(const Entry& entry) {
  const std::string code = value_of(entry.attributes, "Exit_status");
  const std::string exit = code.empty() ? end_in_words(entry) : "exit " + code;
  std::string comment = value_of(entry.attributes, "comment");
  if (trim(comment).starts_with("and ")) comment = "";  // PBS adds that to what it had said before
  const std::string limit = limit_in_words(entry);
  if (limit.empty())
    return in_short(comment.empty() ? exit : fmt::format("{} ({})", exit, comment));
  return in_short(fmt::format("{} ({}{}{})", limit, exit, comment.empty() ? "" : "; ", comment));
}

/// When it may start.
std::optional<std::int64_t> start_of(const Entry& entry) {
  const auto estimated = time_of(value_of(entry.attributes, "estimated.start_time"));
  return estimated ? estimated : time_of(value_of(entry.attributes, "Execution_Time"));
}

/// When it must end.
std::optional<std::int64_t> limit_of(const Entry& entry) {
  const auto start = time_of(value_of(entry.attributes, "stime"));
  const auto time = seconds_of(value_of(entry.attributes, "Resource_List.walltime"));
  return start && time ? std::optional(*start + *time) : std::nullopt;
}

/// Words that say that no answer of the server's was received, or none that is about the job.
bool is_silence(std::string_view errors) {
  // Whole words of PBS and of the C library, as a site's own may speak of connections, too.
  // Source: pbs_messages.c of OpenPBS.
  constexpr std::array<std::string_view, 19> kWords{
      "annot connect to",      "errno=",
      "Communication",         "Connection refused",
      "Connection reset",      "Connection timed out",
      "No route to host",      "Network is unreachable",
      "timed out waiting",     "No free connections",
      "connection table full", "Server shutting down",
      "Broken pipe",           "End of File",
      "submitting job",        "Batch protocol error",
      "System error: ",        "server internal error",
      "Premature end"};
  return contains_any(errors, kWords);
}

/// Limits that other jobs' ends make room under.
bool is_full(std::string_view errors) {
  constexpr std::array<std::string_view, 4> kWords{"Maximum number of jobs", "would exceed",
                                                   "jobs in 'Q' state", "Queue is not enabled"};
  return contains_any(errors, kWords);
}

bool may_be_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '+' ||
         c == '.';
}

}  // namespace

namespace {

Json parsed(std::string_view output) {
  Json answer = Json::parse(output, nullptr, false);
  return answer.is_discarded() ? Json::parse(repaired_json(output), nullptr, false) : answer;
}

}  // namespace

bool is_id(std::string_view id) {
  constexpr std::size_t kLongest = 300;
  return !id.empty() && id.size() <= kLongest &&
         std::isdigit(static_cast<unsigned char>(id.front())) != 0 && printable(id) == id &&
         id.find(' ') == std::string_view::npos;
}

std::map<std::string, Attributes> read_objects(std::string_view output, const std::string& kind) {
  constexpr std::size_t kMostValues = 20'000'000;  // of some hundred thousand tasks
  constexpr std::size_t kDeepest = 1100;  // a variable that is JSON stands there as such, of 1,000
  const Json answer = is_moderate_json(output, kMostValues, kDeepest) ? parsed(output) : Json();
  if (!answer.is_object() || !answer.contains("pbs_server")) {
    machine_failed("qstat: an answer that pippin cannot read: '{}'",
                   printable(trim(output).substr(0, 80)));
  }
  std::map<std::string, Attributes> objects;
  const auto found = answer.find(kind);
  if (found == answer.end() || !found->is_object()) return objects;
  for (const auto& [name, object] : found->items()) {
    if (object.is_object()) objects[name] = flat(object);
  }
  return objects;
}

std::string value_of(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? "" : found->second;
}

std::vector<Entry> entries_of(const std::map<std::string, Attributes>& jobs) {
  std::vector<Entry> entries;
  for (const auto& [id, attributes] : jobs) {
    if (!is_id(id)) continue;
    const std::string token = value_of(attributes, "Variable_List.PIPPIN_TOKEN");
    const std::string owner = value_of(attributes, "Job_Owner");
    entries.push_back({id, array_id_of(id), task_of(id),
                       token.empty() ? value_of(attributes, "Job_Name") : token,
                       owner.substr(0, owner.find('@')), attributes});
  }
  return entries;
}

JobStatus status_of(const Entry& entry) {
  const std::string state = value_of(entry.attributes, "job_state");
  if (state == "Q" || state == "H" || state == "W" || state == "T") {
    return {Phase::kWaiting, in_short(value_of(entry.attributes, "comment")), End::kUnknown,
            remedy_of(entry), start_of(entry)};
  }
  // Suspended: by somebody (S) or while somebody sits at the machine (U).
  if (state == "R" || state == "E" || state == "S" || state == "U" || state == "B") {
    return {Phase::kRunning, value_of(entry.attributes, "exec_host"),
            End::kUnknown,   {},
            limit_of(entry), state == "S" || state == "U"};
  }
  const bool is_over = state == "F" || state == "X";
  return {is_over ? Phase::kEnded : Phase::kUnknown,
          evidence_of(entry),
          is_over ? end_of(entry) : End::kUnknown,
          {},
          {}};
}

std::string remedy_of(const Entry& entry) {
  const std::string holds = value_of(entry.attributes, "Hold_Types");
  const std::string comment = value_of(entry.attributes, "comment");
  // PBS holds a job that it has begun more than 20 times.
  constexpr std::int64_t kMostStarts = 20;
  // What waits for another one's end is held by PBS itself until then.
  if (value_of(entry.attributes, "job_state") == "H" &&
      (holds != "s" || value_of(entry.attributes, "depend").empty())) {
    if (number_of(entry.attributes, "run_count").value_or(0) > kMostStarts)
      return "it was begun and lost too often: 'qrls ID', or cancel it";
    if (contains(holds, "u")) return "it is held: 'qrls ID'";
    if (contains(holds, "o") || contains(holds, "s"))
      return "an operator or PBS itself holds it: ask an administrator";
  }
  if (comment.starts_with("Can Never Run"))
    return "no node is as it asks: see pbs: in the cluster file, cancel it and submit again";
  return {};
}

std::string array_id_of(std::string_view id) {
  const auto open = id.find('['), close = id.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos) return std::string(id);
  return fmt::format("{}[]{}", id.substr(0, open), id.substr(close + 1));
}

std::optional<std::int64_t> seconds_of(std::string_view time) {
  constexpr std::int64_t kSixty = 60, kMost = 1'000'000'000;
  constexpr std::size_t kMostParts = 3;
  const auto parts = split(time, ':');
  std::int64_t sum = 0;
  for (std::string_view part : parts) {
    const auto number = parse_integer(part);
    if (!number || *number < 0 || *number > kMost || parts.size() > kMostParts) return std::nullopt;
    sum = sum * kSixty + *number;
  }
  return sum;
}

std::optional<std::int64_t> time_of(std::string_view text) {
  constexpr std::int64_t kLatest = 1'000'000'000'000;  // the year 33658
  if (const auto seconds = parse_integer(text))
    return *seconds >= 0 && *seconds <= kLatest ? seconds : std::nullopt;
  struct tm parts = {};
  const std::string copy(text);
  const char* end = ::strptime(copy.c_str(), "%a %b %d %H:%M:%S %Y", &parts);
  if (!end || *end != '\0') return std::nullopt;
  return static_cast<std::int64_t>(::timegm(&parts));
}

namespace {

/// The first line of qsub's own, as how to call it comes behind that; else the first of any.
std::string_view reason_in(std::string_view errors) {
  const auto lines = split(trim(errors), '\n');
  const auto own = std::find_if(lines.begin(), lines.end(),
                                [](std::string_view line) { return line.starts_with("qsub: "); });
  return own == lines.end() ? lines.front() : *own;
}

}  // namespace

Handed read_submission(int exit_code, std::string_view output, std::string_view errors) {
  using Answer = Handed::Answer;
  const std::string_view id = trim(output);
  const auto dot = id.find('.');
  if (exit_code == 0 && dot != std::string_view::npos && is_id(id))
    return {Answer::kTaken, std::string(id)};
  const std::string words = in_short(reason_in(errors));
  if (exit_code == 0 || words.empty())
    return {Answer::kUnsure, words.empty() ? fmt::format("qsub exits {}", exit_code) : words,
            exit_code == 0};
  if (is_silence(errors)) return {Answer::kUnsure, words};
  if (is_full(errors)) return {Answer::kNoRoom, words};
  // What it says itself is the server's answer, or what it refuses before it asks.
  const bool is_said = contains(errors, "qsub: ") || contains(errors, "usage: qsub");
  if (is_said && id.empty()) return {Answer::kRefused, words};
  return {Answer::kUnsure, words, true};
}

namespace {

bool speaks_only_of(std::string_view errors, std::initializer_list<std::string_view> words) {
  const auto lines = split(trim(errors), '\n');
  return std::all_of(lines.begin(), lines.end(), [&](std::string_view line) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return contains(line, word); });
  });
}

constexpr std::string_view kUnknownJob = "Unknown Job Id", kFinishedJob = "has finished",
                           kFinishedTask = "Request invalid for finished array subjob",
                           kEndingJob = "Request invalid for state of job";

}  // namespace

bool speaks_of_unknown_jobs_only(std::string_view errors) {
  return speaks_only_of(errors, {kUnknownJob, kFinishedJob, kFinishedTask});
}

bool speaks_of_ended_jobs_only(std::string_view errors) {
  return speaks_only_of(errors, {kUnknownJob, kFinishedJob, kFinishedTask, kEndingJob});
}

std::string job_name_of(std::string_view token) {
  // Source: PBS_MAXJOBNAME of pbs_ifl.h, and check_job_name().
  constexpr std::size_t kLongest = 230;
  std::string name(token);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !may_be_in_name(c); }, '_');
  const bool begins_well =
      !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  if (!begins_well) name.insert(0, "p-");
  return name.substr(0, kLongest);
}

}  // namespace pippin::pbs
