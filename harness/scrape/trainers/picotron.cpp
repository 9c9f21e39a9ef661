// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.h"
#include "harness/scrape/trainers/all.h"

namespace pippin {

namespace {

enum Text : std::size_t { kBatch, kSigns, kTexts = kSigns };

// Source: huggingface/picotron, train.py and utils.py, 2024-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    "| Global batch size: ",
};

std::optional<Figure> rounded_after(std::string_view said, std::string_view key) {
  return figure_after(said, key, Suffixes::kThousands);
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  /// "[rank 2] Step: 3     | Loss: 8.9219 | Global batch size:   2.05K | Tokens/s:  10.61K |
  /// Tokens/s/GPU:   1.33K | Tokens:   6.14K | MFU:  0.43% | Memory usage:   1.75GB": the batch in
  /// tokens.
  void read(const TrainerLine& line, TrainerLog& log) override {
    const auto at = find_key(line.text, "Step: ");
    if (at == std::string_view::npos) return;
    const auto said = line.text.substr(at), before = line.text.substr(0, at);
    const Count step = count_after(said, "Step:");
    const auto batch = rounded_after(said, "Global batch size:"),
               rate = rounded_after(said, "Tokens/s:");
    if (!step || !batch || !rate || !is_prefix(before)) return;
    if (!(rate->value > 0)) return log.could_not_use(line.text, "its rate is not above 0");
    StepRecord record;
    record.step = *step;
    record.figure = *rate;
    record.pace = Pace::kTokensPerSecond;
    const auto loss = text_after(said, "Loss:");
    const auto value = loss ? figure_at(*loss) : std::nullopt;
    if (value) record.lm_loss = value->value;
    record.bad_loss = loss && !value;
    record.other.emplace_back("tokens/s", rate->value);
    if (const auto of_gpu = rounded_after(said, "Tokens/s/GPU:"))
      record.other.emplace_back("tokens/s/GPU", of_gpu->value);
    if (const auto mfu = figure_after(said, "MFU:")) record.other.emplace_back("MFU %", mfu->value);
    record.at = time_of(before);
    LaunchFacts& facts = log.launch().facts;
    facts.derive(facts.tokens_per_step, "tokens per step", near_power_of_two(batch->value),
                 "Global batch size, rounded");
    read_memory(said, before, log.launch());
    log.add(number_, record, before);
  }

 private:
  /// Of the rank that prints; GB of 10^9 bytes.
  static void read_memory(std::string_view said, std::string_view before, TrainerLaunch& launch) {
    constexpr double kBytesPerGb = 1e9, kBytesPerMib = 1048576;
    const auto gb = figure_after(said, "Memory usage:");
    const Count rank = count_after(before, "[rank ");
    if (!gb || !rank || *rank < 0) return;
    RankMemory& memory = launch.memory[*rank];
    memory.rank = *rank;
    memory.reserved_mib =
        std::max(memory.reserved_mib.value_or(0), gb->value * kBytesPerGb / kBytesPerMib);
  }

  const std::size_t number_;
};

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  const auto gpus = rows.median_quotient("tokens/s", "tokens/s/GPU");
  constexpr double kDigits = 0.01;  // of two figures with three digits
  if (gpus)
    facts.derive(facts.layout.gpus, "gpus", whole_within(*gpus, *gpus * kDigits),
                 "Tokens/s / Tokens/s/GPU", 0);
}

}  // namespace

constinit const TrainerFormat kPicotron{"picotron", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
