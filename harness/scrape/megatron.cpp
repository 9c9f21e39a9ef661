// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/cut_iterations.h"
#include "harness/scrape/deepspeed_config.h"
#include "harness/scrape/endings.h"
#include "harness/scrape/lines.h"
#include "harness/scrape/megatron_checkpoints.h"
#include "harness/scrape/megatron_dump.h"
#include "harness/scrape/megatron_fields.h"
#include "harness/scrape/megatron_headers.h"
#include "harness/scrape/megatron_kinds.h"
#include "harness/scrape/megatron_launch.h"
#include "harness/scrape/megatron_timers.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

/// Whether nothing of an iteration line is cut.
bool is_whole(std::string_view line) { return trim(line).ends_with('|') && has_last_field(line); }

class Reader : public FormatReader {
 public:
  explicit Reader(bool document) : document_(document) {}
  std::unique_ptr<FormatReader> copy() const override { return std::make_unique<Reader>(*this); }

  bool wants_next_line() const override {
    return in_dump_ || config_.open() || timer_block_.is_open() || cut_.is_open();
  }

  std::uint64_t needless() const override {
    return launch_.started_at ? std::uint64_t{1} << kDatetime | std::uint64_t{1} << kDeepspeedLog
                              : 0;
  }

  void read(const LogLine& of_log) override {
    const std::string_view line = prefix_.strip(of_log.text());
    const bool terminated = of_log.terminated();
    if (cut_.is_open() && goes_on(line, terminated)) return;
    label_ = of_log.label();
    if (in_dump_ && terminated &&
        dump_.read(of_log.label(), line, prefix_, launch().header.arguments))
      return;
    if (config_.open() && terminated) config_.read(line, launch().header.arguments);
    if (timer_block_.is_open() && terminated) launch().add_timers(timer_block_.take(line));
    const std::uint64_t found = of_log.found_in(line);
    if (found != 0) read_found(of_log, line, found);
    if (terminated) {
      for (const std::size_t sign : of_log.nodes_in(line))
        launch().nodes.see(sign, line, launch().rows());
    }
    for (const std::size_t sign : of_log.endings_in(line))
      launch().ending.see(sign, line, launch().rows());
  }

  /// Iterations, and their timers.
  std::size_t read_alike(std::string_view text) override {
    const auto ends = [&](std::size_t length) { return length > 0 && length < text.size(); };
    if (cut_.is_open()) return 0;
    label_ = {};
    const std::size_t length = iterations_alone_ ? alike_.read_front(text) : 0;
    if (ends(length)) return take_alike(text.substr(0, length)) ? length : 0;
    const std::size_t of_timers = timers_alone_ ? alike_timers_.read_front(text) : 0;
    if (!ends(of_timers)) return 0;
    launch().add_timers(alike_timers_);
    return of_timers;
  }

  SeenStep last_step() const override {
    if (const auto begun = iterations_in(cut_.text()); !begun.empty())
      return step_of(begun.back().iteration.number, begun.back().iteration.step_time_ms);
    return step_of(launch_.last_number(), launch_.last_time_ms());
  }

  FoundCounts counts() const override {
    return {runs_.size() + (launch_.dumped ? 1U : 0U),
            rows_before_ + launch_.rows() + (cut_.is_open() ? 1U : 0U),
            arguments_before_ + launch_.header.arguments.size(),
            launch_.memory.size(),
            launch_.timer_lines(),
            launch_.event_count()};
  }

  std::vector<UnusedLines> unused() const override { return unused_; }

  std::vector<LogRun> finish() override {
    if (cut_.is_open()) end_cut();
    end_launch();
    return std::move(runs_);
  }

 private:
  MegatronLaunch& launch() { return launch_; }

