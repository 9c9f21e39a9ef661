#include "harness/commands/steps/report_rows.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/names.h"
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

/// One row a point over all campaigns: what most reports are of. Rows that were summed up anew are
/// stored for the next report.
std::vector<Summary> point_rows(const Globals& globals, Database& database,
                                const RowFilter& filter) {
  const std::int64_t moment = database.moment();
  StoredRows known = database.rows(filter, kSummaryVersion);
  if (known.complete) return std::move(known.rows);
  auto rows = summed_rows(globals, database, {filter.sweep, {}}, {});
  try {
    database.put_rows(rows, kSummaryVersion, moment);
  } catch (const Error& error) {
    say_slow(globals, error.what());
  }
  return rows;
}

}  // namespace

Database existing_database(const Globals& globals) {
  OpenDatabase existing;
  existing.create = false;
  return Database(globals.db, existing);
}

SampleFilter selection_named(const Globals& globals, Database& database, const std::string& name) {
  if (name.empty()) return {};
  if (const auto selection = database.selection(name)) return *selection;
  std::vector<std::string> names;
  for (const auto& known : names_in(globals.db, NameKind::kSelections, ""))
    names.push_back(known.name);
  bad_input("{}: no sweep, campaign or tag is named '{}'{}", printable(globals.db.string()),
            printable(name), did_you_mean(name, names));
}

std::vector<PointSamples> digested_points(const Globals& globals, Database& database,
                                          const SampleFilter& filter) {
  auto samples = database.digested_samples(filter, {kSummaryVersion, digest_of});
  say_slow(globals, samples.trouble);
  return std::move(samples.points);
}

std::vector<Summary> report_rows(const Globals& globals, Database& database,
                                 const SampleFilter& filter, const Summing& summing,
                                 const Rating& rating, const AxisNames& axes) {
  const bool usual = summing.samples == Samples::kClean && !summing.by_run && !filter.campaign;
  AxisNames known = axes;
  for (auto& axis : precision_axes()) known.insert(std::move(axis));
  auto rows = usual ? point_rows(globals, database, {filter.sweep, known})
                    : summed_rows(globals, database, filter, summing);
  for (auto& row : rows) rate(row, rating);
  return rows;
}

void keep_sums(const Globals& globals, Database& database) { point_rows(globals, database, {}); }

}  // namespace pippin
