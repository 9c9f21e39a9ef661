// SPDX-License-Identifier: Apache-2.0
#include "slurm/answers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "slurm/ask.h"

namespace pippin::slurm {

const char* const kQueueFormat = "%j\x1f%i\x1f%T\x1f%r\x1f%S\x1f%e\x1f%N\x1f%u\x1f%x\x1f%o";
const char* const kAccountingFormat = "JobName,JobID,State,Reason,Start,End,NodeList,User,ExitCode";
const char* const kSubmitLineFormat =
    "SubmitLine,JobID,State,Reason,Start,End,NodeList,User,ExitCode";

namespace {

constexpr std::size_t kQueueFields = 10, kAccountingFields = 9;
// Source: slurm.conf(5), MaxArraySize: "may not exceed 4000001".
constexpr std::int64_t kMostTasks = 4'000'000;

std::optional<std::int64_t> time_of(std::string_view text) {
  const auto time = parse_integer(text);
  return time && *time > 0 && is_time(*time) ? time : std::nullopt;  // N/A, Unknown, None
}

/// "4711_[3-5%2]" → "4711_[3-5]"
std::string without_throttle(std::string_view id) {
  const auto percent = id.find('%');
  return percent == std::string_view::npos ? std::string(id)
                                           : std::string(id.substr(0, percent)) + "]";
}

/// The fields that both have.
Entry entry_of(const std::vector<std::string_view>& fields) {
  Entry entry;
  entry.name = fields[0];
  entry.id = without_throttle(fields[1]);
  entry.array_id = split(fields[1], '_').front();
  entry.tasks = tasks_of(fields[1]);
  entry.state = split(fields[2], ' ').front();  // "CANCELLED by 0"
  entry.reason = fields[3];
  entry.start = time_of(fields[4]);
  entry.end = time_of(fields[5]);
  entry.nodes = fields[6];
  entry.user = fields[7];
  return entry;
}

Entry queued(const std::vector<std::string_view>& fields) {
  Entry entry = entry_of(fields);
  if (fields[8] != "(null)") entry.excluded = fields[8];
  entry.script = fields[9];
  return entry;
}

Entry accounted(const std::vector<std::string_view>& fields) {
  Entry entry = entry_of(fields);
  entry.exit_code = fields[8];
  entry.is_forgotten = fields[2] == "CANCELLED";
  return entry;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

/// A line without a separator is a site's banner, or goes on with what a job was submitted as,
/// unless it speaks of an error.
std::vector<Entry> read(std::string_view output, const char* program, std::size_t fields_each,
                        Entry (*entry_of_fields)(const std::vector<std::string_view>&)) {
  std::vector<Entry> entries;
  for (std::string_view line : split(output, '\n')) {
    const auto fields = split(line, kSeparator);
    const bool is_error =
        contains(line, "error") && (entries.empty() || begins_with(line, "slurm") ||
                                    begins_with(line, std::string(program) + ": "));
    if (fields.size() == 1 && !is_error) continue;
    if (fields.size() != fields_each)
      machine_failed("{}: an answer that pippin cannot read: '{}'", program, printable(line));
    entries.push_back(entry_of_fields(fields));
  }
  return entries;
}

/// "3-5", "3-9:2" or "7", added to `tasks`; false where it is neither.
bool add_range(std::string_view range, std::vector<TaskRange>& tasks) {
  const auto parts = split(range, ':');
  const auto ends = split(parts.front(), '-');
  const auto first = parse_integer(ends.front()), last = parse_integer(ends.back());
  const auto step = parts.size() > 1 ? parse_integer(parts[1]) : std::optional<std::int64_t>(1);
  if (!first || !last || !step || *step < 1 || ends.size() > 2) return false;
  if (*first < 0 || *last > kMostTasks || *step > kMostTasks) return false;
  tasks.push_back({*first, *last, *step});
  return true;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_nodes(const Entry& entry) {
  return !entry.nodes.empty() && entry.nodes != "None assigned";
}

End end_of(const Entry& entry) {
  if (entry.state == "COMPLETED") return End::kCompleted;
  // It never began: it could not have ended before its deadline.
  if (entry.state == "DEADLINE" && !has_nodes(entry)) return End::kInfrastructure;
  if (is_one_of(entry.state, {"TIMEOUT", "DEADLINE", "OUT_OF_MEMORY"})) return End::kLimit;
  if (is_one_of(entry.state, {"NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REQUEUED"}))
    return End::kInfrastructure;
  if (begins_with(entry.state, "CANCELLED"))
    return entry.is_forgotten ? End::kInfrastructure : End::kUser;
  // It never began, as its folder for output was not there, or a signal ended the script itself:
  // squeue calls both a launch failure, since 23.02 "RaisedSignal:9(Killed)", sacct gives the
  // signal behind the exit status (0:53, 0:9).
  const bool was_killed = entry.reason == "JobLaunchFailure" ||
                          begins_with(entry.reason, "RaisedSignal") ||
                          begins_with(entry.exit_code, "0:");
  if (entry.state == "FAILED") return was_killed ? End::kInfrastructure : End::kApplication;
  return End::kUnknown;
}

std::string evidence_of(const Entry& entry) {
  std::string text = entry.state;
  if (entry.is_forgotten) text += " by no user";
  const bool says_code = !entry.exit_code.empty() && entry.exit_code != "0:0";
  if (says_code) text += " " + entry.exit_code;
  if (!entry.reason.empty() && entry.reason != "None" && !says_code)
    text += fmt::format(" ({})", entry.reason);
  if (has_nodes(entry)) text += " on " + entry.nodes;
  return text;
}

constexpr std::pair<std::string_view, std::string_view> kRemedies[] = {
    {"DependencyNeverSatisfied", "what it waits for has failed: cancel it and submit again"},
    {"PartitionNodeLimit",
     "it asks for more or for fewer nodes than its partition gives to a job: see MinNodes and "
     "MaxNodes of 'scontrol show partition'"},
    {"PartitionTimeLimit",
     "it asks for more time than its partition gives: 'pippin update SWEEP --time …'"},
    {"PartitionDown",
     "its partition is down: until the site brings it up, or 'pippin update SWEEP "
     "--partition …'"},
    {"PartitionInactive",
     "its partition is inactive: until the site brings it up, or 'pippin update "
     "SWEEP --partition …'"},
    {"JobHeldUser", "it is held: 'scontrol release ID'"},
    {"JobHeldAdmin", "an administrator holds it: ask them"},
    {"JobHoldMaxRequeue", "it was begun and lost too often: 'scontrol release ID', or cancel it"},
    {"BadConstraints", "no node is as it asks: see constraint and gres in the cluster file"},
    {"AccountNotAllowed", "its account may not use the partition: see the cluster file"},
    {"Job's account not permitted", "its account may not use the partition: see the cluster file"},
    {"QOSNotAllowed", "its QOS may not use the partition: see the cluster file"},
    {"Job's QOS not permitted", "its QOS may not use the partition: see the cluster file"},
    {"MaxMemPerLimit",
     "it asks for more memory than its partition gives: see 'mem' in the cluster file"},
    {"InvalidAccount", "its account is not known: see the cluster file"},
    {"InvalidQOS", "its QOS is not known: see the cluster file"},
    {"ReservationDeleted",
     "its reservation was deleted: 'scontrol update jobid=ID reservation=', then 'scontrol release "
     "ID'"},
    {"Deadline", "it cannot end before its deadline: cancel it and submit again"},
};

std::string why_waiting(const Entry& entry) {
  if (entry.state == "CONFIGURING") return "nodes that get ready";
  return entry.reason == "None" ? "" : entry.reason;  // the scheduler has not looked at it yet
}

/// Words that say that no answer of the controller's was received, or none that could be read: the
/// "submission failed" behind them is sbatch's own.
bool is_silence(std::string_view errors) {
  constexpr std::array<std::string_view, 17> kWords{"authentication error",
                                                    "slurm_unpack_received_msg",
                                                    "nsane message length",
                                                    "eader lengths are longer",
                                                    "unge ",  // Munge decode failed
                                                    "contact slurm controller",
                                                    "Socket timed out",
                                                    "Zero Bytes",
                                                    "ommunication",
                                                    "onnection",
                                                    "ransmitted",
                                                    "receive failure",
                                                    "send failure",
                                                    "Broken pipe",
                                                    "timed out",
                                                    "standby mode",
                                                    "Unexpected message"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view words) { return contains(errors, words); });
}

bool is_policy(std::string_view errors) {
  return contains(errors, "Job violates accounting/QOS policy");
}

/// What it says before: "QOSMaxNodePerJobLimit"; empty where it names none.
std::string violated_limit(std::string_view errors) {
  constexpr std::string_view kBefore = "sbatch: error: ";
  for (std::string_view line : split(errors, '\n')) {
    if (!begins_with(line, kBefore)) continue;
    const std::string_view name = trim(line.substr(kBefore.size()));
    const bool is_name = name.find(' ') == std::string_view::npos;
    if (is_name && (contains(name, "Limit") || contains(name, "MaxSubmitJobs")))
      return std::string(name);
  }
  return {};
}

/// Limits that other jobs' ends make room under. A limit of another kind is there for good: its QOS
/// denies at once what could never run.
bool is_full(std::string_view errors) {
  constexpr std::array<std::string_view, 9> kWords{"Resource temporarily unavailable",
                                                   "a configuration source",  // is not found
                                                   "temporarily unable to accept job",
                                                   "JobCount",
                                                   "submissions disabled",
                                                   "Unable to create job record",
                                                   "Rate limit exceeded",
                                                   "I/O error writing script",
                                                   "(inactive or drain)"};  // a partition
  if (is_policy(errors)) {
    const std::string limit = violated_limit(errors);
    return limit.empty() || contains(limit, "SubmitJob");
  }
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view words) { return contains(errors, words); });
}

}  // namespace

