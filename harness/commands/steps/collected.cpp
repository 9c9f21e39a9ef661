// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/collected.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <string_view>

#include "core/base/decompressor.h"
#include "core/base/text.h"
#include "harness/scrape/nearest_lines.h"

namespace pippin {

namespace {

/// "12 lines could not be used: REASON; the first: LINE"
std::string text_of(const std::vector<UnusedLines>& unused) {
  constexpr std::size_t kLine = 120;  // as far as one reads it in a remark
  const UnusedLines& first = unused.front();
  std::string text =
      fmt::format("{} could not be used: {}; the first: {}", counted(first.count, "line"),
                  first.reason, in_short(first.first, kLine));
  for (std::size_t i = 1; i < unused.size(); ++i)
    text += fmt::format("; {} more: {}", unused[i].count, unused[i].reason);
  return text;
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "train.log", "slurm-12.out", "job.o123456", each compressed, too.
bool has_name_of_log(const fs::path& path) {
  constexpr std::array<std::string_view, 4> kLogs{".log", ".out", ".err", ".txt"};
  const std::string extension = lower(name_within(path).extension().string());
  const bool of_pbs = extension.starts_with(".o") && is_all_digits(extension.substr(2));
  return of_pbs || std::find(kLogs.begin(), kLogs.end(), extension) != kLogs.end();
}

}  // namespace

bool adds_nothing(const Added& added) {
  return added.logs + added.runs + added.iterations + added.network_tables == 0;
}

std::string text_of(const Added& added) {
  if (adds_nothing(added)) return "nothing added";
  std::string text =
      fmt::format("{}, {}, {}", counted(added.logs, "log"), counted(added.runs, "run"),
                  counted(added.iterations, "iteration"));
  const std::string tables = counted(added.network_tables, "network table");
  if (added.runs + added.iterations == 0 && added.network_tables > 0) {
    text = tables;
  } else if (added.network_tables > 0) {
    text += ", " + tables;
  }
  return text + " added";
}

std::string summary_of(const Totals& totals) {
  std::string text = text_of(totals.added);
  if (totals.added.described > 0)
    text += fmt::format("; {} described anew", counted(totals.added.described, "log"));
  if (totals.known > 0) text += fmt::format("; {} known already", counted(totals.known, "log"));
  if (totals.no_logs == 1) text += "; 1 file is no log";
  if (totals.no_logs > 1) text += fmt::format("; {} files are no logs", totals.no_logs);
  if (totals.unreadable > 0)
    text += fmt::format("; {} cannot be read", counted(totals.unreadable, "file"));
  return text;
}

std::string why_nothing(const ScrapedFile& scraped) {
  if (!scraped.reason.empty()) return scraped.reason;
  if (!scraped.quoted.problem.empty()) return scraped.quoted.problem;
  if (!scraped.problems.empty()) return join(scraped.problems, "; ");
  if (!scraped.unused.empty()) return text_of(scraped.unused);
  return "holds no iterations of a trainer that pippin knows, nor a network table";
}

std::string what_is_near(const ScrapedFile& scraped, const fs::path& path) {
  if (!scraped.reason.empty() || !scraped.quoted.problem.empty()) return {};
  return what_is_near([&](const auto& take) { read_scraped_text(scraped, path, take); });
}

bool looks_like_log(const fs::path& path, const ScrapedFile& scraped) {
  if (!scraped.reason.empty()) return false;
  const bool has_signs = !scraped.problems.empty() || !scraped.unused.empty();
  return has_signs || (scraped.has_lines && has_name_of_log(path));
}

std::vector<std::string> remarks_on(const ScrapedFile& scraped) {
  std::vector<std::string> remarks;
  remarks.reserve(scraped.problems.size() + 3);
  for (const auto& problem : scraped.problems) remarks.push_back("a part of it " + problem);
  if (!scraped.unused.empty()) remarks.push_back(text_of(scraped.unused));
  std::size_t left_out = 0;
  for (const auto& run : scraped.runs) left_out += run.iterations.left_out();
  if (left_out > 0)
    remarks.push_back(fmt::format("its lines have more than {} names of values; {} were left out",
                                  Iterations::kMostNames,
                                  counted(static_cast<std::int64_t>(left_out), "value")));
  std::set<std::string> overruled;
  for (const auto& run : scraped.runs) {
    for (const auto& [name, value] : run.overruled) {
      if (overruled.insert(fmt::format("{} {}", name, value.text)).second)
        remarks.push_back(fmt::format("it says {} {}; what you say counts", name, value.text));
    }
  }
  if (scraped.quoted.is_marked)
    remarks.push_back("its lines are quoted by '> ', which was taken off");
  if (scraped.wrapping)
    remarks.push_back(fmt::format("a terminal has cut its lines at {} columns; they were joined",
                                  scraped.wrapping->width));
  return remarks;
}

void PassedOver::add(const fs::path& path, const std::string& reason) {
  lines_.push_back(fmt::format("{}: {}", printable(path.string()), reason));
}

std::vector<std::string> PassedOver::lines(bool all) const {
  constexpr std::size_t kMost = 10;
  if (all || lines_.size() <= kMost) return lines_;
  std::vector<std::string> lines(lines_.begin(), lines_.begin() + kMost);
  lines.push_back(fmt::format("and {} more: collect --verbose names them", lines_.size() - kMost));
  return lines;
}

}  // namespace pippin
