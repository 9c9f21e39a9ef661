#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/units.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

using Json = nlohmann::json;

enum Text : std::size_t { kEvent, kSigns, kTiming = kSigns, kTexts };

// Source: mlcommons/logging, mllog; results and NVIDIA's callbacks in mlcommons/
// training_results_v3.0 to v5.1, 2023-2025.
constexpr std::array<std::string_view, kTexts> kSaid{
    ":::MLLOG ",
    " train_step_timing ",
};

Count count_in(const Json& object, const char* name) {
  const auto value = object.find(name);
  if (value == object.end() || !value->is_number_integer()) return std::nullopt;
  return value->get<std::int64_t>();
}

/// What a name stands for in an object; null where it has none.
const Json& member(const Json& object, const char* name) {
  static const Json none;
  const auto value = object.find(name);
  return value == object.end() ? none : *value;
}

/// One event.
struct Event {
  std::string key;
  double time_ms = 0;
  std::shared_ptr<const Json> json;

  const Json& value() const { return member(*json, "value"); }
  /// Null where it is no object.
  const Json& metadata() const {
    static const Json none;
    const Json& metadata = member(*json, "metadata");
    return metadata.is_object() ? metadata : none;
  }
};

/// Nothing where the line is torn.
std::optional<Event> event_of(std::string_view text) {
  const auto json = std::make_shared<const Json>(
      Json::parse(text.substr(0, text.rfind('}') + 1), nullptr, false));
  if (!json->is_object()) return std::nullopt;
  const Json &key = member(*json, "key"), &time = member(*json, "time_ms");
  if (!key.is_string() || !time.is_number()) return std::nullopt;
  return Event{key.get<std::string>(), time.get<double>(), json};
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kEvent)) read_event(line.text, log);
    if (line.has(kTiming)) read_timing(line.text, log);
  }

 private:
  void read_event(std::string_view line, TrainerLog& log) {
    const auto at = line.find(kSaid[kEvent]);
    const auto before = line.substr(0, at);
    if (!is_prefix(before)) return;
    const auto event = event_of(line.substr(at + kSaid[kEvent].size()));
    if (!event) return log.could_not_use(line, "its event is torn");
    if (event->key == "init_start" || event->key == "run_start") begin_launch(*event, before, log);
    const std::string speaker = speaker_of(before).name;
    if (event->key == "block_start") blocks_[speaker] = *event;
    if (event->key == "block_stop") end_block(*event, speaker, line, log);
    if (event->key == "tracked_stats") tracked_ = event->value();
    if (event->key == "run_stop") end_run(*event, line, log);
    read_fact(*event, log.launch().facts);
  }

  /// Runs that are counted in epochs have no block of steps.
  static void end_run(const Event& stop, std::string_view line, TrainerLog& log) {
    if (log.launch().row_count() == 0)
      log.could_not_use(line, "no block of its run says how many samples it took");
    if (stop.metadata().contains("status") && stop.metadata()["status"] == "success")
      log.launch().ending.reached_last_iteration(line);
  }

  void begin_launch(const Event& event, std::string_view before, TrainerLog& log) {
    log.begin_launch(number_, before);
    TrainerLaunch& launch = log.launch();
    if (launch.row_count() == 0) blocks_.clear(), last_timing_.reset(), tracked_ = {};
    if (!launch.started_at)
      launch.started_at = static_cast<std::int64_t>(event.time_ms / kMsPerSecond);
  }

  /// What an event says at a point in time of the whole launch.
  static void read_fact(const Event& event, LaunchFacts& facts) {
    const bool of_launch = event.value().is_number() || event.value().is_string();
    if (!of_launch || event.key.starts_with("eval_accuracy") || event.key == "run_stop") return;
    facts.say(event.key,
              event.value().is_string() ? event.value().get<std::string>() : event.value().dump());
    if (event.key == "submission_benchmark" && event.value().is_string())
      facts.set_axis("benchmark", event.value().get<std::string>());
    if (!event.value().is_number_integer() || event.value().get<std::int64_t>() < 1) return;
    const auto count = event.value().get<std::int64_t>();
    if (event.key == "global_batch_size") facts.layout.gbs = count;
    if (event.key == "gradient_accumulation_steps") facts.layout.gas = count;
    if (event.key == "max_sequence_length") facts.model.seq = count;
  }

  /// A block of steps between two evaluations, counted in samples. Other benchmarks count epochs.
  void end_block(const Event& stop, const std::string& speaker, std::string_view line,
                 TrainerLog& log) {
    const auto begun = blocks_.find(speaker);
    if (begun == blocks_.end()) return;  // of another rank, whose speaker is not named
    const Event start = begun->second;
    blocks_.erase(begun);
    if (last_timing_) return;  // the lines of its steps say more
    const Count from = count_in(start.metadata(), "samples_count"),
                to = count_in(stop.metadata(), "samples_count"),
                gbs = log.launch().facts.layout.gbs;
    if (!from || !to) return log.could_not_use(line, "its block does not say its samples");
    if (!gbs) return log.could_not_use(line, "its block has samples, but it says no batch size");
    if (*to <= *from || *to % *gbs != 0 || *from % *gbs != 0 || !(stop.time_ms > start.time_ms))
      return log.could_not_use(line, "its block is no whole number of batches");
    StepRecord record;
    record.step = *to / *gbs;
    record.span = Span::kMean;
    record.interval = (*to - *from) / *gbs;
    record.figure =
        scaled({stop.time_ms - start.time_ms, 1, 0}, 1.0 / static_cast<double>(record.interval));
    record.gbs = gbs;
    record.consumed_samples = to;
    keep_tracked(record);
    record.at = stop.time_ms / kMsPerSecond;
    log.add(number_, record, line.substr(0, line.find(kSaid[kEvent])));
  }

  void keep_tracked(StepRecord& record) {
    if (tracked_.is_object()) {
      for (const auto& [name, value] : tracked_.items())
        if (value.is_number()) record.other.emplace_back("tracked " + name, value.get<double>());
    }
    tracked_ = {};
  }

  /// "Step 19 train_step_timing 1.9324331283569336 timestamp: 1713522620986.0247", in seconds and
  /// ms.
  void read_timing(std::string_view line, TrainerLog& log) {
    constexpr std::string_view kStep = "Step ", kStamp = " timestamp: ";
    const auto at = find_key(line, kStep);
    if (at == std::string_view::npos) return;
    const auto said = line.substr(at);
    const auto step = figure_at(said.substr(kStep.size()));
    const auto seconds = figure_after(said, kSaid[kTiming]), stamp = figure_after(said, kStamp);
    if (!count_of(step) || !seconds || !stamp || !(seconds->value > 0)) return;
    if (!said.substr(kStep.size() + step->size).starts_with(kSaid[kTiming])) return;
    StepRecord record;
    record.step = *count_of(step);
    record.figure = scaled(*seconds, kMsPerSecond);
    // Its authors' own scripts do not trust the first and take the second.
    if (last_timing_)
      record.other.emplace_back("since the line before (ms)", stamp->value - *last_timing_);
    last_timing_ = stamp->value;
    record.at = stamp->value / kMsPerSecond;
    log.add(number_, record, line.substr(0, at));
  }

  const std::size_t number_;
  std::map<std::string, Event> blocks_;  ///< that are begun, by speaker
  std::optional<double> last_timing_;    ///< when a step's line was printed
  Json tracked_;                         ///< of the block at hand
};

}  // namespace

constinit const Trainer kMlPerf{"mlperf", kSaid, kSigns, reader_of<Reader>, nullptr, true};

}  // namespace pippin
