// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"

namespace pippin {

namespace {

enum Text : std::size_t { kBackward, kSigns, kDevices = kSigns, kTexts };

// Sources: saforem2/ezpz, src/ezpz/test_dist.py and examples/, 2024-2026, and saforem2/wordplay,
// src/wordplay/trainer.py, 2024.
constexpr std::array<std::string_view, kTexts> kSaid{
    " dtb=",
    "Training with ",
};

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kDevices)) read_devices(line.text, log.launch().facts.layout);
    if (line.has(kBackward)) see_step(line.text, log);
  }

  void flush(TrainerLog& log) override {
    if (!held_.empty())
      log.could_not_use(held_, "it may be cut, and does not say whether its times are seconds");
    held_.clear();
  }

 private:
  static constexpr double kSeconds = 1, kMilliseconds = 1 / kMsPerSecond;

  /// "Training with 48 x xpu (s), using torch_dtype=torch.bfloat16".
  static void read_devices(std::string_view line, Layout& layout) {
    const auto at = line.find(kSaid[kDevices]);
    if (!is_prefix(line.substr(0, at))) return;
    const auto said = line.substr(at + kSaid[kDevices].size());
    const auto figure = figure_at(said);
    const Count count = count_of(figure);
    if (count && *count > 0 && said.substr(figure->size).starts_with(" x ")) layout.gpus = count;
  }

  /// The unit of a line's times. wordplay, which has milliseconds, tells samples and then millions
  /// of tokens a second behind them. Nothing where a cut line of it looks the same.
  static std::optional<double> unit_said(std::string_view line) {
    if (find_key(line, "mtps=") != std::string_view::npos) return kMilliseconds;
    auto behind = text_after(line, "dtb=").value_or("");
    const auto next_word = [&] {
      behind = left_trim(behind.substr(std::min(behind.find(' '), behind.size())));
    };
    next_word();
    if (behind.starts_with("sps=")) next_word();
    return behind.find('=') != std::string_view::npos ? std::optional(kSeconds) : std::nullopt;
  }

  std::optional<double> unit_of_launch(const TrainerLaunch& launch) const {
    return launch.rows(number_).empty() ? std::nullopt : unit_;
  }

  /// The last line of a log may be cut. The first of a launch waits for another where it does not
  /// say its unit.
  void see_step(std::string_view line, TrainerLog& log) {
    auto unit = unit_said(line);
    if (!held_.empty()) read_step(std::exchange(held_, {}), unit.value_or(kSeconds), log);
    if (!unit) unit = unit_of_launch(log.launch());
    if (!unit) {
      held_ = line;
      return;
    }
    read_step(line, *unit, log);
  }

  /// "iter=1 loss=7.161612 dt=0.699467 dtf=0.047248 dtb=0.641429": times of the step, forward and
  /// backward; newer ones leave out their sum. Others count "step=".
  void read_step(std::string_view line, double unit, TrainerLog& log) {
    const std::string_view key =
        find_key(line, "iter=") != std::string_view::npos ? "iter=" : "step=";
    const auto at = find_key(line, key);
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at), before = line.substr(0, at);
    const Count step = count_after(said, key);
    const auto whole = figure_after(said, "dt="), forward = figure_after(said, "dtf="),
               backward = figure_after(said, "dtb=");
    if (!step || !forward || !backward || !is_prefix(before)) return;
    const double seconds = (whole ? whole->value : forward->value + backward->value) * unit;
    const double quantum = (whole ? whole->quantum : forward->quantum + backward->quantum) * unit;
    if (!(seconds > 0)) return log.could_not_use(line, "its time is not above 0");
    StepRecord record;
    record.step = *step;
    record.figure = {seconds * kMsPerSecond, quantum * kMsPerSecond, 0};
    record.other.emplace_back("forward (s)", forward->value * unit);
    record.other.emplace_back("backward (s)", backward->value * unit);
    const auto loss = text_after(said, "loss=");
    const auto value = loss ? figure_at(*loss) : std::nullopt;
    if (value) record.lm_loss = value->value;
    record.bad_loss = loss && !value;
    record.at = time_of(before);
    if (record.step == 0) log.launch().first_step = 0;
    unit_ = unit;
    log.add(number_, record, before);
  }

  const std::size_t number_;
  std::optional<double> unit_;  ///< of the line before, in seconds
  std::string held_;            ///< a line whose unit is not known yet
};

}  // namespace

constinit const TrainerFormat kEzpz{"ezpz", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin
