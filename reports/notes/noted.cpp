// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/noted.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "core/records/fields.h"
#include "reports/column_names.h"
#include "reports/notes/marked_tables.h"
#include "reports/notes/note_columns.h"
#include "reports/notes/outcome_words.h"
#include "reports/notes/quantities.h"
#include "reports/notes/row_facts.h"
#include "reports/notes/row_values.h"
#include "reports/notes/step_times.h"
#include "reports/notes/sweep_names.h"

namespace pippin {

namespace {

/// Columns of results: they are no part of what was run.
constexpr std::array<std::string_view, 27> kResults{"state",
                                                    "step_time",
                                                    "spread",
                                                    "tflops",
                                                    "flops_formula",
                                                    "mfu",
                                                    "hfu",
                                                    "samples_per_s",
                                                    "memory",
                                                    "median",
                                                    "p99",
                                                    "busbw",
                                                    "notes",
                                                    "vs",
                                                    "allocations",
                                                    "runs",
                                                    "reason",
                                                    "best",
                                                    "iterations",
                                                    "unit",
                                                    "started",
                                                    "counts",
                                                    "tokens_per_s_per_gpu",
                                                    "df",
                                                    "strip",
                                                    "size",
                                                    "remarks"};

/// The columns of a table that are axes: their places and names.
using Axes = std::vector<std::pair<std::size_t, std::string>>;

bool is_axis(const NoteColumns& columns, std::size_t place) {
  const std::string_view name = columns.name_of(place);
  const bool is_result = std::find(kResults.begin(), kResults.end(), name) != kResults.end();
  if (is_result && (name != "size" || columns.find(name) == place)) return false;
  if (find_count(Point(), name) && columns.find(name) == place) return false;
  const auto& times = columns.other_times();
  const auto& rates = columns.rates();
  return std::find(times.begin(), times.end(), place) == times.end() &&
         std::none_of(rates.begin(), rates.end(),
                      [&](const RateColumn& rate) { return rate.place == place; });
}

Axes axes_of(const MarkdownTable& table, const NoteColumns& columns) {
  Axes axes;
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> numbers;  // that follow a name
  for (std::size_t i = 0; i < table.header.cells.size(); ++i) {
    if (!is_axis(columns, i)) continue;
    const std::string wanted = axis_name_of(table.header.text(i));
    std::string name = wanted;
    while (!taken.insert(name).second) name = fmt::format("{}_{}", wanted, 2 + numbers[wanted]++);
    axes.emplace_back(i, name);
  }
  return axes;
}

/// Why a row is left out; what is `bad` is more than silent.
struct RowProblem {
  std::string what;
  bool bad = true;
};

/// Reads the rows of one table.
class RowReader {
 public:
  RowReader(const MarkdownTable& table, const TableFacts& facts, const StepTimes& times,
            std::string file)
      : table_(table),
        facts_(facts),
        columns_(facts.columns()),
        times_(times),
        axes_(axes_of(table, facts.columns())),
        file_(std::move(file)) {}

  /// Nothing of a row that is left out: without any text, or for the reason that `problem` says.
  /// `remark`: what of a row that is read contradicts itself.
  std::optional<NotedRun> read(const MarkdownRow& row, RowProblem& problem,
                               std::string& remark) const {
    NotedRun run;
    run.line = row.line;
    run.name = fmt::format("{}:{}", file_, row.line);
    for (std::size_t i = 0; i < table_.header.cells.size(); ++i) {
      if (row.text(i).empty()) continue;
      run.record.arguments.emplace_back(table_.header.text(i), value_of(std::string(row.text(i))));
    }
    if (run.record.arguments.empty()) return std::nullopt;
    run.record.format = "noted";
    if (const auto full = facts_.settings().full_recompute)
      run.record.recompute = *full ? kFullRecompute : "none";
    SaidOfRow said = facts_.of(row);
    run.record.point = point_of(row, said);
    run.record.derived = said.derived;
    problem.what = said.problem;
    add_time(row, run, said, problem.what, remark);
    add_memory(row, run);
    if (!add_outcome(row, run) && problem.what.empty())
      problem = {"no time, and no word why", false};
    add_note(row, run);
    return problem.what.empty() ? std::optional(std::move(run)) : std::nullopt;
  }

