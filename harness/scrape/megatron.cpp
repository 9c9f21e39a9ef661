#include "harness/scrape/megatron.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/text.h"
#include "harness/scrape/deepspeed_config.h"
#include "harness/scrape/endings.h"
#include "harness/scrape/lines.h"
#include "harness/scrape/megatron_launch.h"

namespace pippin {

namespace {

/// What a line may hold that the reader cares for; the signs of an ending follow after kEndings.
enum LineKind : std::size_t {
  kIterationLine,
  kArgonneLine,
  kMemoryLine,
  kDumpBegins,
  kDumpEnds,
  kWorldLine,
  kProbeLine,
  kMicroBatches,
  kVocabulary,
  kSaving,
  kSaved,
  kSaveTimer,
  kValidation,
  kEvaluating,
  kEvaluateTimer,
  kTimers,
  kTimerRange,
  kDatetime,
  kDeepspeedLog,
  kDeepspeedConfig,
  kNodeVariable,
  kNodeField,
  kNcclBootstrap,
  kNcclNetwork,
  kNcclCommunicator,
  kNcclInit,
  kNcclDriver,
  kRanks,
  kSlowestRank,
  kEndings,
};

constexpr std::array<std::string_view, kEndings> kTexts{
    "elapsed time per iteration (",
    "elapsed_time_per_iteration_ms=",
    "memory (MB) |",
    " arguments -",
    " end of arguments -",
    "using world size:",
    "> probe: pippin ",
    "setting number of micro",
    "padded vocab (size:",
    "saving checkpoint",
    "saved checkpoint",
    "save-checkpoint",
    "validation loss at",
    "Evaluating ",
    "  evaluate ..",
    "time (ms) |",
    "..: (",
    "datetime: ",
    "] [INFO] [",
    DeepspeedConfig::kBegin,
    "NODELIST=",
    "NodeList=",
    // What each process prints once or twice; most lines of NCCL are of channels.
    "] NCCL INFO Bootstrap",
    "] NCCL INFO NET/",
    "] NCCL INFO comm 0x",
    "] NCCL INFO ncclComm",
    "] NCCL INFO cudaDriverVersion",
    "> ranks: ",
    "slowest rank: ",
};

bool has(std::uint64_t found, LineKind kind) { return (found >> kind & 1) != 0; }

/// The fields that every iteration line has end with this one, and a bar.
bool is_whole(std::string_view line) {
  const auto has = [&](std::string_view text) { return line.find(text) != std::string_view::npos; };
  return trim(line).ends_with('|') &&
         (has("number of nan iterations:") || has("number_of_nan_iterations="));
}

/// Where the rule over the arguments begins: at the front, or behind what a logger writes; nowhere
/// in a line that only quotes one.
std::size_t begin_of_rule(std::string_view line) {
  const auto begin = line.find("---");
  const bool printed = line.substr(0, begin).find_first_of("\"'`#>+|") == std::string_view::npos;
  return printed ? begin : std::string_view::npos;
}

/// Arguments that differ between the ranks of one launch.
bool is_of_one_rank(const std::string& name) {
  return name == "rank" || name == "local_rank" || name == "node_rank";
}

class Reader : public FormatReader {
 public:
  explicit Reader(bool document) : document_(document) {}
  std::unique_ptr<FormatReader> copy() const override { return std::make_unique<Reader>(*this); }

  bool wants_next_line() const override { return in_dump_ || config_.open(); }

  std::uint64_t needless() const override {
    return launch_.started_at ? std::uint64_t{1} << kDatetime | std::uint64_t{1} << kDeepspeedLog
                              : 0;
  }

