#include <fmt/format.h>

#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/report_rows.h"

namespace pippin {

ExitCode note(const Globals& globals, const NoteOptions& options) {
  Database database = existing_database(globals);
  const RunName run = run_named(globals, database, options.run);
  const std::string text(trim(options.text));
  database.put_note(run.id, text);
  remark(globals, text.empty() ? fmt::format("{}: has no note any more", printable(run.name))
                               : fmt::format("{}: {}", printable(run.name), printable(text)));
  return ExitCode::kDone;
}

}  // namespace pippin
