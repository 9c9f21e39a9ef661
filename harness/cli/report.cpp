#include <sstream>
#include <unistd.h>

#include "db/database.h"
#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/samples.h"
#include "reports/format.h"
#include "reports/summarize.h"

namespace pippin {

namespace {

Samples samples_named(const std::string& name) {
  if (name == "clean") return Samples::kClean;
  if (name == "all") return Samples::kAll;
  bad_input("--samples {}: there is clean and all{}", printable(name),
            did_you_mean(name, {"clean", "all"}));
}

}  // namespace

ExitCode report(const Globals& globals, const ReportOptions& options) {
  const Format& format = format_named(options.format);
  const Samples samples = samples_named(options.samples);
  OpenDatabase existing;
  existing.create = false;
  Database database(globals.db, existing);
  SampleFilter filter;
  if (!options.sweep.empty()) filter.sweep = options.sweep;
  auto rows = report_rows(globals, database, filter, {samples}, {});
  if (rows.empty() && !options.sweep.empty()) {
    bad_input("{}: no sweep is named '{}'", globals.db.string(), printable(options.sweep));
  }
  std::ostringstream text;
  format.write({std::move(rows), terminal_width(STDOUT_FILENO)}, text);
  write_output(text.str());
  return ExitCode::kDone;
}

}  // namespace pippin
