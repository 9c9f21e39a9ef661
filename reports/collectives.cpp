// SPDX-License-Identifier: Apache-2.0
#include "reports/collectives.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "reports/flat_columns.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;

/// The place stands as 0 for out of place, 1 for in place, 2 where the table does not say.
int place_of(const Collective& measured) {
  return measured.in_place ? (*measured.in_place ? 1 : 0) : 2;
}

auto key_of(const CollectiveReading& reading) {
  const Collective& measured = reading.measured;
  return std::make_tuple(std::string_view(measured.operation), place_of(measured),
                         std::string_view(measured.number_type), reading.ranks, reading.nodes,
                         measured.bytes);
}

/// Bytes in a microsecond are megabytes in a second.
double algbw_of(const Collective& measured) {
  constexpr double kMbPerGb = 1e3;
  return measured.algbw_gb_per_s.value_or(static_cast<double>(measured.bytes) / measured.time_us /
                                          kMbPerGb);
}

using Readings = std::vector<const CollectiveReading*>;

/// The mean of each reading, which may have measured more than once, where it has any.
template <typename Value>
std::vector<double> means_by_reading(const Readings& group, const Value& value) {
  std::vector<double> means, of_one;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (const std::optional<double> number = value(group[i]->measured)) of_one.push_back(*number);
    const bool is_last = i + 1 == group.size() || group[i + 1]->reading != group[i]->reading;
    if (!is_last || of_one.empty()) continue;
    means.push_back(mean_of(of_one));
    of_one.clear();
  }
  return means;
}

void count(CollectiveRow& row, const Readings& group) {
  std::set<std::int64_t> readings, days;
  for (const auto* reading : group) {
    readings.insert(reading->reading);
    days.insert(reading->taken_at / kSecondsPerDay);
    row.wrong += reading->measured.wrong.value_or(0);
    row.unchecked += reading->measured.wrong ? 0 : 1;
  }
  row.readings = static_cast<std::int64_t>(readings.size());
  row.days = static_cast<std::int64_t>(days.size());
}

/// Requires readings of one key, in the order of their numbers.
CollectiveRow row_of(const Readings& group) {
  CollectiveRow row;
  row.of = *group.front();
  count(row, group);
  const auto busbw =
      means_by_reading(group, [](const Collective& measured) { return measured.busbw_gb_per_s; });
  if (!busbw.empty()) {
    row.busbw_median = median_of(busbw);
    row.busbw_mean = mean_of(busbw);
    row.busbw_min = *std::min_element(busbw.begin(), busbw.end());
    row.busbw_max = *std::max_element(busbw.begin(), busbw.end());
  }
  if (busbw.size() > 1) row.busbw_sd = sd_of(busbw);
  const auto algbw =
      means_by_reading(group, [](const Collective& measured) -> std::optional<double> {
        return measured.time_us > 0 ? std::optional(algbw_of(measured)) : std::nullopt;
      });
  if (algbw.empty()) return row;
  row.algbw_median = median_of(algbw);
  row.algbw_mean = mean_of(algbw);
  return row;
}

}  // namespace

std::vector<CollectiveRow> collective_rows(const std::vector<CollectiveReading>& readings) {
  Readings sorted;
  sorted.reserve(readings.size());
  for (const auto& reading : readings) sorted.push_back(&reading);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    const auto key_a = key_of(*a), key_b = key_of(*b);
    return key_a != key_b ? key_a < key_b : a->reading < b->reading;
  });
  std::vector<CollectiveRow> rows;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::find_if(begin, sorted.end(), [&](const auto* reading) {
      return key_of(*reading) != key_of(**begin);
    });
    rows.push_back(row_of({begin, end}));
    begin = end;
  }
  return rows;
}

namespace {

using Columns = FlatColumns<CollectiveRow>;
constexpr auto kLeft = TextColumn::Align::kLeft;

/// "1 MiB", "4.66 GiB", "1000 B".
std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  auto number = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; number >= kStep && unit + 1 < kUnits.size(); ++unit) number /= kStep;
  return fmt::format("{} {}", short_number(number), kUnits.at(unit));
}

