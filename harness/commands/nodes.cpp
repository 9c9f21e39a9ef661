// SPDX-License-Identifier: Apache-2.0
#include "reports/nodes.h"

#include <ctime>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/host_list.h"
#include "core/base/text.h"
#include "core/base/user.h"
#include "core/jobs/node_files.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/node_notes.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"

namespace pippin {

namespace {

ExitCode show_all(const Globals& globals, const NodesOptions& options) {
  flat_format_named(options.format);  // before anything is read
  Database database = existing_database(globals);
  const SampleFilter filter = selection_named(globals, database, options.sweep);
  const auto rows = node_rows(database.node_runs(filter), database.evidence(filter),
                              node_notes(folders_of(globals, options.sweep)));
  if (rows.empty())
    remark(globals, fmt::format("{}: knows of no node yet; runs that were collected tell of theirs",
                                printable(globals.db.string())));
  print_table(node_table(rows), options.format);
  return ExitCode::kDone;
}

/// A person's own judgement, for jobs and for whoever submits them.
ExitCode judge(const Globals& globals, const NodesOptions& options) {
  const bool is_bad = !options.exclude.empty();
  const std::string reason(trim(options.because));
  if (is_bad && reason.empty())
    bad_input("nodes: say why: --because 'its GPU 3 is gone'; 'pippin nodes' shows it");
  const auto names = is_bad ? host_names_of("nodes: --exclude", options.exclude)
                            : host_names_of("nodes: --allow", options.allow);
  const auto folders = folders_of(globals, options.sweep);
  if (folders.empty())
    bad_input("nodes: {}: no sweep {}; 'pippin list' shows what there is",
              printable(globals.db.string()),
              options.sweep.empty() ? "yet" : "is named '" + printable(options.sweep) + "'");
  for (const auto& folder : folders) {
    for (const auto& name : names)
      NodeFiles(disk(), folder)
          .mark({name,
                 is_bad,
                 static_cast<std::int64_t>(std::time(nullptr)),
                 own_user(),
                 reason,
                 {}});
  }
  remark(globals, fmt::format("{}: {}", join(names, ", "),
                              is_bad ? "no run is launched there any more, and nothing submitted; "
                                       "PBS alone is not told"
                                     : "allowed again; what failed there before counts no more"));
  return ExitCode::kDone;
}

}  // namespace

ExitCode nodes(const Globals& globals, const NodesOptions& options) {
  if (!options.exclude.empty() && !options.allow.empty())
    bad_input("nodes: --exclude and --allow: name one of them");
  if (options.exclude.empty() && options.allow.empty()) return show_all(globals, options);
  return judge(globals, options);
}

}  // namespace pippin
