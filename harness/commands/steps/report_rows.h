// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/database.h"
#include "harness/commands/steps/output.h"
#include "reports/row_range.h"
#include "reports/summarize.h"

namespace pippin {

/// Opens a database that must be there. Errors: as Database.
Database existing_database(const Globals& globals);

/// The sweep, campaign or tag of that name; everything where it is empty.
/// Errors: Error (bad input) naming the nearest where there is none.
SampleFilter selection_named(const Globals& globals, Database& database, const std::string& name);

/// How reports sum up lines.
Digester digester();

/// What was measured of a selection, every run with its digest; that new digests cannot be stored
/// is a remark.
std::vector<PointSamples> digested_points(const Globals& globals, Database& database,
                                          const SampleFilter& filter);

using AxisNames = std::set<std::string, std::less<>>;

/// The rows of a report, rated; those of foreign logs with the axes that differ between them, and
/// `axes`. What was not summed up yet, or has changed since, is, and stored,
/// so that the next report need not read every iteration. `details`: with those, which are not
/// stored.
/// Errors: as Database; that sums cannot be stored is a remark.
std::vector<Summary> report_rows(const Globals& globals, Database& database,
                                 const SampleFilter& filter, const Summing& summing,
                                 const Rating& rating, const AxisNames& axes = {},
                                 bool details = false);

/// The same by run, one after the other when they are looked at; without what needs all of them.
struct RunReport {
  std::shared_ptr<const RunRows> rows;
  MadeRows made;
};
RunReport run_report(const Globals& globals, Database& database, const SampleFilter& filter,
                     Samples samples, const Rating& rating);

/// Sums up what has changed, for reports to come.
void keep_sums(const Globals& globals, Database& database);

}  // namespace pippin
