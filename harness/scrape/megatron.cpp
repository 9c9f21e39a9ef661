#include "harness/scrape/megatron.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <unordered_set>

#include "harness/base/text.h"
#include "harness/scrape/document.h"
#include "harness/scrape/endings.h"
#include "harness/scrape/lines.h"
#include "harness/scrape/megatron_arguments.h"
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/needles.h"

namespace pippin {

namespace {

/// What a line may hold that the reader cares for; the signs of an ending follow after kEndings.
enum LineKind : std::size_t {
  kIterationLine,
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
  kDatetime,
  kDeepspeedLog,
  kEndings,
};

constexpr std::array<std::string_view, kEndings> kTexts{
    "elapsed time per iteration (",
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
    "datetime: ",
    "] [INFO] [",
};

const Needles& needles() {
  static const Needles needles = [] {
    std::vector<std::string_view> texts(kTexts.begin(), kTexts.end());
    for (const auto sign : Ending::signs()) texts.push_back(sign);
    return Needles(texts);
  }();
  return needles;
}

bool has(std::uint64_t found, LineKind kind) { return (found >> kind & 1) != 0; }

/// Arguments that differ between the ranks of one launch.
bool is_of_one_rank(const std::string& name) {
  return name == "rank" || name == "local_rank" || name == "node_rank";
}

/// One launch while its lines are read.
struct Launch {
  MegatronHeader header;
  bool dumped = false;     ///< it began with an arguments dump
  bool complete = false;   ///< and the dump came to its end
  bool restarted = false;  ///< its numbers went back
  std::vector<IterationRecord> rows;
  std::vector<std::pair<IterationFlag, std::int64_t>> events;  ///< after which iteration
  std::map<std::int64_t, RankMemory> memory;
  std::unordered_set<std::size_t> seen;  ///< hashes of the iteration records
  Ending ending;
  std::optional<std::int64_t> started_at;

  std::int64_t last_number() const { return rows.empty() ? 0 : rows.back().iteration.number; }
};

void keep_larger(std::optional<double>& kept, const std::optional<double>& other) {
  if (other && (!kept || *other > *kept)) kept = other;
}

void add_memory(Launch& launch, const RankMemory& memory) {
  RankMemory& kept = launch.memory.try_emplace(memory.rank, memory).first->second;
  keep_larger(kept.allocated_mib, memory.allocated_mib);
  keep_larger(kept.max_allocated_mib, memory.max_allocated_mib);
  keep_larger(kept.reserved_mib, memory.reserved_mib);
  keep_larger(kept.max_reserved_mib, memory.max_reserved_mib);
}

/// log_interval, or where it is unknown the smallest step between two lines: a lost line makes
/// one step longer, none shorter.
std::int64_t interval_of(const Launch& launch) {
  const Value* value = find_value(launch.header.arguments, "log_interval");
  if (value && value->number && *value->number >= 1 && *value->number < 1e9)
    return static_cast<std::int64_t>(*value->number);
  std::int64_t smallest = 0;
  for (std::size_t i = 1; i < launch.rows.size(); ++i) {
    const auto step = launch.rows[i].iteration.number - launch.rows[i - 1].iteration.number;
    smallest = smallest == 0 ? step : std::min(smallest, step);
  }
  return std::max<std::int64_t>(smallest, 1);
}

void mark(Iteration& iteration, std::int64_t interval) {
  iteration.interval = interval;
  if (interval > 1) iteration.flags |= kIntervalMean;
}

/// What the rows' places among one another say of them.
void mark_rows(Launch& launch) {
  if (launch.rows.empty()) return;
  const std::int64_t interval = interval_of(launch);
  for (std::size_t i = 0; i < launch.rows.size(); ++i) {
    Iteration& row = launch.rows[i].iteration;
    const auto before = i > 0 ? launch.rows[i - 1].iteration.number : 0;
    mark(row, std::clamp<std::int64_t>(row.number - before, 1, interval));
  }
  Iteration& first = launch.rows[0].iteration;
  if (launch.dumped || launch.restarted || first.number <= interval) first.flags |= kFirst;
  // Today's Megatron-LM prints the first iteration, whatever log_interval is, and goes on timing:
  // the line after it is the mean of both. Its lines begin with their time.
  const bool extra = launch.rows[0].at && (interval == 1 || first.number % interval != 0);
  if (!extra || (first.flags & kFirst) == 0) return;
  first.interval = 1;
  first.flags &= ~static_cast<unsigned>(kIntervalMean);
  if (launch.rows.size() < 2) return;
  Iteration& second = launch.rows[1].iteration;
  second.flags |= kFirst;
  mark(second, second.number - first.number + 1);
}

/// The row after a save or an evaluation contains it.
void mark_events(Launch& launch) {
  const auto later = [](std::int64_t number, const IterationRecord& row) {
    return number < row.iteration.number;
  };
  for (const auto& event : launch.events) {
    const auto row = std::upper_bound(launch.rows.begin(), launch.rows.end(), event.second, later);
    if (row != launch.rows.end()) row->iteration.flags |= event.first;
  }
}

Count common_gbs(const std::vector<IterationRecord>& rows) {
  if (rows.empty()) return std::nullopt;
  const Count first = rows[0].iteration.gbs;
  const bool same = std::all_of(rows.begin(), rows.end(), [&](const IterationRecord& row) {
    return row.iteration.gbs == first;
  });
  return same ? first : std::nullopt;
}

LogRun finished(Launch&& launch) {
  mark_rows(launch);
  mark_events(launch);
  launch.header.gbs = common_gbs(launch.rows);
  LogRun run;
  run.point = point_of(launch.header);
  run.recompute = recompute_of(launch.header.arguments);
  run.arguments = std::move(launch.header.arguments);
  run.started_at = launch.started_at;
  run.end = launch.ending.state(launch.rows.size());
  run.evidence = launch.ending.evidence(launch.rows.size());
  for (auto& row : launch.rows) run.iterations.push_back(std::move(row.iteration));
  for (const auto& memory : launch.memory) run.memory.push_back(memory.second);
  // Until 2020 the lines did not print their batch.
  for (auto& row : run.iterations) {
    if (!row.gbs) row.gbs = run.point.layout.gbs;
  }
  return run;
}

class Reader {
 public:
  explicit Reader(bool document) : document_(document) {}

