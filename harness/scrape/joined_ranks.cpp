// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/joined_ranks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "harness/scrape/log_readers.h"
#include "harness/scrape/trainers/launch.h"
#include "harness/scrape/upper_median.h"

namespace pippin {

namespace {

bool says_gpus(const LogRun& run) { return run.point.layout.gpus.has_value(); }

bool has_steps(const RankLog& log) { return !log.runs.empty() && !log.runs[0].iterations.empty(); }

const LogRun* header_of(const RankLog& log) {
  return !log.runs.empty() && says_gpus(log.runs[0]) ? &log.runs[0] : nullptr;
}

/// Step times of the lines that two launches have in common, side by side, with whether they are
/// clean samples.
struct Pair {
  double a = 0, b = 0;
  bool is_clean = false;
};

std::vector<Pair> common_steps(const Iterations& a, const Iterations& b) {
  std::vector<Pair> pairs;
  std::size_t at = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Iteration line = a.bare(i);
    while (at < b.size() && b.number_of(at) < line.number) ++at;
    if (at == b.size()) break;
    if (b.number_of(at) != line.number) continue;
    const Iteration other = b.bare(at);
    pairs.push_back({line.step_time_ms, other.step_time_ms, line.flags == 0 && other.flags == 0});
  }
  return pairs;
}

bool all_agree(const std::vector<Pair>& pairs) {
  constexpr double kAlike = 0.01;
  return std::all_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
    return std::abs(pair.a - pair.b) <= kAlike * std::max(pair.a, pair.b);
  });
}

/// How far times rise and fall together, from -1 to 1. Nothing where there are too few, or they do
/// not vary.
std::optional<double> correlation(const std::vector<Pair>& pairs) {
  constexpr std::size_t kFewest = 8;
  if (pairs.size() < kFewest) return std::nullopt;
  const auto n = static_cast<double>(pairs.size());
  double a = 0, b = 0;
  for (const auto& pair : pairs) {
    a += pair.a;
    b += pair.b;
  }
  double aa = 0, bb = 0, ab = 0;
  for (const auto& pair : pairs) {
    const double x = pair.a - a / n, y = pair.b - b / n;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  if (!(aa > 0 && bb > 0)) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

/// Whether times are written so finely that those of two jobs would differ.
bool is_fine(const LogRun& run) {
  constexpr double kFine = 0.002;
  return run.resolution_ms && !run.iterations.empty() &&
         *run.resolution_ms <= kFine * run.iterations.bare(run.iterations.size() - 1).step_time_ms;
}

/// What most times of one of two launches are: at most `width` from their median.
struct Usual {
  double median = 0, width = 0;
  bool has(double time) const { return std::abs(time - median) <= width; }
};

Usual usual_of(const std::vector<Pair>& pairs, double Pair::*time) {
  constexpr double kWidth = 4.5;  // median deviations: three standard deviations of normal noise
  std::vector<double> times;
  times.reserve(pairs.size());
  for (const auto& pair : pairs) times.push_back(pair.*time);
  const double median = upper_median(times);
  for (double& one : times) one = std::abs(one - median);
  return {median, kWidth * upper_median(std::move(times))};
}

/// How alike the differences of two launches are from one step to the next, from -1 to 1. What a
/// rank is late by in one step is taken from the next, as both wait for each other: -0.5, where
/// those of two jobs have 0.
double differences_go_on(const std::vector<Pair>& pairs) {
  std::vector<Pair> neighbours;
  for (std::size_t i = 1; i < pairs.size(); ++i)
    neighbours.push_back({pairs[i - 1].a - pairs[i - 1].b, pairs[i].a - pairs[i].b, true});
  return correlation(neighbours).value_or(0);
}

/// Two jobs warm up alike, and may both collect garbage in each tenth step: their noise between is
/// their own, and that of ranks is shared, or given back. True where it is too small to be seen.
bool noise_is_shared(const std::vector<Pair>& pairs, double resolution_ms) {
  constexpr double kSeen = 10;              // as many steps of what is printed
  constexpr double kSure = 3, kMost = 0.5;  // standard errors of a correlation that is not there
  constexpr double kGivenBack = -0.3;
  const Usual a = usual_of(pairs, &Pair::a), b = usual_of(pairs, &Pair::b);
  if (std::min(a.width, b.width) <= kSeen * resolution_ms) return true;
  std::vector<Pair> usual;
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(usual),
               [&](const Pair& pair) { return a.has(pair.a) && b.has(pair.b); });
  const auto together = correlation(usual);
  const double sure = kSure / std::sqrt(static_cast<double>(usual.size()));
  if (!together || *together > std::min(kMost, sure)) return true;
  return differences_go_on(usual) < kGivenBack;
}

/// Where each waits for the other, neither takes longer in all.
bool take_as_long(const std::vector<Pair>& pairs) {
  constexpr double kAlike = 0.02;
  double a = 0, b = 0;
  for (const auto& pair : pairs) {
    a += pair.a;
    b += pair.b;
  }
  return std::abs(a - b) <= kAlike * std::max(a, b);
}

/// False where they say that one began long after the other. Clocks may be of different zones,
/// which are half hours apart.
bool begin_together(const LogRun& a, const LogRun& b) {
  constexpr std::int64_t kApart_s = 600, kZones_s = 50400, kZone_s = 1800, kInZones_s = 300;
  if (!a.started_at || !b.started_at) return true;
  const std::int64_t apart = std::abs(*a.started_at - *b.started_at);
  if (apart <= kApart_s) return true;
  return apart <= kZones_s && std::min(apart % kZone_s, kZone_s - apart % kZone_s) <= kInZones_s;
}

/// Ranks wait for each other in each step, so that their times are alike; those of two jobs differ
/// in how they start, and by noise of their own.
bool wait_for_each_other(const LogRun& a, const LogRun& b, const std::vector<Pair>& pairs) {
  constexpr double kTogether = 0.9;
  if (!begin_together(a, b)) return false;
  std::vector<Pair> clean;
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(clean),
               [](const Pair& pair) { return pair.is_clean; });
  const auto together = correlation(clean);
  if (!together) return is_fine(a) && all_agree(pairs);
  return *together > kTogether && take_as_long(clean) &&
         noise_is_shared(clean, std::max(a.resolution_ms.value_or(0), b.resolution_ms.value_or(0)));
}