  void read(const LogLine& of_log) override {
    const std::string_view line = prefix_.strip(of_log.text());
    const bool terminated = of_log.terminated();
    if (in_dump_ && terminated && read_argument(line)) return;
    if (config_.open() && terminated) config_.read(line, launch().header.arguments);
    const std::uint64_t found = of_log.found_in(line);
    if (found == 0) return;
    if (has(found, kDeepspeedConfig)) config_.begin();
    if (has(found, kDumpEnds)) {
      in_dump_ = false;
      launch().complete = true;
    } else if (has(found, kDumpBegins)) {
      begin_dump(line);
    }
    read_header(line, found);
    if (has(found, kIterationLine) || has(found, kArgonneLine)) {
      iterations_alone_ = iterations_alone_ && of_log.holds_only(kIterationLine);
      read_iterations(line, terminated);
    }
    if (has(found, kMemoryLine) && terminated) {
      for (const auto& memory : memory_in(line)) launch().add_memory(memory);
    }
    read_events(line, found);
    if ((has(found, kTimers) || has(found, kTimerRange)) && terminated) {
      timers_alone_ = timers_alone_ && of_log.holds_only(kTimers);
      read_timers(line);
    }
    if (terminated) read_nodes(line, found);
    read_endings(line, found >> kEndings);
  }

  /// Iterations, and their timers.
  std::size_t read_alike(std::string_view text) override {
    const auto ends = [&](std::size_t length) { return length > 0 && length < text.size(); };
    const std::size_t length = iterations_alone_ ? alike_.read_front(text) : 0;
    if (ends(length)) return take_alike(text.substr(0, length)) ? length : 0;
    const std::size_t of_timers = timers_alone_ ? alike_timers_.read_front(text) : 0;
    if (!ends(of_timers)) return 0;
    launch().add_timers(alike_timers_);
    return of_timers;
  }

  std::vector<LogRun> finish() override {
    end_launch();
    return std::move(runs_);
  }

 private:
  MegatronLaunch& launch() { return launch_; }

  bool read_argument(std::string_view line) {
    auto argument = argument_in(line);
    if (!argument) return false;
    auto& arguments = launch().header.arguments;
    if (!find_value(arguments, argument->first)) arguments.push_back(*std::move(argument));
    return true;
  }

  void begin_dump(std::string_view line) {
    const auto rule = begin_of_rule(line);
    if (rule == std::string_view::npos) return;
    if (rule > 0) prefix_.learn(line.substr(0, rule));
    MegatronHeader header;
    std::swap(header, announced_);
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
  }

  void read_header(std::string_view line, std::uint64_t found) {
    if (has(found, kProbeLine)) {
      announced_ = {};
      announced_.probe = word_after(line, kTexts[kProbeLine]);
    }
    if (has(found, kWorldLine)) read_world(line);
    // These lines come before the dump they belong to; where it is missing, they are all there is.
    const bool announces = has(found, kProbeLine) || has(found, kWorldLine);
    if (announces && !launch().dumped && launch().rows() == 0) launch().header = announced_;
    MegatronHeader& header = launch().header;
    if (has(found, kMicroBatches)) header.gas = number_after(line, "constant ");
    if (has(found, kVocabulary)) {
      header.vocab = number_after(line, "(size: ");
      header.padded_vocab = number_after(line, "(new size: ");
    }
    const bool dated = has(found, kDatetime) || has(found, kDeepspeedLog);
    if (dated && !launch().started_at) launch().started_at = time_in(line);
  }

  void read_world(std::string_view line) {
    const std::string probe = announced_.probe;
    announced_ = {};
    announced_.probe = probe;
    const auto any = [&](std::string_view key, std::string_view other) {
      const Count number = number_after(line, key);
      return number ? number : number_after(line, other);
    };
    announced_.world = number_after(line, "world size: ");
    announced_.dp = any("data-parallel size: ", "data-parallel-size: ");
    announced_.tp = any("tensor-model-parallel size: ", " model-parallel size: ");
    announced_.pp = any("pipeline-model-parallel size: ", "pipeline-parallel size: ");
    announced_.cp = any(" context-parallel size: ", ",context-parallel size: ");
  }

  static std::string word_after(std::string_view line, std::string_view key) {
    const auto rest = line.substr(line.find(key) + key.size());
    return printable(rest.substr(0, rest.find_first_of(" \t")));
  }

