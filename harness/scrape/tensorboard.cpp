// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/tensorboard.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/base/text.h"
#include "harness/scrape/event_records.h"
#include "harness/scrape/scalars.h"

namespace pippin {

namespace {

struct Scalar {
  std::int64_t step = 0;
  std::size_t tag = 0;
  double value = 0;
};

/// What a file holds, in its order.
struct EventFile {
  std::optional<std::int64_t> started_at;
  std::vector<std::string> tags;
  std::vector<Scalar> scalars;
  NamedValues texts;
};

constexpr std::int64_t kMostSteps = 1'000'000'000'000;

/// "lm loss vs samples" is at the step that the samples are.
bool is_over_steps(std::string_view tag) {
  return !tag.ends_with(" vs samples") && !tag.ends_with(" vs tokens");
}

class Taker {
 public:
  explicit Taker(EventFile& file) : file_(file) {}

  void take(const EventValue& value) {
    if (value.is_text) return take_text(value);
    if (!is_over_steps(value.tag) || value.step < 0 || value.step > kMostSteps) return;
    const std::string tag = printable(value.tag);
    const auto [known, is_new] = numbers_.try_emplace(tag, file_.tags.size());
    if (is_new) file_.tags.push_back(tag);
    file_.scalars.push_back({value.step, known->second, value.number});
  }

 private:
  void take_text(const EventValue& value) {
    constexpr std::string_view kSuffix = "/text_summary";  // torch's
    constexpr std::size_t kMostBytes = 4096, kMostTexts = 10'000;
    if (!value.tag.ends_with(kSuffix)) return;
    const std::string name = printable(value.tag.substr(0, value.tag.size() - kSuffix.size()));
    if (value.text.size() > kMostBytes || file_.texts.size() >= kMostTexts) return;
    if (texts_.try_emplace(name, true).second)
      file_.texts.emplace_back(name, value_of(printable(value.text)));
  }

  EventFile& file_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::unordered_map<std::string, bool> texts_;
};

/// Cuts a file's scalars into launches.
class Launches {
 public:
  Launches(const EventFile& file, const ScalarNames& names) : file_(file) {
    is_time_.reserve(file.tags.size());
    is_known_.reserve(file.tags.size());
    for (const auto& tag : file.tags) {
      is_time_.push_back(is_one_of(names.seconds, tag));
      is_known_.push_back(is_time_.back() || is_one_of(names.loss, tag) ||
                          is_one_of(names.learning_rate, tag) || is_one_of(names.batch, tag));
    }
  }

  std::vector<Scalars> cut() {
    for (const auto& scalar : file_.scalars) add(scalar);
    return std::move(launches_);
  }

 private:
  static bool is_one_of(const std::vector<std::string_view>& names, std::string_view tag) {
    return std::find(names.begin(), names.end(), tag) != names.end();
  }

  /// Evaluations and such may come late; what a trainer writes at every step goes back only where
  /// it begins again.
  void add(const Scalar& scalar) {
    const bool goes_back = is_known_[scalar.tag] && scalar.step < last_;
    if (launches_.empty() || goes_back || says_otherwise(scalar)) {
      launches_.emplace_back();
      last_ = scalar.step;
    }
    launches_.back()[scalar.step].emplace(file_.tags[scalar.tag], scalar.value);
    if (is_known_[scalar.tag]) last_ = scalar.step;
  }

  /// Whether it is another time of a step that has one.
  bool says_otherwise(const Scalar& scalar) const {
    if (!is_time_[scalar.tag] || launches_.empty()) return false;
    const auto row = launches_.back().find(scalar.step);
    if (row == launches_.back().end()) return false;
    const auto time = row->second.find(file_.tags[scalar.tag]);
    return time != row->second.end() && !std::isnan(scalar.value) && time->second != scalar.value;
  }

  const EventFile& file_;
  std::vector<bool> is_time_, is_known_;
  std::vector<Scalars> launches_;
  std::int64_t last_ = 0;
};

/// What "world-size" says.
Count world_of(const Scalars& launch) {
  for (const auto& [step, row] : launch) {
    for (const char* tag : {"world-size", "world-size/world-size"}) {
      const auto found = row.find(tag);
      constexpr double kMost = 1e9;
      if (found != row.end() && found->second >= 1 && found->second < kMost)
        return static_cast<std::int64_t>(found->second);
    }
  }
  return std::nullopt;
}

MegatronHeader header_of(const EventFile& file, const Scalars& launch, const ScalarNames& names) {
  MegatronHeader header;
  if (names.trainer != "megatron") return header;
  header.arguments = file.texts;
  header.world = world_of(launch);
  return header;
}

/// Where it was to end. How it ended an event file does not say.
Count planned_of(const NamedValues& arguments) {
  const Value* iterations = find_value(arguments, "train_iters");
  return iterations ? parse_integer(iterations->text) : std::nullopt;
}

}  // namespace

bool looks_like_events(std::string_view head) { return begins_as_events(head); }

struct EventLog::State {
  EventFile events;
  Taker taker{events};
  EventReader reader{[this](double wall_time) {
                       constexpr double kLatest_s = 1e11;
                       if (wall_time > 0 && wall_time < kLatest_s)
                         events.started_at = static_cast<std::int64_t>(wall_time);
                     },
                     [this](const EventValue& value) { taker.take(value); }};
};

EventLog::EventLog() : state_(new State) {}
EventLog::~EventLog() = default;

void EventLog::add(std::string_view part) { state_->reader.add(part); }

std::vector<LogRun> EventLog::runs() const {
  const EventFile& events = state_->events;
  const ScalarNames* names = names_of(events.tags);
  if (!names) return {};
  std::vector<LogRun> runs;
  for (const auto& launch : Launches(events, *names).cut()) {
    auto run = run_of_scalars(launch, *names, header_of(events, launch, *names));
    if (!run) continue;
    set_source(*run, "tensorboard");
    if (runs.empty()) run->started_at = events.started_at;
    run->planned_iterations = planned_of(run->arguments);
    runs.push_back(std::move(*run));
  }
  return runs;
}

std::vector<LogRun> read_events(std::string_view file) {
  EventLog log;
  log.add(file);
  return log.runs();
}

}  // namespace pippin
