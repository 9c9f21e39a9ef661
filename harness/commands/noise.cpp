// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/noise.h"

#include <sstream>
#include <unistd.h>

#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"

namespace pippin {

ExitCode noise(const Globals& globals, const NoiseOptions& options) {
  const NoiseFormat& format = noise_format_named(options.format);
  Database database = existing_database(globals);
  const SampleFilter filter = selection_named(globals, database, options.sweep);
  say_what_is_set_aside(globals, database, filter);
  const auto points = digested_points(globals, database, filter);
  const std::string name = options.sweep.empty() ? globals.db.string() : options.sweep;
  const NoiseTable table{noise_of(name, points, database.evidence(filter)),
                         terminal_width(STDOUT_FILENO), wants_colours()};
  std::ostringstream text;
  format.write(table, text);
  print_text(text.str(), options.format);
  return ExitCode::kDone;
}

}  // namespace pippin