 private:
  Point point_of(const MarkdownRow& row, const SaidOfRow& said) const {
    Point point;
    point.trainer = kNotedTrainer;
    point.model = said.model;
    point.layout = said.layout;
    for (const auto& [place, name] : axes_) {
      const std::string text(row.text(place));
      if (!text.empty()) point.axes.emplace_back(name, value_of(text));
    }
    return point;
  }

  void add_time(const MarkdownRow& row, NotedRun& run, const SaidOfRow& said, std::string& problem,
                std::string& remark) const {
    std::string trouble;
    const auto time = times_.of(row, said, trouble);
    if (problem.empty()) problem = trouble;
    if (!time || !trouble.empty()) return;
    Iteration iteration;
    iteration.step_time_ms = time->ms.value;
    iteration.flags = kNoted;
    iteration.gbs = run.record.point.layout.gbs;
    run.record.iterations.push_back(std::move(iteration));
    if (time->ms.step > 0) run.record.resolution_ms = time->ms.step;
    run.record.noted_spread_ms = time->ms.spread;
    if (!time->law.empty()) run.record.derived.emplace_back("step_time", Value{time->law, {}});
    remark = times_.contradiction(row, said, *time);
  }

  void add_memory(const MarkdownRow& row, NotedRun& run) const {
    const auto mib = mebibytes_in(columns_.text(row, "memory"), columns_.title("memory"));
    if (!mib) return;
    RankMemory memory;
    memory.max_allocated_mib = *mib;
    run.record.memory.push_back(memory);
  }

  /// Cells that may say how a run ended; with a time it was well, unless its state says otherwise.
  std::vector<std::string_view> endings(const MarkdownRow& row, bool timed) const {
    std::vector<std::string_view> cells{columns_.text(row, "state")};
    if (timed) return cells;
    cells.push_back(columns_.text(row, "step_time"));
    for (const auto& rate : columns_.rates()) cells.push_back(row.text(rate.place));
    for (const char* name : {"tflops", "memory"}) cells.push_back(columns_.text(row, name));
    return cells;
  }

  /// How the run ended: the cell that says so is the evidence. False where nothing says so.
  bool add_outcome(const MarkdownRow& row, NotedRun& run) const {
    const bool timed = !run.record.iterations.empty();
    bool ended = timed;
    for (const std::string_view cell : endings(row, timed)) {
      const auto outcome = outcome_in(cell);
      if (!outcome || (timed && *outcome == RunState::kMissing)) continue;
      // "n/a" in one cell, "OOM" in the next.
      if (ended && *outcome == RunState::kMissing) continue;
      run.state = *outcome;
      run.record.evidence = cell;
      ended = true;
      if (*outcome != RunState::kMissing) break;
    }
    run.record.end = run.state;
    return ended;
  }

  void add_note(const MarkdownRow& row, NotedRun& run) const {
    std::vector<std::string> parts;
    for (const char* name : {"started", "notes"}) {
      const std::string_view text = columns_.text(row, name);
      if (!text.empty()) parts.emplace_back(text);
    }
    run.note = join(parts, "; ");
  }

