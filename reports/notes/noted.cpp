#include "reports/notes/noted.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/records/fields.h"
#include "reports/column_names.h"
#include "reports/notes/marked_tables.h"
#include "reports/notes/note_columns.h"
#include "reports/notes/outcome_words.h"
#include "reports/notes/quantities.h"
#include "reports/notes/row_values.h"
#include "reports/notes/sweep_names.h"

namespace pippin {

namespace {

/// Columns of results: they are no part of what was run.
constexpr std::array<const char*, 16> kResults{
    "state",      "step_time",     "spread",
    "tflops",     "flops_formula", "mfu",
    "hfu",        "samples_per_s", "tokens_per_s_per_gpu",
    "memory",     "allocations",   "runs",
    "iterations", "started",       "vs",
    "notes"};

/// The columns of a table that are axes: their places and names.
using Axes = std::vector<std::pair<std::size_t, std::string>>;

Axes axes_of(const MarkdownTable& table, const NoteColumns& columns) {
  std::set<std::size_t> known;
  const auto add = [&](std::string_view name) {
    if (const auto place = columns.find(name)) known.insert(*place);
  };
  for_each_count(Point(), [&](std::string_view name, const Count&) { add(name); });
  for (const char* name : kResults) add(name);
  add("size");
  add("strip");
  Axes axes;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < table.header.cells.size(); ++i) {
    if (known.count(i) > 0) continue;
    const std::string wanted = axis_name_of(table.header.text(i));
    std::string name = wanted;
    for (int number = 2; !taken.insert(name).second; ++number) {
      name = fmt::format("{}_{}", wanted, number);
    }
    axes.emplace_back(i, name);
  }
  return axes;
}

/// What a row has in a column of counts; says in `problem` where that is no count.
Count count_of(const NoteColumns& columns, const MarkdownRow& row, std::string_view name,
               std::string& problem) {
  const std::string_view text = columns.text(row, name);
  if (plain_text(text).empty() || outcome_in(text)) return std::nullopt;
  const Count count = count_in(text);
  if (!count || *count < 1) {
    problem = fmt::format("{} '{}' is no number above 0", printable(columns.title(name)),
                          printable(text));
  }
  return count;
}

/// Reads the rows of one table.
class RowReader {
 public:
  RowReader(const MarkdownTable& table, const NoteColumns& columns, std::string file,
            const NoteSettings& settings)
      : table_(table),
        columns_(columns),
        axes_(axes_of(table, columns)),
        file_(std::move(file)),
        settings_(settings) {}

  /// Nothing of a row that is left out: without any text, or for the reason that `problem` says.
  std::optional<NotedRun> read(const MarkdownRow& row, std::string& problem) const {
    NotedRun run;
    run.line = row.line;
    run.name = fmt::format("{}:{}", file_, row.line);
    for (std::size_t i = 0; i < table_.header.cells.size(); ++i) {
      if (row.text(i).empty()) continue;
      run.record.arguments.emplace_back(table_.header.text(i), value_of(std::string(row.text(i))));
    }
    if (run.record.arguments.empty()) return std::nullopt;
    run.record.format = "noted";
    run.record.recompute = settings_.full_recompute ? "full" : "none";
    run.record.point = point_of(row, problem);
    add_result(row, run, problem);
    add_note(row, run);
    return problem.empty() ? std::optional(std::move(run)) : std::nullopt;
  }

 private:
  Point point_of(const MarkdownRow& row, std::string& problem) const {
    Point point;
    point.trainer = "noted";
    for_each_count(point, [&](std::string_view name, Count& count) {
      count = count_of(columns_, row, name, problem);
    });
    if (!point.model.seq) point.model.seq = settings_.seq;
    point.model.size = plain_text(columns_.text(row, "size"));
    const auto params = parameters_in(point.model.size, columns_.title("size"));
    constexpr double kMost = 1e18;
    if (params && *params >= 1 && *params < kMost) point.model.params = std::llround(*params);
    for (const auto& [place, name] : axes_) {
      const std::string text(row.text(place));
      if (!text.empty()) point.axes.emplace_back(name, value_of(text));
    }
    return point;
  }

