// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/nearest_lines.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>

#include "core/base/text.h"
#include "harness/scrape/log_readers.h"

namespace pippin {

namespace {

constexpr std::size_t kMost = 3;
constexpr std::size_t kLongest = 100;   // characters of a line that are kept
constexpr std::size_t kLooked = 400;    // and that are looked at
constexpr std::size_t kInOneLine = 60;  // and that are quoted beside others

int nearness(std::string_view line) {
  constexpr std::string_view kWords[] = {"step",   "iter", "time", "sec",   "ms",    "tok",
                                         "sample", "/s",   "loss", "epoch", "batch", "throughput"};
  const std::string text = lower(line.substr(0, kLooked));
  if (!std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return 0;
  return static_cast<int>(
      std::count_if(std::begin(kWords), std::end(kWords),
                    [&](std::string_view word) { return text.find(word) != std::string::npos; }));
}

class NearestSink : public LineSink {
 public:
  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return common_needles(); }
  void take(const FoundLine& line) override {
    if (line.after_feed) ++number_;
    nearest_.see(number_, line.labelled);
  }
  const NearestLines& nearest() const { return nearest_; }

 private:
  NearestLines nearest_;
  std::size_t number_ = 0;
};

}  // namespace

void NearestLines::see(std::size_t number, std::string_view line) {
  constexpr int kNear = 2;
  const int near = nearness(line);
  if (near < kNear || (lines_.size() == kMost && near <= lines_.back().nearness)) return;
  lines_.push_back({number, printable(trim(line).substr(0, kLongest)), near});
  std::stable_sort(lines_.begin(), lines_.end(),
                   [](const Line& a, const Line& b) { return a.nearness > b.nearness; });
  if (lines_.size() > kMost) lines_.pop_back();
}

std::string what_is_near(const ReadParts& read) {
  NearestSink sink;
  pass(read, sink);
  std::vector<std::string> near;
  for (const auto& line : sink.nearest().lines()) {
    const std::string_view text = line.text;
    near.push_back(fmt::format("line {} '{}'", line.number, printable(text.substr(0, kInOneLine))));
  }
  const std::string help = "; docs/your-own-trainer.md says how to read others";
  return near.empty() ? help : fmt::format("{}{}{}", kNearestLines, join(near, ", "), help);
}

}  // namespace pippin
