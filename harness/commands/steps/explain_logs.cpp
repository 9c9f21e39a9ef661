#include "harness/commands/steps/explain_logs.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <ostream>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "harness/scrape/scraped_file.h"

namespace pippin {

namespace {

constexpr std::size_t kMostText = 100;  // characters of a line that are shown

/// How much a line looks like one that tells of a step.
int nearness(std::string_view line) {
  constexpr std::string_view kWords[] = {"step",   "iter", "time", "sec",   "ms",    "tok",
                                         "sample", "/s",   "loss", "epoch", "batch", "throughput"};
  const std::string text = lower(line.substr(0, 400));
  if (!std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return 0;
  return static_cast<int>(
      std::count_if(std::begin(kWords), std::end(kWords),
                    [&](std::string_view word) { return text.find(word) != std::string::npos; }));
}

/// The lines that look most like a step's, of those that gave nothing.
class Nearest {
 public:
  void see(const ExplainedLine& line) {
    const int near = nearness(line.text);
    if (near < 2) return;
    lines_.push_back({near, line.number, std::string(trim(line.text).substr(0, kMostText))});
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Line& a, const Line& b) { return a.near > b.near; });
    if (lines_.size() > kMost) lines_.pop_back();
  }

  void print(std::ostream& out) const {
    if (lines_.empty()) return;
    out << "  the lines that look most like a step's:\n";
    for (const auto& line : lines_)
      out << fmt::format("  {:>7}  {}\n", line.number, printable(line.text));
  }

 private:
  struct Line {
    int near = 0;
    std::size_t number = 0;
    std::string text;
  };
  static constexpr std::size_t kMost = 3;
  std::vector<Line> lines_;
};

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
  const ScrapedFile scraped = scrape_file(log, Binary::kRefuse, {}, {told, {}});
  if (!scraped.reason.empty()) {
    out << "  " << scraped.reason << '\n';
    return false;
  }
  std::int64_t silent = 0;
  Nearest nearest;
  const auto take = [&](const ExplainedLine& line) {
    if (line.gave.empty() && line.why.empty()) {
      ++silent;
      nearest.see(line);
      return;
    }
    print_line(line, out);
  };
  explain_lines([&](const auto& part) { read_scraped_text(scraped, log, part); }, take);
  out << fmt::format("  {} nothing that is looked for\n",
                     silent == 1 ? "1 line holds" : fmt::format("{} lines hold", silent));
  for (const auto& run : scraped.runs) print_run(run, out);
  for (const auto& problem : scraped.problems) out << "  " << problem << '\n';
  if (!scraped.tables.empty())
    out << fmt::format("  {}\n",
                       counted(static_cast<std::int64_t>(scraped.tables.size()), "network table"));
  if (!scraped.runs.empty() || !scraped.tables.empty()) return true;
  nearest.print(out);
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
