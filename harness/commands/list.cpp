// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/unread.h"
#include "reports/contents.h"

namespace pippin {

ExitCode list(const Globals& globals, const ListOptions& options) {
  const ContentsFormat& format = contents_format_named(options.format);
  Database database = existing_database(globals);
  const SampleFilter filter = selection_named(globals, database, options.sweep);
  const ContentsTable table{database.contents(filter), terminal_width(STDOUT_FILENO),
                            wants_colours()};
  if (table.entries.empty()) {
    remark(globals, fmt::format("{}: holds no sweep and no log yet; 'pippin run' or 'pippin "
                                "collect' brings some",
                                printable(globals.db.string())));
  }
  say_what_is_unread(globals, database, filter);
  std::ostringstream text;
  format.write(table, text);
  print_text(text.str(), options.format);
  return ExitCode::kDone;
}

}  // namespace pippin
