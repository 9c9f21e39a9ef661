// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/noise.h"

#include <sstream>
#include <unistd.h>

#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/report.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"

namespace pippin {

Page noise_page_of(const Globals& globals, Database& database, const NoiseOptions& options) {
  ReportOptions rows;
  if (!options.sweep.empty()) rows.selections.push_back(options.sweep);
  rows.pool = options.sweep.empty();
  Page page = page_of(globals, database, rows, report_of(globals, database, rows));
  page.kind = "noise";
  page.command = program_words(globals) + " noise " + options.sweep + " --format html";
  page.noise->set_aside =
      dropped_text(database.dropped(selection_named(globals, database, options.sweep)));
  page.said = sentences_of(*page.noise);
  return page;
}

ExitCode noise(const Globals& globals, const NoiseOptions& options) {
  const NoiseFormat& format = noise_format_named(options.format);
  Database database = existing_database(globals);
  const SampleFilter filter = selection_named(globals, database, options.sweep);
  if (!format.write) {
    print_page(page_document(noise_page_of(globals, database, options)), options.output);
    return ExitCode::kDone;
  }
  const auto points = digested_points(globals, database, filter);
  const std::string name = options.sweep.empty() ? globals.db.string() : options.sweep;
  NoiseTable table{noise_of(name, points, database.evidence(filter)), terminal_width(STDOUT_FILENO),
                   wants_colours()};
  table.noise.set_aside = dropped_text(database.dropped(filter));
  std::ostringstream text;
  format.write(table, text);
  print_text(text.str(), options.format, options.output);
  return ExitCode::kDone;
}

}  // namespace pippin