  void read(std::string_view line, bool terminated) {
    if (in_dump_ && read_argument(line)) return;
    const std::uint64_t found = needles().in(line);
    if (found == 0) return;
    if (has(found, kDumpEnds)) {
      in_dump_ = false;
      launch().complete = true;
    } else if (has(found, kDumpBegins) && trim(line).starts_with("---")) {
      begin_dump();
    }
    read_header(line, found);
    if (has(found, kIterationLine)) read_iterations(line, terminated);
    if (has(found, kMemoryLine) && terminated) {
      for (const auto& memory : memory_in(line)) add_memory(launch(), memory);
    }
    read_events(line, found);
    read_endings(line, found >> kEndings);
  }

  std::vector<LogRun> finish() {
    end_launch();
    return std::move(runs_);
  }

 private:
  Launch& launch() { return launch_; }

  bool read_argument(std::string_view line) {
    auto argument = argument_in(line);
    if (!argument) return false;
    auto& arguments = launch().header.arguments;
    if (!find_value(arguments, argument->first)) arguments.push_back(*std::move(argument));
    return true;
  }

  void begin_dump() {
    MegatronHeader header;
    std::swap(header, announced_);
    end_launch();
    launch().header = std::move(header);
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
    if (announces && !launch().dumped && launch().rows.empty()) launch().header = announced_;
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
    // A number cut in half would be a wrong one; a whole line ends with a bar.
    if (!terminated && !trim(line).ends_with('|')) return;
    for (auto& record : iterations_in(line)) {
      const auto hash = std::hash<std::string_view>()(record.text);
      if (!launch().seen.insert(hash).second) continue;
      if (!launch().rows.empty() && record.iteration.number <= launch().last_number())
        begin_again();
      launch().seen.insert(hash);
      in_dump_ = false;
      if (!launch().started_at) launch().started_at = record.at;
      if (record.iteration.number == record.last) launch().ending.reached_last_iteration(line);
      launch().rows.push_back(std::move(record));
    }
  }

  /// A launch whose dump is missing: all that is known of it is the last one's.
  void begin_again() {
    const MegatronHeader header = launch().header;
    const bool dumped = launch().dumped, complete = launch().complete;
    end_launch();
    launch().header = header;
    launch().dumped = dumped;
    launch().complete = complete;
    launch().restarted = true;
  }

  void read_events(std::string_view line, std::uint64_t found) {
    const auto happened = [&](IterationFlag flag) {
      launch().events.emplace_back(
          flag, number_after(line, "at iteration ").value_or(launch().last_number()));
    };
    if (has(found, kSaving) || has(found, kSaved) || has(found, kSaveTimer)) happened(kAfterSave);
    if (has(found, kValidation) || has(found, kEvaluating)) happened(kAfterEvaluation);
  }

  void read_endings(std::string_view line, std::uint64_t signs) {
    for (; signs != 0; signs &= signs - 1) {
      launch().ending.see(static_cast<std::size_t>(std::countr_zero(signs)), line,
                          launch().rows.size());
    }
  }

  /// A dump that another rank printed of the launch before it.
  bool same_as_last(const Launch& other) const {
    if (runs_.empty() || !last_bare_ || !other.dumped) return false;
    const NamedValues &a = runs_.back().arguments, &b = other.header.arguments;
    const Value *rank_a = find_value(a, "rank"), *rank_b = find_value(b, "rank");
    if (!rank_a || !rank_b || *rank_a == *rank_b) return false;
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](auto& x, auto& y) {
             return x.first == y.first && (is_of_one_rank(x.first) || x.second == y.second);
           });
  }

  void end_launch() {
    Launch ended;
    std::swap(ended, launch_);
    in_dump_ = false;
    const bool header = ended.dumped && !ended.header.arguments.empty();
    if (document_ ? !header || !ended.complete : !header && ended.rows.empty()) return;
    if (same_as_last(ended)) {
      ended.header.gas = last_header_.gas;
      ended.header.vocab = last_header_.vocab;
      ended.header.padded_vocab = last_header_.padded_vocab;
      runs_.pop_back();
    }
    last_header_ = ended.header;
    last_bare_ = ended.rows.empty() && ended.memory.empty() && !ended.ending.state(0);
    runs_.push_back(finished(std::move(ended)));
  }

  const bool document_;  ///< a script or a note: only what has a whole dump is a log
  bool in_dump_ = false;
  bool last_bare_ = false;  ///< the last of runs_ has nothing but its dump
  MegatronHeader announced_, last_header_;
  Launch launch_;
  std::vector<LogRun> runs_;
};

}  // namespace

std::vector<LogRun> read_megatron(std::string_view log) {
  const DocumentSigns signs = document_signs(log);
  Quotation quotation(signs, log);
  Reader reader(signs.any());
  Lines lines(log);
  for (std::string_view line; lines.next(line);) {
    if (signs.any() && quotation.covers(line)) continue;
    reader.read(line, lines.terminated());
  }
  return reader.finish();
}

}  // namespace pippin
