// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "db/database.h"
#include "harness/commands/steps/output.h"

namespace pippin {

/// What a name is of; one of them is set.
struct Thing {
  std::optional<std::int64_t> run;
  std::optional<Point> point;
  std::optional<SampleFilter> selection;
  std::optional<std::string> node;
};

/// The run ("RUN", "SWEEP/RUN", its number), the point (its name or id), the sweep, campaign or
/// tag, or the node of that name. `as`: "run", "point", "sweep" or "node" where it may be several;
/// else empty. Errors: Error (bad input) naming the nearest where there is none, or what it may be.
Thing thing_named(const Globals& globals, Database& database, const std::string& name,
                  const std::string& as);

}  // namespace pippin
