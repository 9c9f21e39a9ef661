// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/report_rows.h"

#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/names.h"
#include "harness/commands/steps/selections.h"
#include "reports/details.h"
#include "reports/digest.h"
#include "reports/peak.h"

namespace pippin {

namespace {

void say_slow(const Globals& globals, const std::string& trouble) {
  if (!trouble.empty())
    remark(globals, fmt::format("{} (the next report will be as slow)", trouble));
}

/// Rows of what the database has of a selection.
std::vector<Summary> summed_rows(const Globals& globals, Database& database,
                                 const SampleFilter& filter, const Summing& summing) {
  return sum_up(digested_points(globals, database, filter), summing);
}

/// One row a point: what most reports are of. Rows that were summed up anew are
/// stored for the next report.
std::vector<Summary> point_rows(const Globals& globals, Database& database, RowFilter filter) {
  filter.all_or_none = true;
  const std::int64_t moment = database.moment();
  StoredRows known = database.rows(filter, kSummaryVersion);
  if (known.complete) return std::move(known.rows);
  auto rows = summed_rows(globals, database, filter.of, {});
  for (auto& row : rows) row.campaign = filter.of.campaign.value_or(0);
  try {
    database.put_rows(filter.of, rows, kSummaryVersion, moment);
  } catch (const Error& error) {
    say_slow(globals, error.what());
  }
  return rows;
}

}  // namespace

Database existing_database(const Globals& globals) {
  OpenDatabase existing;
  existing.create = false;
  existing.read_only = globals.for_readers;
  return Database(globals.db, existing);
}

Digester digester() {
  return {kSummaryVersion, [](const EachLine& each_line, const auto& warmup) {
            return digest_of(each_line, warmup);
          }};
}

SampleFilter selection_named(const Globals& globals, Database& database, const std::string& name) {
  if (const auto selection = find_selection(database, name)) return *selection;
  std::vector<std::string> names;
  for (const auto& known : names_in(globals.db, NameKind::kSelections, ""))
    names.push_back(known.name);
  bad_input("{}: no sweep, campaign or tag is named '{}'{}", printable(globals.db.string()),
            printable(name), did_you_mean(name, names));
}

std::vector<PointSamples> digested_points(const Globals& globals, Database& database,
                                          const SampleFilter& filter) {
  auto samples = database.digested_samples(filter, digester());
  say_slow(globals, samples.trouble);
  return std::move(samples.points);
}

std::vector<Summary> report_rows(const Globals& globals, Database& database,
                                 const SampleFilter& filter, const Summing& summing,
                                 const Rating& rating, const AxisNames& axes, bool details) {
  const bool usual = !details && !filter.dropped && summing.samples == Samples::kClean &&
                     summing.by == Rows::kPoint;
  AxisNames known = axes;
  for (auto& axis : precision_axes()) known.insert(std::move(axis));
  auto rows = usual ? point_rows(globals, database, {filter, known})
                    : summed_rows(globals, database, filter, summing);
  if (details) add_details(rows, database.evidence(filter), database.run_logs(filter));
  for (auto& row : rows) rate(row, rating);
  if (filter.campaign) {
    for (auto& row : rows) row.campaign = *filter.campaign;
  }
  return rows;
}

RunReport run_report(const Globals& globals, Database& database, const SampleFilter& filter,
                     Samples samples, const Rating& rating) {
  RunReport report{std::make_shared<RunRows>(digested_points(globals, database, filter), samples),
                   {}};
  report.made.make = [rows = report.rows, rating, campaign = filter.campaign](std::uint32_t of,
                                                                              Summary& row) {
    row = rows->row(of);
    rate(row, rating);
    if (campaign) row.campaign = *campaign;
  };
  report.made.order.resize(report.rows->size());
  std::iota(report.made.order.begin(), report.made.order.end(), std::uint32_t{0});
  return report;
}

void keep_sums(const Globals& globals, Database& database) {
  const SampleFilter all, usual = selected(globals, database, "", false).filter;
  point_rows(globals, database, {all, {}});
  if (usual.campaign) point_rows(globals, database, {usual, {}});
}

}  // namespace pippin
