// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/series.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <utility>

#include "core/base/files.h"
#include "core/base/text.h"
#include "reports/statistics/sample.h"
#include "tests/support/temporary.h"

namespace pippin::test {

std::vector<std::vector<std::string>> csv_rows(const std::string& file) {
  const std::string text = read_input(source_directory() / "tests/data/statistics" / file);
  std::vector<std::vector<std::string>> rows;
  for (std::string_view line : split(text, '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() > 1) rows.emplace_back(cells.begin(), cells.end());
  }
  rows.erase(rows.begin());
  return rows;
}

std::vector<double> last_column(const std::string& file) {
  std::vector<double> values;
  for (const auto& row : csv_rows(file)) values.push_back(parse_number(row.back()).value());
  return values;
}

std::vector<double> series_of(const std::string& file, const std::string& name) {
  std::vector<double> values;
  for (const auto& row : csv_rows(file)) {
    if (row.front() == name) values.push_back(parse_number(row.back()).value());
  }
  return values;
}

std::vector<RunTimes> run_times_of(const std::string& file) {
  std::map<std::string, RunTimes> runs;
  for (const auto& row : csv_rows(file)) {
    RunTimes& run = runs[row.at(2)];
    run.day = row.at(0);
    run.allocation = row.at(1);
    run.name = row.at(2);
    run.values.push_back(parse_number(row.at(4)).value());
  }
  std::vector<RunTimes> list;
  for (auto& entry : runs) list.push_back(std::move(entry.second));
  return list;
}

std::vector<RunMoments> runs_of(const std::string& file) { return moments_of(run_times_of(file)); }

std::vector<RunMoments> moments_of(const std::vector<RunTimes>& runs) {
  std::vector<RunMoments> moments;
  for (const auto& run : runs) moments.push_back(moments_of(run.day, run.allocation, run.values));
  return moments;
}

RunMoments moments_of(std::string day, std::string allocation, const std::vector<double>& values) {
  return {std::move(day), std::move(allocation), values.size(), mean_of(values),
          squares_of(values)};
}

std::vector<double> without_spikes(const std::vector<double>& values, double far, bool start) {
  constexpr std::ptrdiff_t kReach = 3;
  constexpr double kSmallestMad = 1e-6;
  const std::ptrdiff_t first = start ? 1 : 0, end = std::ssize(values);
  auto result = values;
  for (std::ptrdiff_t i = 2 * first; i < end; ++i) {
    const std::vector<double> window(values.begin() + std::max(i - kReach, first),
                                     values.begin() + std::min(i + kReach + 1, end));
    double& value = result[static_cast<std::size_t>(i)];
    const double middle = median_of(window);
    if (std::abs(value - middle) > far * std::max(mad_of(window), kSmallestMad)) value = middle;
  }
  return result;
}

std::vector<std::vector<double>> cycle_of(const std::vector<double>& hours) {
  std::vector<std::vector<double>> columns(3);
  for (const double hour : hours) {
    const double angle = 2 * std::numbers::pi * hour / 24;
    columns[0].push_back(1);
    columns[1].push_back(std::cos(angle));
    columns[2].push_back(std::sin(angle));
  }
  return columns;
}

std::vector<std::vector<double>> indicators(const std::vector<std::size_t>& labels) {
  std::vector<std::size_t> known = labels;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::vector<std::vector<double>> columns;
  for (std::size_t k = 1; k < known.size(); ++k) {
    auto& column = columns.emplace_back();
    for (const std::size_t label : labels) column.push_back(label == known[k] ? 1 : 0);
  }
  return columns;
}

}  // namespace pippin::test
