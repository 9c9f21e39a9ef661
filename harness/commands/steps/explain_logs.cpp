// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/explain_logs.h"

#include <fmt/format.h>
#include <ostream>
#include <string>

#include "core/base/text.h"
#include "harness/scrape/nearest_lines.h"
#include "harness/scrape/quoted_lines.h"
#include "harness/scrape/scraped_file.h"
#include "harness/scrape/wrapped_lines.h"

namespace pippin {

namespace {

constexpr std::size_t kMostText = 100;  // characters of a line that are shown

void print(const NearestLines& nearest, std::ostream& out) {
  if (nearest.lines().empty()) return;
  out << "  the lines that look most like a step's:\n";
  for (const auto& line : nearest.lines())
    out << fmt::format("  {:>7}  {}\n", line.number, line.text);
  out << "  docs/your-own-trainer.md says how they are read by patterns\n";
}

void print_line(const ExplainedLine& line, std::ostream& out) {
  const std::string what = line.gave.empty() ? "nothing: " + line.why : line.gave;
  out << fmt::format("  {:>7}  {}\n           | {}\n", line.number, what,
                     printable(trim(line.text).substr(0, kMostText)));
}

/// "1 launch of torchtitan: 4 steps".
void print_run(const LogRun& run, std::ostream& out) {
  out << fmt::format("  a launch of {}: {}", run.point.trainer,
                     counted(static_cast<std::int64_t>(run.iterations.size()), "line"));
  out << fmt::format(", {}", printable(run.point.name));
  if (!run.configured) out << ", which does not say its model, GPUs and batch (--set, --from-name)";
  for (const auto& [name, law] : run.derived) out << fmt::format("; {} by {}", name, law.text);
  out << '\n';
}

bool explain_log(const fs::path& log, const NamedValues& told, std::ostream& out) {
  out << printable(log.string()) << '\n';
  const ScrapedFile scraped = scrape_file(log, {told, {}});
  const std::string& reason = scraped.reason.empty() ? scraped.quoted.problem : scraped.reason;
  if (!reason.empty() && scraped.tables.empty()) {
    out << "  " << reason << '\n';
    return false;
  }
  std::int64_t silent = 0;
  NearestLines nearest;
  const auto take = [&](const ExplainedLine& line) {
    if (line.gave.empty() && line.why.empty()) {
      ++silent;
      nearest.see(line.number, line.text);
      return;
    }
    print_line(line, out);
  };
  ReadParts read = [&](const auto& part) { read_scraped_text(scraped, log, part); };
  if (scraped.quoted.is_marked) {
    read = without_marks(read);
    out << "  its lines are quoted by '> '; without that they are:\n";
  }
  if (scraped.wrapping) {
    read = unwrapped(read, *scraped.wrapping);
    out << fmt::format("  a terminal has cut its lines at {} columns; joined, they are:\n",
                       scraped.wrapping->width);
  }
  explain_lines(read, take, {told, {}}, scraped.quoted.document);
  out << fmt::format("  {} nothing that is looked for\n",
                     silent == 1 ? "1 line holds" : fmt::format("{} lines hold", silent));
  for (const auto& run : scraped.runs) print_run(run, out);
  for (const auto& problem : scraped.problems) out << "  " << problem << '\n';
  if (!scraped.tables.empty())
    out << fmt::format("  {}\n",
                       counted(static_cast<std::int64_t>(scraped.tables.size()), "network table"));
  if (!scraped.runs.empty() || !scraped.tables.empty()) return true;
  print(nearest, out);
  return false;
}

}  // namespace

ExitCode explain_logs(const std::vector<fs::path>& logs, ToldValues& told, std::ostream& out) {
  if (logs.empty()) bad_input("collect --explain: name a log");
  bool all = true;
  for (const auto& log : logs) {
    std::error_code none;
    if (fs::is_directory(log, none))
      bad_input("{}: is a folder; collect --explain takes logs", log.string());
    all = explain_log(log, told.of(log), out) && all;
  }
  return all ? ExitCode::kDone : ExitCode::kBadInput;
}

}  // namespace pippin