  void read_found(const LogLine& of_log, std::string_view line, std::uint64_t found) {
    const bool terminated = of_log.terminated();
    if (has(found, kDeepspeedConfig)) config_.begin();
    if (has(found, kDumpEnds)) {
      in_dump_ = false;
      launch().complete = true;
    } else if (has(found, kDumpBegins)) {
      begin_dump(line);
    }
    headers_.read(line, found, launch());
    if (has(found, kIterationLine) || has(found, kArgonneLine)) {
      iterations_alone_ = iterations_alone_ && of_log.holds_only(kIterationLine);
      const auto others =
          found & ~(std::uint64_t{1} << kIterationLine | std::uint64_t{1} << kArgonneLine);
      read_iterations(line, terminated, others == 0);
    }
    if ((has(found, kMemoryLine) || has(found, kMemoryInGb)) && terminated) {
      for (const auto& memory : memory_in(line)) launch().add_memory(memory);
    }
    read_events(line, found);
    if (terminated) read_checkpoints(of_log.text(), found);
    if (has(found, kTimerTitle) && terminated) timer_block_.begin(line);
    if (has_timers(found) && terminated) {
      timers_alone_ = timers_alone_ && of_log.holds_only(kTimers);
      read_timers(line);
    }
  }

  void begin_dump(std::string_view line) {
    const auto rule = begin_of_dump(line);
    if (rule == std::string_view::npos) return;
    if (rule > 0) prefix_.learn(line.substr(0, rule));
    MegatronHeader header = headers_.begin_launch();
    // What standard error said before the first dump is of the launch that it begins: two pipes may
    // arrive in either order.
    Ending ending;
    NodesSeen nodes;
    if (!launch().dumped && launch().rows() == 0) {
      std::swap(ending, launch().ending);
      std::swap(nodes, launch().nodes);
    } else {
      nodes = launch().nodes.of_job();
    }
    end_launch();
    launch().header = std::move(header);
    launch().ending = std::move(ending);
    launch().nodes = std::move(nodes);
    launch().dumped = true;
    in_dump_ = true;
    dump_.begin(label_);
  }

  /// `alone`: nothing else that is looked for is in the line.
  void read_iterations(std::string_view line, bool terminated, bool alone) {
    // A number cut in half would be a wrong one, and a field that is missing yet a lost flag.
    if (!terminated && !is_whole(line)) return;
    const bool is_known = terminated && alike_.read_front(line) == line.size();
    if (is_known && take_alike(line)) return;
    const auto records = iterations_in(line);
    const bool may_go_on = may_be_cut_ || !trim(line).ends_with('|');
    if (records.size() == 1 && terminated && alone && may_go_on && !has_last_field(line)) {
      cut_.begin(line);
      label_of_cut_ = label_;
      return;
    }
    take_records(records, line);
    if (terminated && !is_known && records.size() == 1) alike_.learn(line);
  }

  /// Whether a line is the rest of the iteration line before it.
  bool goes_on(std::string_view line, bool terminated) {
    const bool is_rest = terminated && cut_.take(line);
    if (!is_rest || has_last_field(cut_.text())) end_cut();
    return is_rest;
  }

  /// The first line that has no rest tells that those of its log have none.
  void end_cut() {
    const bool went_on = may_be_cut_ = cut_.went_on();
    const std::string line = cut_.end();
    const auto records = iterations_in(line);
    label_ = label_of_cut_;
    take_records(records, line);
    if (!went_on && records.size() == 1) alike_.learn(line);
  }

  void take_records(const std::vector<IterationRecord>& records, std::string_view line) {
    if (records.empty() && !document_) {
      const std::string_view why = why_no_iteration(line);
      if (!why.empty()) add_unused(unused_, line, why);
    }
    for (const auto& record : records) {
      if (launch().rows() > 0 && record.iteration.number <= launch().last_number()) {
        if (launch().has(record)) continue;
        if (is_of_other_rank(record)) {
          launch().add_rank(record);
          note_speaker(record);
          continue;
        }
        begin_again();
      } else if (is_of_other_launch(record)) {
        begin_other();
      }
      if (!launch().started_at) launch().started_at = record.at;
      if (launch().rows() == 0) read_ranks(line);
      take_row(record, line);
    }
  }