std::vector<Entry> read_queue(std::string_view output) {
  return read(output, "squeue", kQueueFields, queued);
}

std::vector<Entry> read_accounting(std::string_view output) {
  return read(output, "sacct", kAccountingFields, accounted);
}

std::vector<TaskRange> tasks_of(std::string_view id) {
  const auto mark = id.find('_');
  if (mark == std::string_view::npos)
    return parse_integer(id) ? std::vector<TaskRange>(1) : std::vector<TaskRange>();
  std::string_view list = id.substr(mark + 1);
  if (begins_with(list, "[")) list = list.substr(1, list.find(']') - 1);
  list = list.substr(0, list.find('%'));
  std::vector<TaskRange> tasks;
  for (std::string_view range : split(list, ',')) {
    if (!add_range(range, tasks)) return {};
  }
  return tasks;
}

JobStatus status_of(const Entry& entry) {
  using Phase = JobStatus::Phase;
  if (is_one_of(entry.state, {"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT",
                              "CONFIGURING", "RESV_DEL_HOLD"})) {
    const std::string remedy = remedy_of(entry.reason);
    return {Phase::kWaiting, why_waiting(entry), End::kUnknown, remedy,
            remedy.empty() ? entry.start : std::nullopt};
  }
  if (is_one_of(entry.state, {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING",
                              "RESIZING", "STAGE_OUT"})) {
    const bool suspended = is_one_of(entry.state, {"SUSPENDED", "STOPPED"});
    return {Phase::kRunning, entry.nodes, End::kUnknown, {}, entry.end, suspended};
  }
  const End end = end_of(entry);
  // What is revoked a cluster of the federation has taken over, which knows more of it.
  const bool is_known = end != End::kUnknown;
  return {is_known ? Phase::kEnded : Phase::kUnknown, evidence_of(entry), end, {}, entry.end};
}

