// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/run.h"

namespace pippin::test {

/// A text below tests/data/trainers: lines of the form that a trainer prints.
std::string excerpt(const std::string& name);

/// The names of all of them.
std::vector<std::string> excerpts();

/// The launch in a log that has one. Fails the test elsewhere.
LogRun only_run(const std::string& log);

std::vector<std::int64_t> steps_of(const LogRun& run);
std::vector<double> times_of(const LogRun& run);  ///< ms
std::vector<unsigned> flags_of(const LogRun& run);
std::vector<std::int64_t> intervals_of(const LogRun& run);

}  // namespace pippin::test
