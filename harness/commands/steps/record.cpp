// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/record.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/records/fields.h"
#include "harness/commands/steps/attempt_logs.h"
#include "harness/commands/steps/known_runs.h"
#include "harness/scrape/canary.h"
#include "harness/scrape/last_words.h"
#include "harness/scrape/nearest_lines.h"
#include "harness/scrape/probe_endings.h"
#include "harness/scrape/scraped_file.h"
#include "sweeps/estimate/megatron_work.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/probes.h"

namespace pippin {

namespace {

/// From where on the loss is no number, when `next` has gone on with `run`.
Count nan_from_of(const LogRun& run, const LogRun& next) {
  if (next.iterations.empty()) return run.nan_from;
  const bool from_its_first = next.nan_from == next.iterations.front().number;
  return from_its_first && run.nan_from ? run.nan_from : next.nan_from;
}

/// All launches of one log as one run: a trainer that restarts itself goes on with the same run.
/// What a probe has measured beside a trainer is not the run's.
std::optional<LogRun> joined(std::vector<LogRun> launches) {
  if (launches.empty()) return std::nullopt;
  std::erase_if(launches, [format = launches.front().format](const LogRun& launch) {
    return launch.format != format;
  });
  LogRun run = std::move(launches.front());
  for (std::size_t i = 1; i < launches.size(); ++i) {
    for (const auto& line : launches[i].iterations) run.iterations.push_back(line);
    run.planned_iterations = std::max(run.planned_iterations, launches[i].planned_iterations);
    run.nan_from = nan_from_of(run, launches[i]);
    if (!launches[i].memory.empty()) run.memory = std::move(launches[i].memory);
    run.end = launches[i].end;
    run.evidence = launches[i].evidence;
  }
  return run;
}

/// "exit 127: nosuch: command not found". What a probe of ours has said goes before what its
/// launcher says of it.
std::string words_of_exit(const std::string& trainer, int exit_code, std::string_view log) {
  std::string words = find_probe(trainer) ? words_of_probe(trainer, log) : "";
  if (words.empty()) words = last_words(log, exit_code);
  return words.empty() ? exit_text(exit_code) : fmt::format("{}: {}", exit_text(exit_code), words);
}

/// How a run that left an exit code ended: a probe of ours says it by both, else the log says it
/// best, or the exit code, which need not be the trainer's.
/// `problem`: why what it printed of steps is none; may be empty.
void judge(RunRecord& record, const std::string& trainer, int exit_code, std::string_view log,
           const std::string& problem) {
  const bool measured = record.log && !record.log->iterations.empty();
  const bool log_knows = record.log && record.log->end && *record.log->end != RunState::kOk;
  const bool by_script = log_knows && said_of_script(record.log->evidence);
  if (const auto probe = probe_ending(exit_code, log)) {
    record.state = probe->state;
    record.evidence = probe->evidence;
  } else if (log_knows) {
    record.state = *record.log->end;
    record.evidence = by_script ? words_of_exit(trainer, exit_code, log) : record.log->evidence;
  } else if (exit_code == 0 && measured) {
    record.state = RunState::kOk;
  } else if (exit_code == 0) {
    record.state = RunState::kFailed;
    record.evidence = problem.empty() ? "exit 0, but its log has no iteration"
                                      : fmt::format("exit 0, but its log {}", problem);
  } else if (const std::string line = out_of_memory_line(log); !line.empty()) {
    record.state = RunState::kOom;
    record.evidence = line;
  } else {
    record.state = RunState::kFailed;
    record.evidence = words_of_exit(trainer, exit_code, log);
  }
}

/// A run that was killed says nothing of the reason, where Slurm does.
void take_word_of_scheduler(RunRecord& record, const RunFate& fate) {
  const bool log_knows = record.log && record.log->end && *record.log->end != RunState::kOk;
  if (log_knows || fate.end != End::kLimit || !says_out_of_memory(fate.evidence)) return;
  record.state = RunState::kOom;
  record.evidence = fmt::format("{}; {}", fate.evidence, record.evidence);
}

/// "10 min", "90 s"
std::string exact_time(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60;
  return seconds % kMinute == 0 ? fmt::format("{} min", seconds / kMinute)
                                : fmt::format("{} s", seconds);
}

/// "its log has not grown for 5 min; last: iteration 7/ 20 …"
std::string why_stopped(const Attempt& attempt) {
  const std::string time = exact_time(attempt.stopped_after_s);
  const std::string words = attempt.last_line.empty() ? "no line" : "last: " + attempt.last_line;
  return attempt.stopped == "stalled"
             ? fmt::format("stopped: its log has not grown for {}; {}", time, words)
             : fmt::format("stopped after run_time {}; {}", time, words);
}

/// Steps are as long as the trainer took, and as its job was held still beside.
void judge_suspended(RunRecord& record, const Attempt& attempt) {
  if (!attempt.suspended || record.state != RunState::kOk) return;
  record.state = RunState::kFailed;
  record.evidence =
      "suspended by the scheduler for a time: its times are not the trainer's alone; 'run "
      "--retry-failed' measures again";
}

/// A run that its job stopped: what the log says of an earlier cause, say a rank that died and left
/// the others waiting, says more.
void judge_stopped(RunRecord& record, const Attempt& attempt) {
  record.state = RunState::kTimeout;
  record.evidence = why_stopped(attempt);
  if (!record.log || !record.log->end) return;
  const RunState end = *record.log->end;
  if (end != RunState::kFailed && end != RunState::kOom) return;
  record.state = end;
  record.evidence = fmt::format("{}; {}", record.log->evidence, record.evidence);
}

/// What the log says of the configuration against what the point asks for: "its log says mbs 1, the
/// point mbs 2". A command that forgets a placeholder measures something else. Empty: they agree.
std::string contradiction(const Point& point, const LogRun& log) {
  const NamedValues wanted = named_values(point), said = named_values(log.point);
  for (const char* name :
       {"tp", "pp", "dp", "mbs", "gas", "gbs", "layers", "hidden", "heads", "seq"}) {
    const Value* want = find_value(wanted, name);
    const Value* say = find_value(said, name);
    if (want && say && !(*want == *say)) {
      const Value* law = find_value(log.derived, name);
      return fmt::format("its log says {} {}{}, the point {} {}", name, say->text,
                         law ? fmt::format(" (by {})", law->text) : "", name, want->text);
    }
  }
  return {};
}

/// What was measured is none of the point's; how it ended otherwise still is.
void judge_contradiction(RunRecord& record, const Point& point) {
  const std::string clash = record.log ? contradiction(point, *record.log) : "";
  if (clash.empty()) return;
  const bool is_sound = record.state == RunState::kOk;
  if (is_sound) record.state = RunState::kFailed;
  record.evidence = is_sound ? clash : fmt::format("{}; {}", record.evidence, clash);
  record.log.reset();
}

/// Which piece of the provenance a line "NAME=VALUE" is; nothing: a variable of the environment.
std::string* field_of(Provenance& provenance, std::string_view name) {
  if (name == "host") return &provenance.host;
  if (name == "nodes") return &provenance.node_list;
  if (name == "gpu_model") return &provenance.gpu_model;
  if (name == "driver") return &provenance.driver;
  if (name == "nccl") return &provenance.nccl;
  return name == "git_commit" ? &provenance.git_commit : nullptr;
}

/// The scheduler's word, then the log's.
std::string evidence_of(const RunFate& fate, const RunRecord& record) {
  std::string text = fmt::format("started and never ended: {}", fate.evidence);
  const bool log_knows = record.log && record.log->end && *record.log->end != RunState::kOk;
  if (log_knows) text += fmt::format("; its log: {}", record.log->evidence);
  return text;
}

/// Of a run that failed, and whose job was lost then or a later time.
std::string words_of_lost_job(const RunFate& fate, const Attempt& attempt) {
  const bool is_last = attempt.submission == fate.submission;
  return fmt::format("; {} job then ended: {}", is_last ? "its" : "a later", fate.evidence);
}

std::string text_of_log(const fs::path& log) { return disk().read(log).value_or(""); }

/// Why a command that went well has no steps.
std::string why_silent(const std::vector<std::string>& problems, const fs::path& log) {
  std::string why = problems.empty() ? "has no iteration that pippin knows" : join(problems, ", ");
  if (!disk().exists(log)) return why;
  return fmt::format("{}{}", why, what_is_near([&](const auto& take) {
                       read_parts(log, 0, [&](std::string_view part) {
                         take(part);
                         return true;
                       });
                     }));
}

/// `names`: of the files beside it. Most runs have no canary, and to look for what is not there
/// costs thrice as much as to read it.
std::optional<CanaryReading> reading_at(const fs::path& file,
                                        const std::vector<std::string>& names) {
  if (!std::binary_search(names.begin(), names.end(), file.filename().string()))
    return std::nullopt;
  const auto text = disk().read(file);
  return text ? read_canary(*text) : std::nullopt;
}

}  // namespace

RunState state_of(const RunFate& fate) {
  if (fate.phase == RunPhase::kLeft) return RunState::kCancelled;
  switch (fate.end.value_or(End::kUnknown)) {
    case End::kLimit:
      return says_out_of_memory(fate.evidence) ? RunState::kOom : RunState::kTimeout;
    case End::kApplication:
      return RunState::kFailed;
    case End::kUser:
      return RunState::kCancelled;
    case End::kCompleted:
    case End::kInfrastructure:
    case End::kUnknown:
      break;
  }
  return RunState::kMissing;
}

namespace {

/// All but those of which every run has left.
std::set<std::string> wanted_points(const Campaign& campaign) {
  std::set<std::string> wanted;
  for (const auto& job : campaign.jobs) {
    for (const auto& run : job.runs)
      if (!run.left) wanted.insert(run.point_id);
  }
  return wanted;
}

}  // namespace

void record_campaign(Database& database, const Campaign& campaign) {
  CampaignRecord record;
  record.sweep = campaign.sweep;
  record.number = campaign.number;
  record.started = campaign.started;
  record.cluster = campaign.cluster;
  record.accelerator = campaign.accelerator;
  record.peak_tflops = campaign.peak_tflops;
  record.order = campaign.order;
  record.seed = campaign.seed;
  record.warmup = campaign.warmup;
  const std::set<std::string> wanted = wanted_points(campaign);
  for (const auto& point : campaign.points)
    record.points.push_back({point, false, {}, wanted.count(point.id) == 0});
  for (const auto& drop : campaign.dropped)
    record.points.push_back({drop.point, true, drop.reason});
  for (auto& planned : record.points) fill_in_params(planned.point.model);
  database.put_campaign(record);
}

Recorder::Recorder(SweepFolder& folder, const Campaign& campaign)
    : folder_(folder), campaign_(campaign) {
  for (const auto& point : campaign.points) points_.emplace(point.id, &point);
}

void Recorder::keep_refutations() {
  folder_.refute(refutations_);
  refutations_.clear();
}

std::optional<RunRecord> Recorder::read(const PlannedJob& job, const PlannedRun& run,
                                        const RunFate& fate) {
  const bool lost = fate.phase == RunPhase::kLost || fate.phase == RunPhase::kLeft;
  if (!lost && fate.phase != RunPhase::kDone) return std::nullopt;
  const auto attempts = folder_.attempts(run.name);
  const Attempt* attempt = attempt_that_counts(attempts);
  if (!lost && !(attempt && attempt->done())) return std::nullopt;
  RunRecord record;
  record.place = {campaign_.sweep, campaign_.number, job.name,
                  job.allocation,  run.repeat,       run.position};
  record.name = run.name;
  record.point_id = run.point_id;
  if (!attempt) {
    record.state = state_of(fate);
    record.evidence = fmt::format("never started: {}", fate.evidence);
    return record;
  }
  // The scheduler may still say more of one that is lost, or failed just now.
  if (!lost && (attempt->exit_code == 0 || fate.certain))
    record.read = attempt_as_it_is(*attempt, reading_version(campaign_));
  record.attempt = attempt_number(job.name, *attempt);
  record.provenance = provenance_of(*attempt);
  const auto names = disk().list(attempt->directory);
  record.canary_before = reading_at(attempt->canary_before(), names);
  record.canary_after = reading_at(attempt->canary_after(), names);
  ScrapedFile scraped = scraped_attempt(*attempt, campaign_, *points_.at(run.point_id));
  record.file = std::move(scraped.file);
  record.log = joined(std::move(scraped.runs));
  if (record.log) fill_in_model(*record.log);
  if (!attempt->done() || fate.phase == RunPhase::kLeft) {
    record.state = state_of(fate);
    record.evidence = evidence_of(fate, record);
  } else {
    if (attempt->stopped.empty()) {
      // The text of a log is needed where it has to say why its run failed.
      const std::string text = *attempt->exit_code != 0 ? text_of_log(attempt->log()) : "";
      const std::string& trainer = points_.at(run.point_id)->trainer;
      const bool is_silent = *attempt->exit_code == 0 && !record.log && !find_probe(trainer);
      judge(record, trainer, *attempt->exit_code, text,
            is_silent ? why_silent(scraped.problems, file_of_steps(*attempt, campaign_))
                      : join(scraped.problems, ", "));
      judge_suspended(record, *attempt);
      if (!lost) take_word_of_scheduler(record, fate);
    } else {
      judge_stopped(record, *attempt);
    }
    if (lost && record.state != RunState::kOk) record.evidence += words_of_lost_job(fate, *attempt);
  }
  judge_contradiction(record, *points_.at(run.point_id));
  if (fate.phase != RunPhase::kLeft) record.exit_code = attempt->exit_code;
  if (!lost) {
    const bool sound = record.state == RunState::kOk;
    const std::string against = sound ? "" : printable(record.evidence);
    if (attempt->exit_code == 0 && attempt->refuted != against) {
      refutations_.push_back({run.name, attempt->name, against});
      record.read.reset();  // another attempt may count from now on
    }
  }
  return record;
}

const Submission* Recorder::submission(std::int64_t number) {
  if (!submissions_.count(number)) {
    handed_over_.clear();
    for (auto& one : folder_.submissions()) {
      for (const auto& task : one.tasks)
        if (!one.refused) handed_over_[task.job].push_back(one.number);
      submissions_[one.number] = std::move(one);
    }
  }
  const auto found = submissions_.find(number);
  return found == submissions_.end() ? nullptr : &found->second;
}

/// Which allocation of the job it was: its submissions count from 1, and a thousand is added
/// for each time that the scheduler began it anew by itself.
std::int64_t Recorder::attempt_number(const std::string& job, const Attempt& attempt) {
  constexpr std::int64_t kRestart = 1000;
  submission(attempt.submission);
  const auto& numbers = handed_over_[job];
  const auto number =
      std::upper_bound(numbers.begin(), numbers.end(), attempt.submission) - numbers.begin();
  const std::string restarts = attempt.name.substr(attempt.name.rfind('-') + 1);
  return std::max<std::int64_t>(number, 1) + kRestart * parse_integer(restarts).value_or(0);
}

Provenance Recorder::provenance_of(const Attempt& attempt) {
  const Submission* origin = submission(attempt.submission);
  Provenance provenance = origin ? provenance_of_job(*origin, attempt) : Provenance();
  for (const auto& time : {attempt.started, attempt.ended})
    if (time && !is_time(*time))
      bad_input("{}: {} is no time, in seconds since 1970", attempt.directory.string(), *time);
  provenance.started_at = attempt.started;
  provenance.ended_at = attempt.ended;
  provenance.command = folder_.command(attempt);
  return provenance;
}

/// The runs of a job come one after the other, and all have the same.
const Provenance& Recorder::provenance_of_job(const Submission& origin, const Attempt& attempt) {
  const std::string job = fmt::format("{}/{}", origin.number, attempt.job_id());
  if (job_ == job) return provenance_;
  const std::string text = folder_.provenance(origin, attempt);
  job_ = text.empty() ? "" : job;  // it may be seen late
  provenance_ = {};
  provenance_.script = folder_.script(origin).string();
  for (std::string_view line : split(trim(text), '\n')) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    if (std::string* field = field_of(provenance_, line.substr(0, equals))) {
      *field = line.substr(equals + 1);
    } else {
      provenance_.environment += std::string(line) + "\n";
    }
  }
  return provenance_;
}

}  // namespace pippin
