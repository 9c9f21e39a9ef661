// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "db/database.h"
#include "harness/commands/commands.h"
#include "reports/page/page.h"
#include "reports/show/sheet.h"

namespace pippin {

/// What is known of one thing, and which runs a page of it draws.
struct Shown {
  Sheet sheet;
  SampleFilter filter;
  std::string point_id;                           ///< empty: of all points
  std::optional<std::set<std::int64_t>> run_ids;  ///< nothing: all of those points
};

/// Errors: as thing_named().
Shown shown_by(const Globals& globals, Database& database, const ShowOptions& options);

/// The page of it.
Page page_of(const Globals& globals, Database& database, const ShowOptions& options, Shown shown);

}  // namespace pippin