std::string remedy_of(std::string_view reasons) {
  // An array's tasks may wait for several.
  if (const auto comma = reasons.find(','); comma != std::string_view::npos) {
    const std::string remedy = remedy_of(reasons.substr(0, comma));
    return remedy.empty() ? remedy_of(reasons.substr(comma + 1)) : remedy;
  }
  const std::string_view reason = trim(reasons);
  for (const auto& [word, remedy] : kRemedies) {
    if (begins_with(reason, word)) return std::string(remedy);
  }
  if (contains(reason, "requeued held"))
    return "its node could not begin it: 'scontrol release ID', or cancel it and submit again";
  if (contains(reason, "held state")) return "it is held: 'scontrol release ID'";
  if (contains(reason, "NotSatisfied"))
    return "it asks for less than its QOS demands: see the cluster file";
  const bool per_job = contains(reason, "PerJob") || contains(reason, "WallDuration");
  const bool is_limit = begins_with(reason, "Assoc") || begins_with(reason, "QOS");
  if (is_limit && per_job) return "it asks for more than its account or QOS gives to a job";
  const bool is_budget = contains(reason, "Minutes") || contains(reason, "GrpWall");
  if (is_limit && is_budget && !contains(reason, "RunMinutes"))
    return "the budget of time of its account or QOS is used up";
  return {};
}

