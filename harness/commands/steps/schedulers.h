#pragma once

#include <memory>
#include <string>

#include "core/base/files.h"
#include "core/jobs/scheduler.h"
#include "core/records/value.h"

namespace pippin {

/// The scheduler of a cluster. Errors: Error (bad input) for one that cannot be submitted to.
std::unique_ptr<Scheduler> scheduler_of(const fs::path& db, const std::string& scheduler,
                                        const NamedValues& options = {});

}  // namespace pippin