  /// Of a number above the last: of a launch the total stays, and its ranks' clocks are less than a
  /// day apart, in whatever zone.
  bool is_of_other_launch(const IterationRecord& record) const {
    if (launch_.rows() == 0) return false;
    if (record.last != launch_.total()) return true;
    constexpr std::int64_t kDay_s = 86400;
    const bool is_dated = record.at && launch_.is_dated();
    const auto before = is_dated ? iteration_time_in(last_front_) : std::nullopt;
    return before && *record.at < *before - kDay_s;
  }

  void read_ranks(std::string_view line) {
    if (const auto start = next_start(line, 0))
      launch().header.ranks = ranks_in(line.substr(0, start->begin));
  }

  /// Takes a line of a known shape. Not where the time before it counts.
  bool take_alike(std::string_view line) {
    if (launch().wants_time()) return false;
    const IterationRecord* record = alike_.take();
    if (!record) return false;
    if (record->iteration.number <= launch().last_number()) return launch().has(*record);
    if (!launch().goes_on_with(*record)) {
      IterationRecord dated = {};
      dated.last = record->last;
      dated.at = iteration_time_in(line);
      if (is_of_other_launch(dated)) return false;
    }
    take_row(*record, line);
    launch().add_others(alike_.names(), alike_.others());
    return true;
  }

  /// Requires a number above the last.
  void take_row(const IterationRecord& record, std::string_view line) {
    in_dump_ = false;
    config_ = {};
    if (record.iteration.number == record.last) launch().ending.reached_last_iteration(line);
    launch().add(record);
    constexpr std::size_t kFront = 128;  // with the date before the iteration
    if (launch().is_dated()) last_front_.assign(line.substr(0, kFront));
    note_speaker(record);
  }

  void note_speaker(const IterationRecord& record) {
    if (!label_.empty()) spoken_[std::string(label_)] = record.iteration.number;
  }

  /// Of a number that a row has: the numbers of each rank rise. A rank without a label says the
  /// same step at once.
  bool is_of_other_rank(const IterationRecord& record) const {
    const std::int64_t number = record.iteration.number;
    if (label_.empty()) return number == launch_.last_number();
    const auto spoken = spoken_.find(std::string(label_));
    return spoken == spoken_.end() || spoken->second < number;
  }

  /// A launch whose dump is missing: all that is known of it is the last one's.
  void begin_again() {
    const MegatronHeader header = launch().header;
    const NodesSeen nodes = launch().nodes.of_job();
    const bool dumped = launch().dumped, complete = launch().complete;
    end_launch();
    launch().header = header;
    launch().nodes = nodes;
    launch().dumped = dumped;
    launch().complete = complete;
    launch().restarted = true;
    headers_.take_command(launch().header);
  }

  /// Another launch of which the log has no beginning: what is known of the last is not of it.
  void begin_other() {
    const NodesSeen nodes = launch().nodes.of_job();
    end_launch();
    launch().nodes = nodes;
    headers_.take_command(launch().header);
  }

  void read_events(std::string_view line, std::uint64_t found) {
    const auto happened = [&](IterationFlag flag) {
      launch().happened(flag, number_after(line, "at iteration ").value_or(launch().last_number()));
    };
    if (has(found, kSaving) || has(found, kSaved) || has(found, kSaveTimer)) happened(kAfterSave);
    if (has(found, kValidation) || has(found, kZeroShot) || has(found, kEvaluating) ||
        has(found, kEvaluateTimer))
      happened(kAfterEvaluation);
  }