Kinship by_times(const std::vector<RankLog>& logs) {
  constexpr std::size_t kFewest = 2;
  const LogRun& first = logs.front().runs.front();
  for (std::size_t i = 1; i < logs.size(); ++i) {
    const LogRun& other = logs[i].runs.front();
    const auto pairs = common_steps(first.iterations, other.iterations);
    // A rank may be some lines behind where the job was cut.
    const bool same_steps =
        2 * pairs.size() > std::max(first.iterations.size(), other.iterations.size());
    if (!same_steps) return Kinship::kSeveral;
    if (!wait_for_each_other(first, other, pairs)) return Kinship::kSeveral;
    if (pairs.size() < kFewest) return Kinship::kTooFew;
  }
  return Kinship::kOneJob;
}

}  // namespace

bool contradict(const std::vector<RankLog>& logs) {
  const LogRun* first = nullptr;
  for (const auto& log : logs) {
    const LogRun* header = header_of(log);
    if (!header || !header->configured) continue;
    if (first && header->point.id != first->point.id) return true;
    if (!first) first = header;
  }
  return false;
}

Kinship kinship_of(const std::vector<RankLog>& logs) {
  std::vector<const RankLog*> headers;
  for (const auto& log : logs) {
    if (header_of(log)) headers.push_back(&log);
  }
  const auto with_steps = std::count_if(logs.begin(), logs.end(), has_steps);
  if (headers.empty() || with_steps == 0 || contradict(logs)) return Kinship::kSeveral;
  const std::int64_t gpus = *header_of(*headers.front())->point.layout.gpus;
  const std::int64_t ranks = logs.back().rank + 1, files = std::ssize(logs);
  if (ranks < 2 || gpus % ranks != 0) return Kinship::kSeveral;
  const bool is_apart = headers.size() == 1 && !has_steps(*headers.front());
  if (is_apart) return Kinship::kOneJob;
  if (gpus != ranks || files != ranks || std::ssize(headers) != files || with_steps != files)
    return Kinship::kSeveral;
  return by_times(logs);
}

namespace {

/// The lines of a rank, one after the other.
struct Cursor {
  const Iterations* lines = nullptr;
  std::int64_t rank = 0;
  std::size_t at = 0;

