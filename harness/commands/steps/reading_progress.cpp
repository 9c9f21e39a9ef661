// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/reading_progress.h"

#include <algorithm>
#include <string>

#include "harness/commands/steps/output.h"
#include "reports/progress.h"

namespace pippin {

ReadingProgress::ReadingProgress(std::size_t files, std::int64_t bytes, std::size_t width)
    : files_(files), width_(width), bytes_(bytes) {}

void ReadingProgress::read_bytes(std::int64_t bytes) {
  bytes_read_ += bytes;
  draw();
}

void ReadingProgress::read_file() {
  ++files_read_;
  draw();
}

void ReadingProgress::draw() {
  constexpr std::chrono::milliseconds kPatience{500}, kStep{100};
  if (width_ < 2) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const auto now = Clock::now();
  if (now - since_ < kPatience || now - drawn_at_ < kStep) return;
  drawn_at_ = now;
  // The last column stays free: some terminals wrap when it is written.
  const std::string bar = reading_bar({files_, files_read_, bytes_, bytes_read_,
                                       std::chrono::duration<double>(now - since_).count()},
                                      width_ - 1);
  write_error("\r" + bar + std::string(drawn_ - std::min(drawn_, bar.size()), ' '));
  drawn_ = bar.size();
}

void ReadingProgress::wipe() {
  const std::lock_guard lock(mutex_);
  if (drawn_ > 0) write_error("\r" + std::string(drawn_, ' ') + "\r");
  drawn_ = 0;
}

}  // namespace pippin
