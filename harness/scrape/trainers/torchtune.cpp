// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/base/whole_number.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/checkpoint_lines.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t { kRate, kSigns, kPart = kSigns, kTook, kTexts };

// Source: meta-pytorch/torchtune, recipes/*.py, training/metric_logging.py and
// training/checkpointing/_checkpointer.py, 2024-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    " tokens_per_second_per_gpu:",
    " checkpoint of size ",
    "Saving checkpoint took ",
};

constexpr CheckpointLine kCheckpoints[] = {
    {.text = kTook,
     .what = CheckpointWord::What::kTook,
     .kind = CheckpointKind::kSave,
     .seconds = " took "},
};

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  /// "Step 1 | loss:1.2 lr:2e-05 tokens_per_second_per_gpu:1234.5 peak_memory_active:20.1 …": the
  /// tokens are those that are learnt from, other ones in each step, and nothing says how many.
  /// Forks have the step's seconds beside, "time_per_step_s:21.6".
  void read(const TrainerLine& line, TrainerLog& log) override {
    see_checkpoints(line, kSaid, kCheckpoints, log);
    if (line.has(kPart)) see_part(line, log);
    const auto at = find_key(line.text, "Step ");
    if (at == std::string_view::npos) return;
    const auto said = line.text.substr(at), before = line.text.substr(0, at);
    const Count step = count_after(said, "Step ");
    const auto rate = figure_after(said, "tokens_per_second_per_gpu:");
    if (!step || !rate || !is_prefix(before)) return;
    if (!(rate->value > 0)) return log.could_not_use(line.text, "its rate is not above 0");
    if (!speaker_of(before).is_rank && goes_back(*step, said)) log.begin_launch(number_, before);
    StepRecord record;
    record.step = *step;
    const auto seconds = figure_after(said, "time_per_step_s:");
    const bool has_time = seconds && seconds->value > 0;
    if (has_time) {
      record.figure = scaled(*seconds, kMsPerSecond);
    } else {
      if (has_times(log.launch())) return log.could_not_use(line.text, kTimeless);
      timeless_ = line.text;
      record.figure = *rate;
      record.pace = Pace::kTokensPerGpuSecond;
    }
    if (const auto loss = figure_after(said, "loss:")) record.lm_loss = loss->value;
    record.other.emplace_back("tokens/s/GPU", rate->value);
    log.add(number_, record, before);
    if (has_time) drop_timeless(log);
  }

 private:
  /// Its first rank alone prints: what says other things of one of the last steps is of another
  /// launch. Steps further back are told by their numbers.
  bool goes_back(std::int64_t step, std::string_view said) {
    const auto same = std::find_if(last_.begin(), last_.end(),
                                   [&](const auto& last) { return last.first == step; });
    if (same != last_.end() && same->second == said) return false;
    const bool is_back = same != last_.end();
    if (is_back) last_.clear();
    last_.emplace_back(step, said);
    constexpr std::size_t kKept = 4;
    if (last_.size() > kKept) last_.pop_front();
    return is_back;
  }

  static constexpr std::string_view kTimeless = "it has no time_per_step_s, as others have";

  bool has_times(const TrainerLaunch& launch) const {
    const auto& rows = launch.rows(number_).rows();
    return !rows.empty() && rows.back().record.pace == Pace::kMs;
  }

  /// Rates are no times. Where others of the launch have one, these need not be refused with them.
  void drop_timeless(TrainerLog& log) {
    if (timeless_.empty()) return;
    const auto is_timeless = [](const auto& row) { return row.record.pace != Pace::kMs; };
    const auto dropped = std::erase_if(log.launch().rows(number_).rows(), is_timeless);
    for (std::size_t i = 0; i < dropped; ++i) log.could_not_use(timeless_, kTimeless);
    timeless_.clear();
  }

  /// "Model checkpoint of size 4.97 GB saved to /x/hf_model_0024_0.pt": GB are 1e9 bytes.
  static void see_part(const TrainerLine& line, TrainerLog& log) {
    const auto word_at = line.text.rfind(' ', line.text.find(kSaid[kPart]) - 1);
    const auto at = word_at == std::string_view::npos ? 0 : word_at + 1;
    const auto size = figure_after(line.text, kSaid[kPart]);
    auto word = checkpoint_word_in(line.text, at, {.text = kPart});
    if (!size || !word) return;
    const auto unit = text_after(line.text, kSaid[kPart])->substr(size->size);
    const double bytes = unit.starts_with(" GiB ") ? kGib : unit.starts_with(" GB ") ? 1e9 : 0;
    if (!(bytes > 0)) return;
    word->what = CheckpointWord::What::kPart;
    word->bytes = nearest_whole_number(size->value * bytes);
    log.launch().checkpoints.see(*word, log.launch().row_count());
  }

  const std::size_t number_;
  std::deque<std::pair<std::int64_t, std::string>> last_;  ///< steps, and what their lines say
  std::string timeless_;  ///< the last line that had no time, while no other has one
};

}  // namespace

constinit const TrainerFormat kTorchtune{"torchtune", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin
