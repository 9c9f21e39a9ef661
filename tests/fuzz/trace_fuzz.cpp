// SPDX-License-Identifier: Apache-2.0
// What ranks have traced, and lines of a log with timers, as they are drawn for Perfetto.
//
// Shape: a byte that chooses. Of ranks files of lines behind "=== NAME" each; of a log lines of
// "NUMBER INTERVAL MILLISECONDS TIMER=MILLISECONDS …", with blanks between.
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "harness/scrape/rank_trace.h"
#include "reports/trace/iteration_events.h"
#include "reports/trace/rank_events.h"
#include "tests/fuzz/input.h"
#include "tests/support/trace_nesting.h"

using namespace pippin;

namespace {

struct Drawing {
  std::ostringstream out;
  TraceEvents events{out};

  /// A reader takes it, and no span stands across another's end.
  void check() {
    events.finish({{"run", "a"}});
    const auto trace = nlohmann::json::parse(out.str(), nullptr, false);
    fuzz::expect(!trace.is_discarded(), "a trace is JSON");
    for (const auto& event : trace.at("traceEvents"))
      if (event.at("ph") == "X")
        fuzz::expect(event.at("ts") >= 0 && event.at("dur") >= 0, "spans lie within the trace");
    fuzz::expect_same(test::crossing_span(trace.at("traceEvents")), "", "spans do not cross");
  }
};

struct TracedFile {
  TracedRank rank;
  std::vector<TraceRecord> records;
};

/// The first line of each says whose it is; no two are of one rank.
std::vector<TracedFile> traced_files(std::string_view text) {
  std::vector<TracedFile> files;
  std::set<std::int64_t> seen;
  for (const auto& [name, lines] : fuzz::files_in(text)) {
    rank_of_trace(name);
    TracedFile file;
    bool is_named = false;
    for (const auto line : split(lines, '\n')) {
      TraceRecord record = read_trace_line(line);
      if (const auto* rank = std::get_if<TracedRank>(&record); rank && !is_named) {
        file.rank = *rank;
        is_named = true;
      }
      if (is_named) file.records.push_back(std::move(record));
    }
    if (is_named && seen.insert(file.rank.rank).second) files.push_back(std::move(file));
  }
  return files;
}

void draw_ranks(std::string_view text) {
  const auto files = traced_files(text);
  std::vector<TracedRank> ranks;
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  for (const auto& file : files) {
    ranks.push_back(file.rank);
    for (const auto& record : file.records)
      if (const auto* one = std::get_if<TracedActivity>(&record))
        begin_ns = std::min(begin_ns, one->begin_ns + file.rank.clock_offset_ns);
  }
  if (begin_ns == std::numeric_limits<std::int64_t>::max()) begin_ns = 0;
  Drawing drawing;
  const RanksTogether together(ranks, begin_ns);
  for (const auto& file : files) {
    RankEvents events(file.rank, together, drawing.events);
    for (const auto& record : file.records) {
      if (const auto* activity = std::get_if<TracedActivity>(&record)) events.take(*activity);
      if (const auto* call = std::get_if<TracedCall>(&record)) events.take(*call);
    }
    events.finish();
  }
  drawing.check();
}

double number_in(std::string_view word) { return std::strtod(std::string(word).c_str(), nullptr); }

/// Whole numbers alone: the rest of a line may be anything.
Iteration iteration_in(std::string_view line) {
  const auto words = split(line, ' ');
  Iteration iteration;
  iteration.number = parse_integer(words[0]).value_or(1);
  iteration.interval =
      words.size() > 1 ? std::max<std::int64_t>(1, parse_integer(words[1]).value_or(1)) : 1;
  iteration.step_time_ms = words.size() > 2 ? number_in(words[2]) : 1;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const auto equal = words[i].find('=');
    if (equal != std::string_view::npos)
      iteration.other.emplace_back(std::string(words[i].substr(0, equal)),
                                   value_of(number_in(words[i].substr(equal + 1))));
  }
  return iteration;
}

void draw_lines(fuzz::Input& input) {
  Drawing drawing;
  IterationEvents events(drawing.events);
  while (!input.empty()) events.take(iteration_in(input.line()));
  drawing.check();
}

void read(std::uint8_t reader, fuzz::Input& input) {
  if (reader % 2 == 0) return draw_ranks(input.rest());
  draw_lines(input);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::read_chosen(data, size, read);
}
