// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "db/database.h"
#include "harness/commands/steps/output.h"

namespace pippin {

/// A remark on runs of these campaigns that are over and that nobody has read into the database, of
/// the ten that were begun last: tables lack them.
void say_what_is_unread(const Globals& globals, Database& database, const SampleFilter& filter);

}  // namespace pippin