  void add_result(const MarkdownRow& row, NotedRun& run, std::string& problem) const {
    const std::string_view time = columns_.text(row, "step_time");
    const auto ms = milliseconds_in(time, columns_.title("step_time"));
    if (ms && *ms > 0) {
      Iteration iteration;
      iteration.step_time_ms = *ms;
      iteration.flags = kNoted;
      iteration.gbs = run.record.point.layout.gbs;
      run.record.iterations.push_back(std::move(iteration));
    } else if (!time.empty() && !outcome_in(time)) {
      problem = fmt::format("'{}' is no {}", printable(time), ms ? "time above 0" : "time");
    }
    add_outcome(row, run, problem);
    if (const auto mib = mebibytes_in(columns_.text(row, "memory"), columns_.title("memory"))) {
      RankMemory memory;
      memory.max_allocated_mib = *mib;
      run.record.memory.push_back(memory);
    }
  }

  /// How the run ended: the cell that says so is the evidence. With a time it was well, unless its
  /// state says otherwise.
  void add_outcome(const MarkdownRow& row, NotedRun& run, std::string& problem) const {
    const bool timed = !run.record.iterations.empty();
    bool ended = timed;
    std::vector<const char*> names{"state"};
    if (!timed) names.insert(names.end(), {"step_time", "tflops", "memory"});
    for (const char* name : names) {
      const auto outcome = outcome_in(columns_.text(row, name));
      if (!outcome || (timed && *outcome == RunState::kMissing)) continue;
      run.state = *outcome;
      run.record.evidence = columns_.text(row, name);
      ended = true;
      break;
    }
    if (!ended && problem.empty()) problem = "no time, and no word why";
    run.record.end = run.state;
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
  const NoteColumns& columns_;
  Axes axes_;
  std::string file_;
  NoteSettings settings_;
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

NotedTable noted_table(const MarkdownTable& table, const NoteColumns& columns,
                       const std::string& file, const NoteSettings& settings,
                       std::vector<NoteRemark>& remarks) {
  NotedTable result;
  result.line = table.header.line;
  const RowReader reader(table, columns, file, settings);
  for (const auto& row : table.rows) {
    std::string problem;
    auto run = reader.read(row, problem);
    if (!problem.empty()) remarks.push_back({row.line, problem + ": left out"});
    if (!run) continue;
    result.runs.push_back(*std::move(run));
    std::string what = contradiction_in(columns, row, settings);
    if (!what.empty()) remarks.push_back({row.line, std::move(what)});
  }
  name_points(result);
  return result;
}

}  // namespace

NotedDocument noted(std::string_view document, const std::string& file,
                    const NoteSettings& settings) {
  NotedDocument result;
  const auto tables = tables_by_hand(document, file);
  std::vector<const MarkdownTable*> used;
  for (const auto& table : tables) {
    const NoteColumns columns(table);
    if (const std::string doubt = columns.doubt("step_time"); !doubt.empty()) {
      result.remarks.push_back({table.header.line, doubt + "; rename one, the table is left out"});
    }
    // A time alone is not that of an iteration: "save checkpoint" tables have one too.
    const bool of_iterations = columns.has("gpus") || columns.has("gbs") || columns.has("mbs");
    if (!columns.has("step_time") || !of_iterations) continue;
    NotedTable read = noted_table(table, columns, file, settings, result.remarks);
    if (read.runs.empty()) continue;
    result.tables.push_back(std::move(read));
    used.push_back(&table);
  }
  const auto names = sweep_names(used, file);
  for (std::size_t i = 0; i < names.size(); ++i) result.tables[i].sweep = names[i];
  return result;
}

}  // namespace pippin
