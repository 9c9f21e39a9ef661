// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "core/base/files.h"

namespace pippin::db {

/// Called with the file that another process has locked, and how long it is waited for at most.
using LongWait = std::function<void(const fs::path& file, std::chrono::seconds patience)>;

/// What tell_long_wait() calls, once in a process; nothing at first.
void on_long_wait(LongWait tell);

/// For who has waited for a lock since then: tells it once that is some seconds ago.
void tell_long_wait(const fs::path& file, std::chrono::steady_clock::time_point since,
                    std::chrono::milliseconds patience);

}  // namespace pippin::db