  void read_iterations(std::string_view line, bool terminated) {
    // A number cut in half would be a wrong one, and a field that is missing yet a lost flag.
    if (!terminated && !is_whole(line)) return;
    if (terminated && alike_.read_front(line) == line.size() && take_alike(line)) return;
    const auto records = iterations_in(line);
    for (const auto& record : records) {
      if (launch().rows() > 0 && record.iteration.number <= launch().last_number()) {
        if (launch().has(record)) continue;
        begin_again();
      }
      if (!launch().started_at) launch().started_at = record.at;
      take_row(record, line);
    }
    if (terminated && records.size() == 1) alike_.learn(line);
  }

  /// Takes a line of a known shape. Not the first of a launch, whose time counts.
  bool take_alike(std::string_view line) {
    if (launch().rows() == 0) return false;
    const IterationRecord* record = alike_.take();
    if (!record) return false;
    if (record->iteration.number <= launch().last_number()) return launch().has(*record);
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
  }

  void read_events(std::string_view line, std::uint64_t found) {
    const auto happened = [&](IterationFlag flag) {
      launch().happened(flag, number_after(line, "at iteration ").value_or(launch().last_number()));
    };
    if (has(found, kSaving) || has(found, kSaved) || has(found, kSaveTimer)) happened(kAfterSave);
    if (has(found, kValidation) || has(found, kEvaluating) || has(found, kEvaluateTimer))
      happened(kAfterEvaluation);
  }

  void read_timers(std::string_view line) {
    if (alike_timers_.read(line)) return launch().add_timers(alike_timers_);
    launch().add_timers(timers_in(line));
    alike_timers_.learn(line);
  }

  void read_nodes(std::string_view line, std::uint64_t found) {
    NodesSeen& nodes = launch().nodes;
    if (has(found, kNodeVariable) || has(found, kNodeField)) nodes.read_list(line);
    constexpr std::uint64_t kOfNccl =
        std::uint64_t{1} << kNcclBootstrap | std::uint64_t{1} << kNcclNetwork |
        std::uint64_t{1} << kNcclCommunicator | std::uint64_t{1} << kNcclInit |
        std::uint64_t{1} << kNcclDriver;
    if ((found & kOfNccl) != 0) nodes.read_nccl(line);
    if (has(found, kRanks)) nodes.read_ranks(line);
    // The first lines are those of a warm-up.
    if (has(found, kSlowestRank) && launch().rows() > 1) nodes.read_slowest(line);
  }

  void read_endings(std::string_view line, std::uint64_t signs) {
    for (; signs != 0; signs &= signs - 1) {
      launch().ending.see(static_cast<std::size_t>(std::countr_zero(signs)), line, launch().rows());
    }
  }

  /// A dump that another rank printed of the launch before it.
  bool same_as_last(const MegatronLaunch& other) const {
    if (runs_.empty() || !last_bare_ || !other.dumped) return false;
    const NamedValues &a = runs_.back().arguments, &b = other.header.arguments;
    const Value *rank_a = find_value(a, "rank"), *rank_b = find_value(b, "rank");
    if (!rank_a || !rank_b || *rank_a == *rank_b) return false;
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](auto& x, auto& y) {
             return x.first == y.first && (is_of_one_rank(x.first) || x.second == y.second);
           });
  }

  void end_launch() {
    MegatronLaunch ended;
    std::swap(ended, launch_);
    in_dump_ = false;
    config_ = {};
    alike_ = {};
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
  bool last_bare_ = false;  ///< the last of runs_ has nothing but its dump
  LoggerPrefix prefix_;
  DeepspeedConfig config_;
  AlikeIterations alike_;
  AlikeTimers alike_timers_;
  bool iterations_alone_ = true, timers_alone_ = true;  ///< their lines hold nothing else
  MegatronHeader announced_, last_header_;
  MegatronLaunch launch_;
  std::vector<LogRun> runs_;
};

}  // namespace

std::vector<std::string_view> megatron_texts() {
  std::vector<std::string_view> texts(kTexts.begin(), kTexts.end());
  for (const auto sign : Ending::signs()) texts.push_back(sign);
  return texts;
}

std::unique_ptr<FormatReader> megatron_reader(bool document) {
  return std::make_unique<Reader>(document);
}

}  // namespace pippin
