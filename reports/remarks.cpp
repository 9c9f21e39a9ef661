// SPDX-License-Identifier: Apache-2.0
#include "reports/remarks.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
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
  const bool has_run = row.state != RunState::kInfeasible && row.state != RunState::kMissing &&
                       row.state != RunState::kNotRun;
  return reason.empty() || !has_run ? reason : fmt::format("{}: {}", text_of(row.state), reason);
}

constexpr const char* kLeft = "no longer in the sweep's file: not ranked";

constexpr std::size_t kNamed = 3;  // of the rows that a remark holds for

std::string listed(const std::vector<std::string>& first, std::size_t count) {
  return count > first.size()
             ? fmt::format("{} and {} more", join(first, ", "), count - first.size())
             : join(first, ", ");
}

/// The first of some rows, and how many there are.
struct Named {
  std::vector<std::string> first;
  std::size_t count = 0;

  template <typename Name>
  void add(const Name& name) {
    if (++count <= kNamed) first.push_back(name());
  }
  std::string text() const { return listed(first, count); }
};

/// Texts with the rows they hold for, in the order they came.
class Grouped {
 public:
  /// The place of the text. Those that differ but in what they quote of a log are one.
  std::size_t add(const std::string& text, const Summary& row) {
    const auto [place, is_new] =
        places_.try_emplace(text.substr(0, text.find(kNearestLines)), groups_.size());
    if (is_new) groups_.push_back({text, {}});
    add_at(place->second, row);
    return place->second;
  }
  void add_at(std::size_t place, const Summary& row) {
    groups_[place].rows.add([&] { return name_of(row); });
  }
  /// Without names where the remark holds for all `rows`.
  void append_to(std::vector<std::string>& lines, std::size_t rows) const {
    for (const auto& group : groups_) {
      const bool all = group.rows.count == rows;
      lines.push_back(all ? group.text : fmt::format("{}: {}", group.text, group.rows.text()));
    }
  }

 private:
  struct Group {
    std::string text;
    Named rows;
  };
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// What ± is in a row that has one, or why it has none. The table shows which rows have one: names
/// are needed only where the answers differ.
class IntervalRemarks {
 public:
  explicit IntervalRemarks(bool with_interval) : with_interval_(with_interval) {}

  void add(const Summary& row) {
    if (!row.step_time_s || row.step_time_s->low.has_value() != with_interval_) return;
    const Interval& time = *row.step_time_s;
    ++concerned_;
    if (last_ && unit_ == time.unit && remark_ == time.remark) {  // of most rows
      remarks_.add_at(*last_, row);
      return;
    }
    const std::string what =
        with_interval_ ? fmt::format("± is half of the 95 % interval over {}s", time.unit) : "no ±";
    last_ = remarks_.add(
        time.remark.empty() ? what : what + (with_interval_ ? ", " : ": ") + time.remark, row);
    unit_ = time.unit;
    remark_ = time.remark;
  }
  void append_to(std::vector<std::string>& lines) const { remarks_.append_to(lines, concerned_); }

 private:
  bool with_interval_;
  Grouped remarks_;
  std::size_t concerned_ = 0;
  std::optional<std::size_t> last_;  ///< where the last row's remark is, …
  std::string unit_, remark_;        ///< … which comes of these
};

}  // namespace

class RemarkCollector::Parts {
 public:
  void add(const Summary& row) {
    ++rows_;
    with_interval_.add(row);
    without_.add(row);
    unclean_ = unclean_ || !row.clean;
    runs_ += row.runs;
    slowdowns_ += row.slowdowns;
    unsteady_ += row.unsteady;
    if (formula_.empty()) formula_ = row.flops_formula;
    const std::string ended = why(row);
    if (!ended.empty()) others_.add(ended, row);
    if (row.left) others_.add(kLeft, row);
    for (const auto& remark : row.remarks) {
      if (remark.starts_with(kEndedEarly)) {
        add_early_end(row, remark);
      } else if (!remark.empty()) {
        others_.add(printable(remark), row);
      }
    }
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    with_interval_.append_to(lines);
    without_.append_to(lines);
    if (unclean_) lines.push_back("* " + std::string(kUnclean));
    // One line however many rows there are: the table marks which.
    if (slowdowns_ + unsteady_ > 0) lines.push_back("~ " + pace_text(runs_, slowdowns_, unsteady_));
    // No TFLOPS without its formula.
    if (!formula_.empty()) lines.push_back(fmt::format("TFLOPS per GPU by formula {}", formula_));
    if (early_.count > 0) lines.push_back(fmt::format("{}: {}", kEndedEarly, early_.text()));
    others_.append_to(lines, rows_);
    return lines;
  }

 private:
  /// One line however many rows there are: they rarely came as far as each other.
  void add_early_end(const Summary& row, std::string_view remark) {
    const std::string_view begin = kEndedEarly;
    early_.add([&] {
      return fmt::format("{} ({})", name_of(row), printable(remark.substr(begin.size() + 2)));
    });
  }

  std::size_t rows_ = 0;
  IntervalRemarks with_interval_{true}, without_{false};
  bool unclean_ = false;
  std::int64_t runs_ = 0, slowdowns_ = 0, unsteady_ = 0;
  std::string formula_;
  Named early_;
  Grouped others_;
};

RemarkCollector::RemarkCollector() : parts_(std::make_unique<Parts>()) {}
RemarkCollector::~RemarkCollector() = default;
void RemarkCollector::add(const Summary& row) { parts_->add(row); }
std::vector<std::string> RemarkCollector::lines() const { return parts_->lines(); }

std::string listed(const std::vector<std::string>& names) {
  const auto named = static_cast<std::ptrdiff_t>(std::min(kNamed, names.size()));
  return listed({names.begin(), names.begin() + named}, names.size());
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

std::vector<std::string> remarks_on(const RowRange& rows) {
  RemarkCollector remarks;
  for (const Summary& row : rows) remarks.add(row);
  return remarks.lines();
}

}  // namespace pippin
