// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/commands/steps/output.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_source.h"

namespace pippin {

// What `run` and `submit` say, and ask, before the scheduler gets anything.

void say_what_was_dropped(const Globals& globals, const Sweep& sweep, const SweepSource& source);

/// A remark where the sweep would write what was submitted otherwise today, or where the folder of
/// its campaigns has gone.
void say_what_has_changed(const Globals& globals, Session& session);
/// Of which runs the database has results whose files are gone: they are not measured again.
void say_what_is_stored(const Globals& globals, Session& session);

/// A remark where jobs have runs that the sweep no longer asks for.
void say_what_goes_on_unasked(const Globals& globals, Session& session, const SweepSource& source);

/// Says what is about to be claimed of a cluster, and asks where that is much.
/// Errors: Error (bad input) where it is more than the budget and nobody agrees.
void agree(const Globals& globals, Session& session);

/// The words that go on with the sweep; `run`: the command and options that stand before it.
std::string come_back(const Globals& globals, const SweepSource& sweep,
                      const std::string& run = "run");

}  // namespace pippin
