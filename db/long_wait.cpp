// SPDX-License-Identifier: Apache-2.0
#include "db/long_wait.h"

#include <utility>

namespace pippin::db {

namespace {

LongWait& long_wait() {
  static LongWait tell;
  return tell;
}

}  // namespace

void on_long_wait(LongWait tell) { long_wait() = std::move(tell); }

void tell_long_wait(const fs::path& file, std::chrono::steady_clock::time_point since,
                    std::chrono::milliseconds patience) {
  constexpr std::chrono::seconds kLong{3};
  if (std::chrono::steady_clock::now() - since < kLong || patience <= kLong) return;
  if (LongWait tell = std::exchange(long_wait(), nullptr))
    tell(file, std::chrono::duration_cast<std::chrono::seconds>(patience));
}

}  // namespace pippin::db