  const MarkdownTable& table_;
  const TableFacts& facts_;
  const NoteColumns& columns_;
  const StepTimes& times_;
  Axes axes_;
  std::string file_;
};

/// Gives the points of a table their ids, and names that tell unlike ones apart.
void name_points(NotedTable& table) {
  std::map<std::string, std::set<std::string>> ids;
  for (auto& run : table.runs) {
    Point& point = run.record.point;
    point.id = point_id(point);
    point.name = point_name(point);
    ids[point.name].insert(point.id);
  }
  constexpr std::size_t kDigits = 4;
  for (auto& run : table.runs) {
    Point& point = run.record.point;
    if (ids[point.name].size() > 1) point.name += "-" + point.id.substr(0, kDigits);
  }
}

/// What can be read of one table.
struct ReadTable {
  NotedTable table;
  std::vector<NoteRemark> remarks;
};

ReadTable read_table(const MarkdownTable& table, const TableFacts& facts, const StepTimes& times,
                     const std::string& file) {
  ReadTable result;
  result.table.line = table.header.line;
  const RowReader reader(table, facts, times, file);
  for (const auto& row : table.rows) {
    RowProblem problem;
    std::string remark;
    auto run = reader.read(row, problem, remark);
    if (!problem.what.empty())
      result.remarks.push_back(
          {row.line, fmt::format("{}, {}: left out", facts.name(), problem.what), problem.bad});
    if (!run) continue;
    result.table.runs.push_back(*std::move(run));
    std::string what = contradiction_in(facts.columns(), row);
    for (auto* text : {&what, &remark}) {
      if (!text->empty()) result.remarks.push_back({row.line, std::move(*text)});
    }
  }
  name_points(result.table);
  return result;
}

/// A time alone is not that of an iteration: "save checkpoint" tables have one too, with nodes. A
/// throughput says itself what it is of.
bool is_of_iterations(const TableFacts& facts) {
  const NoteColumns& columns = facts.columns();
  const auto any = [](std::initializer_list<const char*> names, const auto& has) {
    return std::any_of(names.begin(), names.end(), has);
  };
  const auto has = [&](const char* name) { return columns.has(name); };
  const auto above = [&](const char* name) { return facts.is_above(name); };
  const bool layout = columns.has("nodes") && any({"tp", "pp", "dp"}, has);
  const bool said = !columns.rates().empty() && any({"gpus", "gbs", "mbs", "nodes"}, above);
  return any({"gpus", "gbs", "mbs"}, has) || layout || said;
}

/// Why a table that is of iterations cannot be read at all; empty where it can, or is none.
std::string refusal_of(const TableFacts& facts, const StepTimes& times) {
  const std::string doubt = facts.columns().doubt("step_time");
  if (!doubt.empty())
    return fmt::format(
        "{}: {}; rename one, or say it: --set step_time=TITLE; the table is left out", facts.name(),
        doubt);
  const std::string refusal = times.refusal();
  return refusal.empty() ? "" : refusal + "; the table is left out";
}

void add_table(const MarkdownTable& table, const NoteSettings& settings, const std::string& file,
               NotedDocument& document, std::vector<const MarkdownTable*>& used) {
  const TableFacts facts(table, settings);
  const StepTimes times(facts);
  const bool in_doubt = !facts.columns().doubt("step_time").empty();
  if (!in_doubt && (!is_of_iterations(facts) || !times.has_column())) {
    const bool near = is_of_iterations(facts) && !facts.columns().other_times().empty();
    if (near) document.remarks.push_back({table.header.line, times.choice() + ": left out"});
    return;
  }
  if (std::string refusal = refusal_of(facts, times); !refusal.empty()) {
    document.remarks.push_back({table.header.line, std::move(refusal), true});
    return;
  }
  ReadTable read = read_table(table, facts, times, file);
  if (std::string choice = times.choice(); !choice.empty() && !read.table.runs.empty())
    document.remarks.push_back({table.header.line, std::move(choice)});
  document.remarks.insert(document.remarks.end(), std::make_move_iterator(read.remarks.begin()),
                          std::make_move_iterator(read.remarks.end()));
  if (read.table.runs.empty()) return;
  document.tables.push_back(std::move(read.table));
  used.push_back(&table);
}

}  // namespace

NotedDocument noted(std::string_view document, const std::string& file,
                    const NoteSettings& settings) {
  NotedDocument result;
  const auto tables = tables_by_hand(document, file);
  std::vector<const MarkdownTable*> used;
  for (const auto& table : tables) add_table(table, settings, file, result, used);
  const auto names = sweep_names(used, file);
  for (std::size_t i = 0; i < names.size(); ++i) result.tables[i].sweep = names[i];
  return result;
}

}  // namespace pippin
