#include "tests/reports/statistics/series.h"

#include <cmath>
#include <map>
#include <numbers>

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

std::vector<double> series_of(const std::string& file, const std::string& name) {
  std::vector<double> values;
  for (const auto& row : csv_rows(file)) {
    if (row.front() == name) values.push_back(parse_number(row.back()).value());
  }
  return values;
}

std::vector<RunMoments> runs_of(const std::string& file) {
  struct Times {
    std::string day, allocation;
    std::vector<double> values;
  };
  std::map<std::string, Times> runs;
  for (const auto& row : csv_rows(file)) {
    Times& run = runs[row.at(2)];
    run.day = row.at(0);
    run.allocation = row.at(1);
    run.values.push_back(parse_number(row.at(4)).value());
  }
  std::vector<RunMoments> moments;
  for (const auto& entry : runs) {
    moments.push_back(moments_of(entry.second.day, entry.second.allocation, entry.second.values));
  }
  return moments;
}

RunMoments moments_of(std::string day, std::string allocation, const std::vector<double>& values) {
  return {std::move(day), std::move(allocation), values.size(), mean_of(values),
          squares_of(values)};
}

}  // namespace pippin::test