  bool at_end() const { return at == lines->size(); }
};

/// A step, as the ranks that it was taken from say it.
class JoinedStep {
 public:
  void add(Iteration&& line, std::int64_t rank) {
    const Value* said = find_value(line.other, kRanksName);
    const Value* quickest = find_value(line.other, kFastestRankName);
    const double fastest =
        quickest ? quickest->number.value_or(line.step_time_ms) : line.step_time_ms;
    fastest_ms_ = ranks_ == 0 ? fastest : std::min(fastest_ms_, fastest);
    if (ranks_ == 0 || rank != last_rank_) ranks_ += said ? said->number.value_or(1) : 1;
    last_rank_ = rank;
    if (!has_line_ || line.step_time_ms > line_.step_time_ms) std::swap(line, line_);
    if (has_line_) fill_in(line);
    has_line_ = true;
  }

  Iteration line() && {
    if (ranks_ > 1) {
      set(kRanksName, ranks_);
      set(kFastestRankName, fastest_ms_);
    }
    return std::move(line_);
  }

 private:
  void set(const char* name, double number) {
    std::erase_if(line_.other, [&](const auto& value) { return value.first == name; });
    line_.other.emplace_back(name, value_of(number));
  }

  /// Takes what only another rank says.
  void fill_in(const Iteration& other) {
    const auto fill = [](auto& into, const auto& from) {
      if (!into) into = from;
    };
    fill(line_.gbs, other.gbs);
    fill(line_.consumed_samples, other.consumed_samples);
    fill(line_.skipped, other.skipped);
    fill(line_.nan, other.nan);
    fill(line_.lm_loss, other.lm_loss);
    fill(line_.learning_rate, other.learning_rate);
    fill(line_.loss_scale, other.loss_scale);
    fill(line_.grad_norm, other.grad_norm);
    line_.flags |= other.flags;
    ValueIndex known;
    for (const auto& value : other.other) {
      if (!known.has(line_.other, value.first)) line_.other.push_back(value);
    }
  }

  Iteration line_;
  bool has_line_ = false;
  double ranks_ = 0, fastest_ms_ = 0;
  std::int64_t last_rank_ = 0;
};

Iterations joined_lines(std::vector<Cursor> cursors) {
  Iterations all;
  for (;;) {
    std::optional<std::int64_t> next;
    for (const auto& cursor : cursors) {
      if (cursor.at_end()) continue;
      const std::int64_t number = cursor.lines->number_of(cursor.at);
      if (!next || number < *next) next = number;
    }
    if (!next) return all;
    JoinedStep step;
    for (auto& cursor : cursors) {
      if (cursor.at_end() || cursor.lines->number_of(cursor.at) != *next) continue;
      step.add((*cursor.lines)[cursor.at++], cursor.rank);
    }
    all.push_back(std::move(step).line());
  }
}

/// Of a log that names no rank, its only one is that of its file.
void add_memory(std::map<std::int64_t, RankMemory>& all, const LogRun& run, std::int64_t rank) {
  const bool is_nameless = run.memory.size() == 1 && run.memory.front().rank == 0;
  for (RankMemory memory : run.memory) {
    if (is_nameless) memory.rank = rank;
    const auto [known, is_new] = all.emplace(memory.rank, memory);
    if (is_new) continue;
    known->second.allocated_mib = std::max(known->second.allocated_mib, memory.allocated_mib);
    known->second.max_allocated_mib =
        std::max(known->second.max_allocated_mib, memory.max_allocated_mib);
    known->second.reserved_mib = std::max(known->second.reserved_mib, memory.reserved_mib);
    known->second.max_reserved_mib =
        std::max(known->second.max_reserved_mib, memory.max_reserved_mib);
  }
}

void add_nodes(std::vector<RunNode>& all, const std::vector<RunNode>& more) {
  for (const auto& node : more) {
    const bool is_known = std::any_of(all.begin(), all.end(),
                                      [&](const auto& known) { return known.name == node.name; });
    if (!is_known) all.push_back(node);
  }
}

/// Sees how a launch ends, and where it is.
class CommonSink : public LineSink {
 public:
  bool wants_next_line() const override { return false; }
  const Needles& needles() const override { return common_needles(); }
  void take(const FoundLine& line) override { launch_.see_common(line, common_texts()); }

  LogRun launch() const {
    LogRun run;
    run.end = launch_.ending.state(0);
    run.evidence = launch_.ending.evidence(0);
    run.nodes = launch_.nodes.nodes();
    return run;
  }

