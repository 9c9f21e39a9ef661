// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/streamed_file.h"
#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/trace_files.h"
#include "harness/commands/steps/trace_folder.h"
#include "reports/trace/iteration_events.h"
#include "reports/trace/rank_events.h"

namespace pippin {

namespace {

/// Where the trace goes: to a file, or to standard output.
class Sink {
 public:
  explicit Sink(const fs::path& path)
      : file_(path.empty() ? nullptr : std::make_unique<StreamedFile>(path)) {}
  std::ostream& out() { return file_ ? file_->stream() : output(); }
  void end() { file_ ? file_->put_in_place() : end_output(); }

 private:
  std::unique_ptr<StreamedFile> file_;
};

/// Lines of traces that are not drawn.
class LeftOut {
 public:
  explicit LeftOut(const char* why) : why_(why) {}

  void add(const fs::path& path, std::int64_t line) {
    if (count_++ == 0) first_ = fmt::format("{}:{}", path.string(), line);
  }
  void tell(const Globals& globals) const {
    if (count_ == 0) return;
    const std::string more =
        count_ == 1 ? "it is" : fmt::format("it and {} like it are", counted(count_ - 1, "line"));
    remark(globals, fmt::format("{}: {}: {} left out", first_, why_, more));
  }

 private:
  const char* why_;
  std::string first_;
  std::int64_t count_ = 0;
};

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts_of(const WholeRun& run) {
  Facts facts{{"run", run.listed.name},
              {"point", run.listed.point},
              {"state", std::string(text_of(run.listed.state))}};
  if (!run.listed.sweep.empty()) facts.emplace_back("sweep", run.listed.sweep);
  if (run.listed.campaign) facts.emplace_back("campaign", std::to_string(*run.listed.campaign));
  if (run.listed.started_at)
    facts.emplace_back("started_at", std::to_string(*run.listed.started_at));
  return facts;
}

/// A folder that several runs share may have the traces of another one.
void doubt_age(const Globals& globals, const WholeRun& run, const TraceFile& file) {
  constexpr std::int64_t kSlack_s = 60, kNsPerSecond = 1'000'000'000;
  const auto identity = disk().identity(file.path);
  if (!identity || !run.listed.started_at || !run.listed.ended_at) return;
  const std::int64_t written_s = identity->written_ns / kNsPerSecond;
  if (written_s >= *run.listed.started_at - kSlack_s &&
      written_s <= *run.listed.ended_at + kSlack_s)
    return;
  remark(globals, fmt::format("{}: was not written while the run went on: is it of another run?",
                              file.path.string()));
}

/// What the ranks of the run have traced; empty where they have not.
std::vector<TraceFile> files_of(const Globals& globals, const TraceOptions& options,
                                const WholeRun& run) {
  TraceFolder folder = trace_folder_of(run.provenance, run.log ? run.log->path : "");
  if (!options.traces.empty()) folder = {true, options.traces};
  if (!folder.named) return {};
  if (folder.path.empty()) {
    remark(globals, fmt::format("{}: where its --trace {} was is not known any more: name the "
                                "folder with --traces",
                                printable(run.listed.name), folder.word));
    return {};
  }
  TraceFiles found = trace_files_in(folder.path, run.point.layout.gpus);
  for (const auto& words : found.remarks) remark(globals, words);
  if (found.files.empty() && !options.traces.empty())
    bad_input("{}: no trace is there; the probe's --trace writes files rank-0.jsonl, …",
              folder.path.string());
  if (found.files.empty()) {
    remark(globals, fmt::format("{}: the run's command has its ranks trace there, and no trace is "
                                "there any more; name where they are with --traces",
                                folder.path.string()));
  } else if (options.traces.empty()) {
    doubt_age(globals, run, found.files.front());
  }
  return found.files;
}

/// When the first of them began.
std::int64_t begin_of(const std::vector<TraceFile>& files) {
  std::optional<std::int64_t> begin;
  for (const auto& file : files) {
    if (file.begin_ns) begin = std::min(begin.value_or(*file.begin_ns), *file.begin_ns);
  }
  return begin.value_or(0);
}

/// Draws a record; false where its times are out of range.
bool draw(const TraceRecord& record, RankEvents& events) {
  if (const auto* activity = std::get_if<TracedActivity>(&record)) return events.take(*activity);
  if (const auto* call = std::get_if<TracedCall>(&record)) return events.take(*call);
  return true;
}

/// The ranks' own records, each file read once from its beginning to its end.
void draw_ranks(const Globals& globals, const std::vector<TraceFile>& files, TraceEvents& events,
                const std::ostream& out) {
  std::vector<TracedRank> ranks;
  ranks.reserve(files.size());
  for (const auto& file : files) ranks.push_back(file.rank);
  const RanksTogether together(ranks, begin_of(files));
  LeftOut cut("is cut, or no record of a trace"), out_of_range("its times are out of range");
  for (const auto& file : files) {
    RankEvents rank(file.rank, together, events);
    each_trace_record(file.path, [&](const TraceRecord& record, std::int64_t line) {
      if (std::holds_alternative<std::monostate>(record)) cut.add(file.path, line);
      if (!draw(record, rank)) out_of_range.add(file.path, line);
      return out.good();
    });
    rank.finish();
  }
  cut.tell(globals);
  out_of_range.tell(globals);
}

/// The lines of the log, with its timers where it has some; says what was drawn.
std::string draw_lines(const Globals& globals, const WholeRun& run, Database& database,
                       TraceEvents& events) {
  IterationEvents lines(events);
  std::int64_t left_out = 0;
  database.each_line(run.listed.id,
                     [&](const Iteration& line) { left_out += lines.take(line) ? 0 : 1; });
  if (lines.lines() == 0)
    bad_input("{}: nothing to draw: it has no iteration, and no trace of its ranks (it is {})",
              printable(run.listed.name), text_of(run.listed.state));
  if (left_out > 0)
    remark(globals,
           fmt::format("{}: {} left out: negative, or out of range", printable(run.listed.name),
                       counted(left_out, "time") + (left_out == 1 ? " is" : " are")));
  if (lines.bad_timers() > 0)
    remark(globals, fmt::format("{}: {} left out: negative", printable(run.listed.name),
                                counted(lines.bad_timers(), "timer") +
                                    (lines.bad_timers() == 1 ? " is" : " are")));
  if (lines.timed_lines() == 0) {
    remark(globals, "the log has no timers: only its iterations are drawn");
    return "iterations of its log, end to end";
  }
  remark(globals,
         "timers tell how long, not when: where one stands within its iteration is no "
         "finding");
  return "iterations of its log, end to end, with its timers, which tell how long, not when";
}

}  // namespace

ExitCode trace(const Globals& globals, const TraceOptions& options) {
  if (options.output.empty() && ::isatty(STDOUT_FILENO))
    bad_input("trace: a trace is not for a terminal: name a file with -o trace.json");
  Database database = existing_database(globals);
  const WholeRun run =
      database.whole_run(run_named(globals, database, options.run).id, digester().version);
  const auto files = files_of(globals, options, run);
  Sink sink(options.output);
  TraceEvents events(sink.out());
  Facts facts = facts_of(run);
  if (files.empty()) {
    facts.emplace_back("drawn_from", draw_lines(globals, run, database, events));
  } else {
    draw_ranks(globals, files, events, sink.out());
    facts.emplace_back("drawn_from", "traces of " + counted(std::ssize(files), "rank"));
  }
  events.finish(facts);
  sink.end();
  if (!options.output.empty())
    remark(globals,
           fmt::format("{}: {}; ui.perfetto.dev and chrome://tracing open it",
                       printable(options.output.string()), counted(events.spans(), "event")));
  return ExitCode::kDone;
}

}  // namespace pippin
