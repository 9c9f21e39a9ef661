#include "reports/remarks.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "core/base/text.h"

namespace pippin {

namespace {

std::string name_of(const Summary& row) {
  return printable(row.run.empty() ? row.point.name : row.run);
}

constexpr const char* kUnclean =
    "lines are in the mean that are no clean samples: the first, a skipped step, one after a save "
    "or an evaluation, or an interval's mean";

/// Empty where all kept their pace.
std::string pace_text(std::int64_t runs, std::int64_t slowdowns, std::int64_t unsteady) {
  if (slowdowns + unsteady == 0) return "";
  std::vector<std::string> kinds;
  if (slowdowns > 0) kinds.push_back(fmt::format("{} slowed down on the way", slowdowns));
  if (unsteady > 0) kinds.push_back(fmt::format("{} found no steady state", unsteady));
  return fmt::format("runs are in the mean that changed pace: of all {}, {}", runs,
                     join(kinds, " and "));
}

/// "failed: exit 1"; of a point that is infeasible or was set aside only why.
std::string why(const Summary& row) {
  const std::string reason = printable(row.reason);
  const bool has_run = row.state != RunState::kInfeasible && row.state != RunState::kMissing;
  return reason.empty() || !has_run ? reason : fmt::format("{}: {}", text_of(row.state), reason);
}

constexpr const char* kLeft = "no longer in the sweep's file: not ranked";

/// Texts with the rows they hold for, in the order they came.
class Grouped {
 public:
  void add(const std::string& text, const Summary& row) {
    if (text.empty()) return;
    const auto [place, is_new] = places_.try_emplace(text, groups_.size());
    if (is_new) groups_.push_back({text, {}});
    groups_[place->second].names.push_back(name_of(row));
  }
  /// Without names where the remark holds for all `rows`.
  void append_to(std::vector<std::string>& lines, std::size_t rows) const {
    for (const auto& group : groups_) {
      const bool all = group.names.size() == rows;
      lines.push_back(all ? group.text : fmt::format("{}: {}", group.text, listed(group.names)));
    }
  }

 private:
  struct Group {
    std::string text;
    std::vector<std::string> names;
  };
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// What ± is in a row that has one, or why it has none. The table shows which rows have one: names
/// are needed only where the answers differ.
void add_interval_remarks(std::vector<std::string>& lines, const std::vector<Summary>& rows,
                          bool with_interval) {
  Grouped remarks;
  std::size_t concerned = 0;
  for (const auto& row : rows) {
    if (!row.step_time_s || row.step_time_s->low.has_value() != with_interval) continue;
    const Interval& time = *row.step_time_s;
    const std::string what =
        with_interval ? fmt::format("± is half of the 95 % interval over {}s", time.unit) : "no ±";
    remarks.add(time.remark.empty() ? what : what + (with_interval ? ", " : ": ") + time.remark,
                row);
    ++concerned;
  }
  remarks.append_to(lines, concerned);
}

void add_star(std::vector<std::string>& lines, const std::vector<Summary>& rows) {
  const bool any =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !row.clean; });
  if (any) lines.push_back("* " + std::string(kUnclean));
}

/// One line however many rows there are: the table marks which.
void add_wave(std::vector<std::string>& lines, const std::vector<Summary>& rows) {
  std::int64_t runs = 0, slowdowns = 0, unsteady = 0;
  for (const auto& row : rows) {
    runs += row.runs;
    slowdowns += row.slowdowns;
    unsteady += row.unsteady;
  }
  if (slowdowns + unsteady > 0) lines.push_back("~ " + pace_text(runs, slowdowns, unsteady));
}

/// No TFLOPS without its formula.
void add_formula(std::vector<std::string>& lines, const std::vector<Summary>& rows) {
  for (const auto& row : rows) {
    if (row.flops_formula.empty()) continue;
    lines.push_back(fmt::format("TFLOPS per GPU by formula {}", row.flops_formula));
    return;
  }
}

/// One line however many rows there are: they rarely came as far as each other.
void add_early_ends(std::vector<std::string>& lines, const std::vector<Summary>& rows) {
  const std::string_view begin = kEndedEarly;
  std::vector<std::string> names;
  for (const auto& row : rows) {
    for (const auto& remark : row.remarks) {
      if (!remark.starts_with(begin)) continue;
      names.push_back(
          fmt::format("{} ({})", name_of(row), printable(remark.substr(begin.size() + 2))));
    }
  }
  if (!names.empty()) lines.push_back(fmt::format("{}: {}", begin, listed(names)));
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  if (names.size() <= kNamed) return join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + kNamed);
  return fmt::format("{} and {} more", join(first, ", "), names.size() - kNamed);
}

std::vector<std::string> remarks_of(const Summary& row) {
  std::vector<std::string> remarks;
  const auto add = [&](std::string text) {
    if (!text.empty()) remarks.push_back(std::move(text));
  };
  add(why(row));
  if (row.left) add(kLeft);
  if (row.step_time_s) add(row.step_time_s->remark);
  if (!row.clean) add(kUnclean);
  add(pace_text(row.runs, row.slowdowns, row.unsteady));
  for (const auto& remark : row.remarks) add(printable(remark));
  return remarks;
}

std::vector<std::string> remarks_on(const std::vector<Summary>& rows) {
  std::vector<std::string> lines;
  add_interval_remarks(lines, rows, true);
  add_interval_remarks(lines, rows, false);
  add_star(lines, rows);
  add_wave(lines, rows);
  add_formula(lines, rows);
  Grouped others;
  for (const auto& row : rows) {
    others.add(why(row), row);
    if (row.left) others.add(kLeft, row);
    for (const auto& remark : row.remarks) {
      if (!remark.starts_with(kEndedEarly)) others.add(printable(remark), row);
    }
  }
  add_early_ends(lines, rows);
  others.append_to(lines, rows.size());
  return lines;
}

}  // namespace pippin