 private:
  TrainerLaunch launch_;
};

/// One that went well says so whatever else happened at its end; of others the strongest cause
/// counts, as if all had printed into one log.
void set_end(LogRun& run, const std::vector<const LogRun*>& launches) {
  const auto well = std::find_if(launches.begin(), launches.end(), [](const LogRun* launch) {
    return launch->end == RunState::kOk && !launch->iterations.empty();
  });
  std::string words;
  for (const LogRun* launch : launches) {
    if (launch->end && launch->end != RunState::kOk) words += launch->evidence + '\n';
  }
  if (well != launches.end() || words.empty()) {
    const LogRun& last = well != launches.end() ? **well : *launches.front();
    run.end = last.end;
    run.evidence = last.evidence;
    return;
  }
  const LogRun together = silent_launch([&](const auto& take) { take(words); });
  run.end = together.end;
  run.evidence = together.evidence;
}

/// That with the header, and of several the one that says most.
const LogRun& fullest(const std::vector<const LogRun*>& launches) {
  const auto weight = [](const LogRun* launch) {
    return std::tuple(!launch->format.empty(), launch->configured, says_gpus(*launch),
                      launch->arguments.size(), launch->iterations.size());
  };
  return **std::max_element(
      launches.begin(), launches.end(),
      [&](const LogRun* a, const LogRun* b) { return weight(a) < weight(b); });
}

template <typename T>
void keep_least(std::optional<T>& least, const std::optional<T>& other) {
  if (other && (!least || *other < *least)) least = other;
}

/// The launches of that number, of ranks in their order.
LogRun joined_launch(const std::vector<std::pair<std::int64_t, const LogRun*>>& of_ranks) {
  std::vector<const LogRun*> launches;
  launches.reserve(of_ranks.size());
  for (const auto& of_rank : of_ranks) launches.push_back(of_rank.second);
  LogRun run = fullest(launches);
  const bool has_header = !run.arguments.empty();
  const bool had_lines = !run.iterations.empty();
  std::vector<Cursor> cursors;
  std::map<std::int64_t, RankMemory> memory;
  run.slowest_ranks.clear();
  for (const auto& [rank, launch] : of_ranks) {
    if (launch->format == run.format && !launch->iterations.empty())
      cursors.push_back({&launch->iterations, rank});
    add_memory(memory, *launch, rank);
    add_nodes(run.nodes, launch->nodes);
    run.slowest_ranks.insert(run.slowest_ranks.end(), launch->slowest_ranks.begin(),
                             launch->slowest_ranks.end());
    if (launch->checkpoints.size() > run.checkpoints.size()) run.checkpoints = launch->checkpoints;
    keep_least(run.started_at, launch->started_at);
    keep_least(run.resolution_ms, launch->resolution_ms);
    keep_least(run.nan_from, launch->nan_from);
    run.planned_iterations = std::max(run.planned_iterations, launch->planned_iterations);
  }
  run.iterations = joined_lines(std::move(cursors));
  if (has_header && !had_lines) {
    bool is_first = true;
    run.iterations.mark_each([&](Iterations::Marks& line) {
      if (std::exchange(is_first, false)) line.flags |= kFirst;
    });
  }
  run.memory.clear();
  for (const auto& of_rank : memory) run.memory.push_back(of_rank.second);
  set_end(run, launches);
  return run;
}

}  // namespace

std::vector<LogRun> join_ranks(std::vector<RankLog> logs) {
  std::stable_sort(logs.begin(), logs.end(),
                   [](const RankLog& a, const RankLog& b) { return a.rank < b.rank; });
  std::size_t launches = 0;
  for (const auto& log : logs) launches = std::max(launches, log.runs.size());
  std::vector<LogRun> joined;
  for (std::size_t i = 0; i < launches; ++i) {
    std::vector<std::pair<std::int64_t, const LogRun*>> of_ranks;
    for (const auto& log : logs) {
      const bool is_silent = !log.runs.empty() && log.runs[0].format.empty();
      const std::size_t at = is_silent ? launches - 1 - i : i;  // how a rank ended ends the last
      if (at < log.runs.size()) of_ranks.emplace_back(log.rank, &log.runs[at]);
    }
    LogRun run = joined_launch(of_ranks);
    if (!run.format.empty()) joined.push_back(std::move(run));
  }
  return joined;
}

LogRun silent_launch(const ReadParts& read) {
  CommonSink sink;
  pass(read, sink);
  return sink.launch();
}

}  // namespace pippin