const char* place_text(const CollectiveRow& row) {
  constexpr std::array<const char*, 3> kPlaces{"out of place", "in place", ""};
  return kPlaces.at(static_cast<std::size_t>(place_of(row.of.measured)));
}

std::optional<std::int64_t> known_count(std::int64_t number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}

void add_size_of_job(Columns& columns, const char* name, std::int64_t CollectiveReading::*count) {
  columns.add(
      {name, name, 7},
      [&](const auto& row) {
        return row.of.*count > 0 ? std::to_string(row.of.*count) : std::string();
      },
      [&](const auto& row) { return known_count(row.of.*count); });
}

void add_what(Columns& columns) {
  columns.add(
      {"operation", "operation", 9, kLeft},
      [](const auto& row) { return printable(row.of.measured.operation); },
      [](const auto& row) { return row.of.measured.operation; });
  columns.add({"place", "place", 6, kLeft}, place_text,
              [](const auto& row) { return std::string(place_text(row)); });
  columns.add(
      {"type", "number_type", 2, kLeft},
      [](const auto& row) { return printable(row.of.measured.number_type); },
      [](const auto& row) { return row.of.measured.number_type; });
  add_size_of_job(columns, "ranks", &CollectiveReading::ranks);
  add_size_of_job(columns, "nodes", &CollectiveReading::nodes);
  columns.add(
      {"size", "size_bytes", 9}, [](const auto& row) { return bytes_text(row.of.measured.bytes); },
      [](const auto& row) { return std::optional(row.of.measured.bytes); });
}

std::string mean_cell(const CollectiveRow& row) {
  if (!row.busbw_mean) return "";
  const MeanText text = mean_text(*row.busbw_mean, row.busbw_sd);
  return text.half_width.empty() ? text.mean : fmt::format("{} ± {}", text.mean, text.half_width);
}

void add_bandwidths(Columns& columns) {
  columns.add_number({"busbw GB/s", "busbw_median_gb_per_s", 8}, &CollectiveRow::busbw_median);
  columns.add({"mean", "busbw_mean_gb_per_s", 5}, mean_cell,
              [](const auto& row) { return row.busbw_mean; });
  columns.add(
      {"", "busbw_sd_gb_per_s"}, [](const auto&) { return ""; },
      [](const auto& row) { return row.busbw_sd; });
  columns.add_number({"least", "busbw_min_gb_per_s", 3}, &CollectiveRow::busbw_min);
  columns.add_number({"most", "busbw_max_gb_per_s", 3}, &CollectiveRow::busbw_max);
  columns.add_number({"algbw GB/s", "algbw_median_gb_per_s", 4}, &CollectiveRow::algbw_median);
  columns.add(
      {"", "algbw_mean_gb_per_s"}, [](const auto&) { return ""; },
      [](const auto& row) { return row.algbw_mean; });
}

std::vector<std::string> remarks_on(const std::vector<CollectiveRow>& rows) {
  const auto any = [&](auto condition) { return std::any_of(rows.begin(), rows.end(), condition); };
  std::vector<std::string> remarks{
      "busbw, algbw: medians over readings, in 1e9 bytes a second as nccl-tests define them."};
  if (any([](const auto& row) { return row.busbw_sd.has_value(); }))
    remarks.emplace_back("±: standard deviation between readings.");
  if (any([](const auto& row) { return row.wrong > 0; }))
    remarks.emplace_back(
        "wrong: results were not what they must be; the speed of what is wrong says nothing.");
  return remarks;
}

}  // namespace

FlatTable collective_table(const std::vector<CollectiveRow>& rows) {
  Columns columns(rows);
  add_what(columns);
  add_bandwidths(columns);
  columns.add_count({"readings", "readings", 6}, &CollectiveRow::readings);
  columns.add_count({"days", "days", 4}, &CollectiveRow::days);
  columns.add_count({"wrong", "wrong", 8}, &CollectiveRow::wrong);
  columns.add_count({"", "unchecked"}, &CollectiveRow::unchecked);
  return {"collectives", columns.take(), remarks_on(rows)};
}

}  // namespace pippin
