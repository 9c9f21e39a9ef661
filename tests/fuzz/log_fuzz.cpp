// SPDX-License-Identifier: Apache-2.0
// Logs of all trainers, read as `pippin collect` and `pippin tail` read them.
//
// Shape: a byte that says which property is looked at, and whether a pattern is told; a line of
// numbers at which the text is cut, or of that pattern; the log. One property an input: each reads
// the log again.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "harness/scrape/last_words.h"
#include "harness/scrape/network.h"
#include "harness/scrape/probe_endings.h"
#include "harness/scrape/scrape.h"
#include "tests/fuzz/input.h"
#include "tests/harness/scrape/record_text.h"

using namespace pippin;

namespace {

constexpr std::uint8_t kCarriageReturns = 1, kGrowing = 2, kExplained = 4, kOthers = 8,
                       kPattern = 16;

/// The text in parts of these sizes, again and again.
std::vector<std::string_view> cut(std::string_view text, std::string_view sizes) {
  std::vector<std::string_view> parts;
  for (std::size_t i = 0; !text.empty(); ++i) {
    const auto size = sizes.empty() ? 0 : static_cast<unsigned char>(sizes[i % sizes.size()]);
    parts.push_back(text.substr(0, std::max<std::size_t>(size, 1)));
    text.remove_prefix(parts.back().size());
  }
  return parts;
}

ReadParts reader_of(const std::vector<std::string_view>& parts) {
  return [&parts](const auto& take) {
    for (const auto part : parts) take(part);
  };
}

std::string with_carriage_returns(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '\n') made += '\r';
    made += c;
  }
  return made;
}

std::string text_of_all(const Scraped& scraped) {
  std::string text = test::text_of(scraped.runs);
  for (const auto& problem : scraped.problems) text += problem + '\n';
  return text;
}

Scraped read_whole(std::string_view log, const LogHints& hints) {
  return scrape_parts([&](const auto& take) { take(log); }, hints);
}

std::string steps_of(const std::vector<LogRun>& runs) {
  std::string text;
  for (const auto& run : runs)
    for (const auto& line : run.iterations) text += test::text_of(line);
  return text;
}

/// Beside runs of another format the whole leaves out a trainer that is a part of others.
bool is_of_one_format(const std::vector<LogRun>& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const LogRun& run) { return run.format == runs[0].format; });
}

/// A log that is read as it grows gives the same, where it can be read so, once it has steps. What
/// a terminal has wrapped is seen in the whole.
void check_growing(const std::vector<std::string_view>& parts, const LogHints& hints,
                   const Scraped& whole) {
  GrowingLog log(hints);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    log.add(parts[i]);
    if (!log.must_begin_again()) continue;
    log = log.begun_again();
    for (std::size_t j = 0; j <= i; ++j) log.add(parts[j]);
  }
  const auto found = log.so_far();
  const std::string steps = found ? steps_of(found->runs) : "";
  if (steps.empty() || whole.wrapping || !is_of_one_format(whole.runs)) return;
  fuzz::expect_same(steps_of(whole.runs), steps, "a log that grows gives what it gives at last");
}

void explain(const ReadParts& read, const LogHints& hints) {
  explain_lines(
      read, [](const ExplainedLine&) {}, hints, scrape_parts(read, hints).quoted.document);
}

/// What else looks at the text of a log.
void read_by_others(std::string_view log) {
  read_network(log);
  for (const int code : {1, 12, 13, 14, 15, 139}) {
    const std::string words = last_words(log, code);
    fuzz::expect(words.find('\n') == std::string::npos, "a log's last words are one line");
    probe_ending(code, log);
  }
  words_of_probe("training", log);
  lost_rank_words(log);
}

void check_cut(std::string_view sizes, std::string_view log, const LogHints& hints) {
  const auto parts = cut(log, sizes);
  fuzz::expect_same(text_of_all(read_whole(log, hints)),
                    text_of_all(scrape_parts(reader_of(parts), hints)),
                    "a log that is cut anywhere gives the same");
}

void check_carriage_returns(std::string_view log, const LogHints& hints) {
  if (log.find('\r') != std::string_view::npos) return;
  fuzz::expect_same(text_of_all(read_whole(log, hints)),
                    text_of_all(read_whole(with_carriage_returns(log), hints)),
                    "a log whose lines end in CRLF gives the same");
}

void read_log(std::uint8_t what, std::string_view sizes, std::string_view log,
              const LogHints& hints) {
  if ((what & kCarriageReturns) != 0) return check_carriage_returns(log, hints);
  if ((what & kGrowing) != 0) return check_growing(cut(log, sizes), hints, read_whole(log, hints));
  if ((what & kExplained) != 0) return explain(reader_of(cut(log, sizes)), hints);
  if ((what & kOthers) != 0) return read_by_others(log);
  check_cut(sizes, log, hints);
}

LogHints hints_of(std::uint8_t what, std::string_view line) {
  LogHints hints;
  if ((what & kPattern) == 0) return hints;
  const std::size_t at = line.find('=');
  const std::string_view pattern =
      at == std::string_view::npos ? std::string_view() : line.substr(at + 1);
  hints.told.emplace_back(std::string(kPatternPrefix) + std::string(line.substr(0, at)),
                          Value{std::string(pattern), {}});
  return hints;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint8_t what = input.byte();
  const std::string_view line = input.line();
  fuzz::refusable([&] { read_log(what, line, input.rest(), hints_of(what, line)); });
  return 0;
}
