// SPDX-License-Identifier: Apache-2.0
#include "reports/progress.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr std::size_t kBarWidth = 20;

/// `done` of `total`, with a bar where that has room.
std::string with_bar(double done, double total, const std::string& text, std::size_t width) {
  const double part = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(kBarWidth));
  const std::string bar =
      "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] " + text;
  return display_width(bar) <= width ? bar : text.substr(0, width);
}

/// Whether a line that is not drawn over has news: the end, a first failure, and whatever changed
/// where the last line is old.
bool has_news(const Progress& before, const Progress& now) {
  constexpr double kOld_s = 30;
  const bool changed = before.total != now.total || before.done != now.done ||
                       before.failed != now.failed || before.running != now.running ||
                       before.cancelled != now.cancelled || before.let_be != now.let_be ||
                       before.lost != now.lost;
  const bool is_end = now.left() == 0;
  const bool first_failure = before.failed + before.lost == 0 && now.failed + now.lost > 0;
  return changed && (is_end || first_failure || now.elapsed_s - before.elapsed_s >= kOld_s);
}

}  // namespace

std::optional<double> time_left_s(const Progress& progress) {
  const std::size_t ended = progress.done - std::min(progress.earlier, progress.done);
  if (ended == 0) return std::nullopt;
  return progress.elapsed_s / static_cast<double>(ended) * static_cast<double>(progress.left());
}

std::string progress_text(const Progress& progress) {
  std::string text = fmt::format("{} of {} done", progress.done, counted(progress.total, "run"));
  if (progress.running > 0) text += fmt::format(", {} running", progress.running);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (progress.lost > 0) text += fmt::format(", {} lost", progress.lost);
  if (progress.cancelled > 0) text += fmt::format(", {} cancelled", progress.cancelled);
  if (progress.let_be > 0) text += fmt::format(", {} given up", progress.let_be);
  const auto left = time_left_s(progress);
  if (left && progress.left() > 0) text += fmt::format(", about {} left", duration_text(*left));
  return text;
}

std::string progress_bar(const Progress& progress, std::size_t width) {
  return with_bar(static_cast<double>(progress.done), static_cast<double>(progress.total),
                  progress_text(progress), width);
}

std::string reading_bar(const Reading& reading, std::size_t width) {
  constexpr double kGB = 1e9;
  const auto done = static_cast<double>(reading.bytes_read);
  const auto all = static_cast<double>(std::max(reading.bytes, reading.bytes_read));
  std::string text = fmt::format("{} of {}, {:.1f} of {:.1f} GB", reading.files_read,
                                 counted(reading.files, "file"), done / kGB, all / kGB);
  if (reading.elapsed_s > 0 && done > 0) {
    text += fmt::format(", {:.1f} GB/s", done / kGB / reading.elapsed_s);
    if (all > done)
      text +=
          fmt::format(", about {} left", duration_text(reading.elapsed_s * (all - done) / done));
  }
  return with_bar(done, all, text, width);
}

std::string ProgressDisplay::update(const Progress& progress) {
  if (!terminal_) {
    if (last_ && !has_news(*last_, progress)) return "";
    last_ = progress;
    return progress_text(progress) + "\n";
  }
  // The last column stays free: some terminals wrap when it is written.
  const std::string bar = progress_bar(progress, width_ > 1 ? width_ - 1 : 1);
  const std::string blanks(drawn_ > bar.size() ? drawn_ - bar.size() : 0, ' ');
  drawn_ = bar.size();
  return "\r" + bar + blanks;
}

std::string ProgressDisplay::finish() {
  if (drawn_ == 0) return "";
  drawn_ = 0;
  return "\n";
}

}  // namespace pippin