namespace {

/// "4711;cluster" in the last line, behind what a site prints; empty where it is none.
std::string_view submitted_id(std::string_view output) {
  const std::string_view last = trim(split(trim(output), '\n').back());
  const std::string_view id = split(last, ';').front();
  const bool is_id = std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_id ? id : std::string_view();
}

/// All that sbatch says, as a site's own words stand before Slurm's: "no account given; Batch job
/// submission failed: Unspecified error".
std::string all_words(std::string_view errors) {
  constexpr std::size_t kMost = 600;
  std::vector<std::string> said;
  for (std::string_view line : split(errors, '\n')) {
    std::string_view words = trim(line);
    for (std::string_view front : {"sbatch: ", "error: "})
      if (begins_with(words, front)) words = trim(words.substr(front.size()));
    const std::string text = printable(words);
    if (!text.empty() && std::find(said.begin(), said.end(), text) == said.end())
      said.push_back(text);
  }
  const std::string all = join(said, "; ");
  // Slurm's own word stands last.
  return all.size() <= kMost ? all : "… " + printable(all.substr(all.size() - kMost));
}

}  // namespace

Handed read_submission(int exit_code, std::string_view output, std::string_view errors) {
  using Answer = Handed::Answer;
  const std::string_view id = submitted_id(output);
  if (exit_code == 0 && !id.empty()) return {Answer::kTaken, std::string(id)};
  const std::string words = all_words(errors);
  if (is_silence(errors)) return {Answer::kUnsure, words};
  if (is_full(errors)) return {Answer::kNoRoom, words};
  // What the controller itself has answered is sure.
  if (contains(errors, "Batch job submission failed: ")) return {Answer::kRefused, words};
  // So is what sbatch refuses before it asks anybody. Its exit status for a bad option is 255,
  // which is that of an ssh in its place, too, whose connection dies.
  constexpr int kBadOption = 255;
  const bool is_usage = contains(errors, "Try \"sbatch --help\"") ||
                        (exit_code == kBadOption && contains(errors, "sbatch: ")) ||
                        contains(errors, "cli_filter plugin terminated") ||
                        contains(errors, "sbatch: fatal: ");
  if (is_usage && output.empty()) return {Answer::kRefused, words};
  const bool says_something = !words.empty() || exit_code == 0;
  return {Answer::kUnsure, words.empty() ? fmt::format("sbatch exits {}", exit_code) : words,
          says_something};
}

std::optional<std::int64_t> count_in(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto number = parse_integer(text);
  return number && *number >= 0 && *number <= kMost ? number : std::nullopt;
}

std::string config_value(std::string_view config, std::string_view name) {
  for (std::string_view line : split(config, '\n')) {
    const auto equals = line.find('=');
    if (equals != std::string_view::npos && trim(line.substr(0, equals)) == name)
      return std::string(trim(line.substr(equals + 1)));
  }
  return {};
}

std::string name_in_submit_line(std::string_view line) {
  constexpr std::string_view kOption = "--job-name=";
  for (std::string_view word : split(line, ' '))
    if (begins_with(word, kOption)) return std::string(word.substr(kOption.size()));
  return {};
}

bool accounting_has_submit_lines(std::string_view config) {
  constexpr std::pair<std::int64_t, std::int64_t> kFirst{21, 8};
  const std::string version = config_value(config, "SLURM_VERSION");
  const auto parts = split(version, '.');  // "22.05.8"
  const auto year = parse_integer(parts[0]);
  const auto month = parts.size() > 1 ? parse_integer(parts[1]) : std::nullopt;
  return year && month && std::pair(*year, *month) >= kFirst;
}

std::int64_t credential_life_s(std::string_view config) {
  constexpr std::int64_t kMungeDefault = 300;
  const std::string info = config_value(config, "AuthInfo");
  for (std::string_view part : split(info, ',')) {
    if (begins_with(trim(part), "ttl="))
      return parse_integer(trim(part).substr(4)).value_or(kMungeDefault);
  }
  return kMungeDefault;
}

}  // namespace pippin::slurm
