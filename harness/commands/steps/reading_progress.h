// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace pippin {

/// Draws on standard error how much of some files was read, once that takes a while. Any thread
/// may tell it.
class ReadingProgress {
 public:
  /// `width`: of the terminal; 0 where nothing is to be drawn.
  ReadingProgress(std::size_t files, std::int64_t bytes, std::size_t width);
  ~ReadingProgress() { wipe(); }
  ReadingProgress(const ReadingProgress&) = delete;
  ReadingProgress& operator=(const ReadingProgress&) = delete;

  void read_bytes(std::int64_t bytes);
  void read_file();
  /// Before anything else is written: takes the bar away, until it is drawn again.
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;

  void draw();

  const std::size_t files_, width_;
  const std::int64_t bytes_;
  const Clock::time_point since_ = Clock::now();
  std::atomic<std::size_t> files_read_ = 0;
  std::atomic<std::int64_t> bytes_read_ = 0;
  std::mutex mutex_;
  Clock::time_point drawn_at_ = since_;
  std::size_t drawn_ = 0;  ///< columns that stand there
};

}  // namespace pippin
