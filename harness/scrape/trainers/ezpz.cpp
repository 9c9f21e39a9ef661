#include <array>
#include <optional>

#include "core/base/text.h"
#include "core/base/units.h"
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
    if (line.has(kBackward)) read_step(line.text, log);
  }

 private:
  /// "Training with 48 x xpu (s), using torch_dtype=torch.bfloat16".
  static void read_devices(std::string_view line, Layout& layout) {
    const auto at = line.find(kSaid[kDevices]);
    if (!is_prefix(line.substr(0, at))) return;
    const auto said = line.substr(at + kSaid[kDevices].size());
    const auto figure = figure_at(said);
    const Count count = count_of(figure);
    if (count && *count > 0 && said.substr(figure->size).starts_with(" x ")) layout.gpus = count;
  }

  /// "iter=1 loss=7.161612 dt=0.699467 dtf=0.047248 dtb=0.641429": seconds of the step, forward and
  /// backward; newer ones leave out their sum. Others count "step=". wordplay, which tells millions
  /// of tokens a second beside, has milliseconds.
  void read_step(std::string_view line, TrainerLog& log) const {
    const std::string_view key =
        find_key(line, "iter=") != std::string_view::npos ? "iter=" : "step=";
    const auto at = find_key(line, key);
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at), before = line.substr(0, at);
    const Count step = count_after(said, key);
    const double unit = find_key(said, "mtps=") == std::string_view::npos ? 1 : 1 / kMsPerSecond;
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
    log.add(number_, record, before);
  }

  const std::size_t number_;
};

}  // namespace

constinit const Trainer kEzpz{"ezpz", kSaid, kSigns, reader_of<Reader>};

}  // namespace pippin
