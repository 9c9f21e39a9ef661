// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/report_rows.h"

namespace pippin {

ExitCode tag(const Globals& globals, const TagOptions& options) {
  if (trim(options.tag).empty() || options.tag.find('/') != std::string::npos)
    bad_input("tag '{}': a tag is a word without '/'", printable(options.tag));
  Database database = existing_database(globals);
  const SampleFilter filter = selection_named(globals, database, options.campaign);
  if (filter.sweep.value_or("").empty())
    bad_input("'{}' is no campaign; name a sweep, a campaign or one of its runs",
              printable(options.campaign));
  database.put_tag(options.tag, {*filter.sweep, filter.campaign});
  remark(globals, fmt::format("'{}' is what 'pippin report {}' shows", printable(options.campaign),
                              printable(options.tag)));
  return ExitCode::kDone;
}

}  // namespace pippin