  /// `text`: with what loggers put before it, which may have the time.
  void read_checkpoints(std::string_view text, std::uint64_t found) {
    const bool of_save = has(found, kSaving) || has(found, kSaved) || has(found, kSaveTimer) ||
                         has(found, kSaveScheduled);
    // Loading is over before the first iteration; dense logs have nothing but timers behind that.
    const bool of_load = has(found, kLoading) || (launch().rows() == 0 && has_timers(found));
    if (!of_save && !of_load) return;
    for (CheckpointWord& word : megatron_checkpoints_in(text)) {
      if (!label_.empty()) word.who = label_;
      // Its timer runs also where there is nothing to load.
      const bool is_load_timer =
          word.kind == CheckpointKind::kLoad && word.what == CheckpointWord::What::kTook;
      if (is_load_timer && !launch().checkpoints.has(CheckpointKind::kLoad)) continue;
      launch().checkpoints.see(word, launch().rows());
    }
  }

  static SeenStep step_of(std::int64_t number, double time_ms) {
    return {number, fmt::format("iteration {}: {} ms", number, number_text(time_ms))};
  }

  static bool has_timers(std::uint64_t found) {
    return has(found, kTimers) || has(found, kTimerRange);
  }

  void read_timers(std::string_view line) {
    if (alike_timers_.read(line)) return launch().add_timers(alike_timers_);
    launch().add_timers(timers_in(line));
    alike_timers_.learn(line);
  }

  /// A dump that another rank printed of the launch before it.
  bool same_as_last(const MegatronLaunch& other) const {
    return !runs_.empty() && last_bare_ && other.dumped &&
           are_of_two_ranks(runs_.back().arguments, other.header.arguments);
  }

  void end_launch() {
    if (timer_block_.is_open()) launch().add_timers(timer_block_.take({}));
    timer_block_ = {};
    MegatronLaunch ended;
    std::swap(ended, launch_);
    rows_before_ += ended.rows();
    arguments_before_ += ended.header.arguments.size();
    in_dump_ = false;
    config_ = {};
    alike_ = {};
    alike_timers_ = {};
    spoken_.clear();
    iterations_alone_ = timers_alone_ = true;
    const bool header = ended.dumped && !ended.header.arguments.empty();
    if (document_ ? !header || !ended.complete : !header && ended.rows() == 0) return;
    if (same_as_last(ended)) {
      ended.header.gas = last_header_.gas;
      ended.header.vocab = last_header_.vocab;
      ended.header.padded_vocab = last_header_.padded_vocab;
      runs_.pop_back();
    }
    last_header_ = ended.header;
    last_bare_ = ended.rows() == 0 && ended.memory.empty() && !ended.ending.state(0);
    runs_.push_back(std::move(ended).finish());
  }

  const bool document_;  ///< a script or a note: only what has a whole dump is a log
  bool in_dump_ = false;
  MegatronDump dump_;
  bool last_bare_ = false;  ///< the last of runs_ has nothing but its dump
  LoggerPrefix prefix_;
  DeepspeedConfig config_;
  AlikeIterations alike_;
  AlikeTimers alike_timers_;
  TimerBlock timer_block_;
  CutIteration cut_;
  std::string label_of_cut_;
  bool may_be_cut_ = true;  ///< no iteration line was whole without its last field
  bool iterations_alone_ = true, timers_alone_ = true;  ///< their lines hold nothing else
  std::string_view label_;  ///< of the launcher, before the line at hand
  std::unordered_map<std::string, std::int64_t> spoken_;  ///< the last number behind each label
  MegatronHeaders headers_;
  MegatronHeader last_header_;
  std::string last_front_;  ///< of the line of the last row
  std::vector<UnusedLines> unused_;
  MegatronLaunch launch_;
  std::vector<LogRun> runs_;
  std::size_t rows_before_ = 0, arguments_before_ = 0;  ///< of launches that have ended
};

}  // namespace

std::vector<std::string_view> megatron_texts() {
  return {kMegatronTexts.begin(), kMegatronTexts.end()};
}

std::unique_ptr<FormatReader> megatron_reader(bool document) {
  return std::make_unique<Reader>(document);
}

}  // namespace pippin
