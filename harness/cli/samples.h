#pragma once

#include <vector>

#include "db/database.h"
#include "harness/cli/commands.h"

namespace pippin {

/// What the database has of a selection, every run summed up. Sums that were not stored yet are
/// made and stored, so that the next report need not read all iterations.
/// Errors: as Database; that the sums cannot be stored is a remark.
std::vector<PointSamples> digested_samples(const Globals& globals, Database& database,
                                           const SampleFilter& filter = {});

}  // namespace pippin
