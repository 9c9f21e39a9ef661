#include "harness/cli/record.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/scrape/scrape.h"
#include "sweeps/estimate/parameters.h"

namespace pippin {

namespace {

/// All launches of one log as one run: a trainer that restarts itself goes on with the same run.
std::optional<LogRun> joined(std::vector<LogRun> launches) {
  if (launches.empty()) return std::nullopt;
  LogRun run = std::move(launches.front());
  for (std::size_t i = 1; i < launches.size(); ++i) {
    run.iterations.insert(run.iterations.end(), launches[i].iterations.begin(),
                          launches[i].iterations.end());
    if (!launches[i].memory.empty()) run.memory = std::move(launches[i].memory);
    run.end = launches[i].end;
    run.evidence = launches[i].evidence;
  }
  return run;
}

std::string last_line(std::string_view log) {
  const std::string_view text = trim(log);
  return printable(text.substr(
      text.find_last_of('\n') == std::string_view::npos ? 0 : text.find_last_of('\n') + 1));
}

/// How a run that left an exit code ended: the log says it best, the exit code else, which in
/// "train | tee" is not the trainer's.
void judge(RunRecord& record, int exit_code, std::string_view log) {
  const bool measured = record.log && !record.log->iterations.empty();
  const bool log_knows = record.log && record.log->end && *record.log->end != RunState::kOk;
  if (log_knows) {
    record.state = *record.log->end;
    record.evidence = record.log->evidence;
  } else if (exit_code == 0 && measured) {
    record.state = RunState::kOk;
  } else if (exit_code == 0) {
    record.state = RunState::kFailed;
    record.evidence = "exit 0, but its log has no iteration";
  } else {
    record.state = RunState::kFailed;
    record.evidence = fmt::format("exit {}: {}", exit_code, last_line(log));
  }
}

/// What the log says of the configuration against what the point asks for: "its log says mbs 1, the
/// point mbs 2". A command that forgets a placeholder measures something else. Empty: they agree.
std::string contradiction(const Point& point, const Point& logged) {
  const NamedValues wanted = named_values(point), said = named_values(logged);
  for (const char* name :
       {"tp", "pp", "dp", "mbs", "gas", "gbs", "layers", "hidden", "heads", "seq"}) {
    const Value* want = find_value(wanted, name);
    const Value* say = find_value(said, name);
    if (want && say && !(*want == *say)) {
      return fmt::format("its log says {} {}, the point {} {}", name, say->text, name, want->text);
    }
  }
  return {};
}

const Point& point_of(const Campaign& campaign, const std::string& id) {
  return *std::find_if(campaign.points.begin(), campaign.points.end(),
                       [&](const Point& point) { return point.id == id; });
}

Provenance provenance_of(FileSystem& files, SweepFolder& folder, const std::string& job,
                         const Attempt& attempt) {
  Provenance provenance;
  provenance.started_at = attempt.started;
  provenance.ended_at = attempt.ended;
  provenance.command = files.read(attempt.directory / "command").value_or("");
  const auto submission = parse_integer(split(attempt.name, '-').front());
  if (submission) provenance.script = folder.script(job, *submission).string();
  const std::string text = folder.provenance(job, attempt);
  for (std::string_view line : split(trim(text), '\n')) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals);
    const std::string value(line.substr(equals + 1));
    if (name == "host") {
      provenance.host = value;
    } else if (name == "nodes") {
      provenance.node_list = value;
    } else if (name == "gpu_model") {
      provenance.gpu_model = value;
    } else if (name == "driver") {
      provenance.driver = value;
    } else if (name == "git_commit") {
      provenance.git_commit = value;
    } else {
      provenance.environment += std::string(line) + "\n";
    }
  }
  return provenance;
}

}  // namespace

void complete_model(Model& model) {
  if (!model.params) model.params = parameter_count(model);
}

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
  for (const auto& point : campaign.points) record.points.push_back({point, false, {}});
  for (const auto& drop : campaign.dropped)
    record.points.push_back({drop.point, true, drop.verdict.reason});
  for (auto& planned : record.points) complete_model(planned.point.model);
  database.put_campaign(record);
}

Recorded record_run(Database& database, SweepFolder& folder, const Campaign& campaign,
                    const PlannedJob& job, const PlannedRun& run,
                    const std::optional<std::string>& lost) {
  const auto attempts = folder.attempts(run.name);
  const Attempt* attempt = counted(attempts);
  if (!lost && !(attempt && attempt->done())) return {};
  RunRecord record;
  record.place = {campaign.sweep, campaign.number, job.name,
                  job.allocation, run.repeat,      run.position};
  record.name = run.name;
  record.point_id = run.point_id;
  if (!attempt) {
    record.evidence = fmt::format("never started: {}", *lost);
    return {database.put_run(record), record.state};
  }
  const std::string log = disk().read(attempt->log()).value_or("");
  record.attempt = parse_integer(split(attempt->name, '-').front()).value_or(1);
  record.provenance = provenance_of(disk(), folder, job.name, *attempt);
  record.file = LogFile{attempt->log(), log};
  record.log = joined(scrape(log));
  if (record.log) complete_model(record.log->point.model);
  const std::string clash =
      record.log ? contradiction(point_of(campaign, run.point_id), record.log->point) : "";
  if (!clash.empty()) {
    record.state = RunState::kFailed;
    record.evidence = clash;
    record.log.reset();
  } else if (attempt->done()) {
    record.exit_code = attempt->exit_code;
    judge(record, *attempt->exit_code, log);
  } else {
    record.evidence = fmt::format("started and never ended: {}", *lost);
  }
  return {database.put_run(record), record.state};
}

}  // namespace pippin
