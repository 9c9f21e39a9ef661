#include "reports/remarks.h"

#include <fmt/format.h>

#include "harness/base/text.h"

namespace pippin {

namespace {

/// Texts with the points they hold for, in the order they came.
class Grouped {
 public:
  void add(const std::string& text, const Summary& row) {
    if (text.empty()) return;
    for (auto& group : groups_) {
      if (group.first == text) return group.second.push_back(printable(row.point.name));
    }
    groups_.push_back({text, {printable(row.point.name)}});
  }
  std::vector<std::string> lines(std::size_t rows) const {
    std::vector<std::string> result;
    for (const auto& group : groups_) {
      const bool all = group.second.size() == rows;
      result.push_back(all ? group.first
                           : fmt::format("{}: {}", group.first, listed(group.second)));
    }
    return result;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> groups_;
};

std::string interval_remark(const Interval& time) {
  if (time.low) {
    return fmt::format("± is half of the 95 % interval, over {}s{}", time.unit,
                       time.remark.empty() ? "" : "; " + time.remark);
  }
  return fmt::format("no ±, {}", time.remark);
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  if (names.size() <= kNamed) return join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + kNamed);
  return fmt::format("{} and {} more", join(first, ", "), names.size() - kNamed);
}

std::vector<std::string> remarks_on(const std::vector<Summary>& rows) {
  Grouped intervals, others;
  for (const auto& row : rows) {
    if (row.step_time_s) intervals.add(interval_remark(*row.step_time_s), row);
    if (!row.clean) {
      others.add(
          "* the mean holds lines that are no clean samples (the first, a skipped step, after a "
          "save "
          "or an evaluation, or the mean of an interval)",
          row);
    }
    others.add(printable(row.reason), row);
    for (const auto& remark : row.remarks) others.add(printable(remark), row);
  }
  auto lines = intervals.lines(rows.size());
  for (auto& line : others.lines(rows.size())) lines.push_back(std::move(line));
  return lines;
}

}  // namespace pippin
