// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/trace_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/text.h"
#include "harness/scrape/rank_trace.h"

namespace pippin {

namespace {

/// Cuts parts of a file into lines; of one that is longer than any record only the beginning is
/// kept.
class RecordLines {
 public:
  using Take = std::function<bool(const TraceRecord& record, std::int64_t line)>;

  explicit RecordLines(const Take& take) : take_(take) {}

  bool add(std::string_view part) {
    for (auto end = part.find('\n'); end != std::string_view::npos; end = part.find('\n')) {
      if (!end_line(part.substr(0, end))) return false;
      part.remove_prefix(end + 1);
    }
    keep(part);
    return true;
  }

  /// What stands behind the last end of a line is whole where its rank has come so far.
  void finish() {
    if (!kept_.empty()) end_line("");
  }

 private:
  static constexpr std::size_t kLongest = std::size_t{64} << 10;

  void keep(std::string_view part) {
    kept_ += part.substr(0, std::min(part.size(), kLongest + 1 - std::min(kLongest, kept_.size())));
  }

  bool end_line(std::string_view rest) {
    ++line_;
    if (kept_.empty() && rest.size() <= kLongest) return take_(read_trace_line(rest), line_);
    keep(rest);
    const TraceRecord record = kept_.size() > kLongest ? TraceRecord() : read_trace_line(kept_);
    kept_.clear();
    return take_(record, line_);
  }

  const Take& take_;
  std::string kept_;
  std::int64_t line_ = 0;
};

/// When what a record tells has begun, by its rank's clock.
std::optional<std::int64_t> begin_of(const TraceRecord& record) {
  if (const auto* activity = std::get_if<TracedActivity>(&record)) return activity->begin_ns;
  if (const auto* call = std::get_if<TracedCall>(&record)) return call->begin_ns;
  return std::nullopt;
}

/// The beginning of a file; nothing where its first line does not say whose it is.
std::optional<TraceFile> opened(const fs::path& path, std::int64_t rank) {
  std::optional<TraceFile> file;
  each_trace_record(path, [&](const TraceRecord& record, std::int64_t line) {
    const auto* head = line == 1 ? std::get_if<TracedRank>(&record) : nullptr;
    if (head && head->rank == rank) file = TraceFile{path, *head, std::nullopt};
    if (!file) return false;
    if (const auto begin = begin_of(record)) file->begin_ns = *begin + file->rank.clock_offset_ns;
    return !file->begin_ns;
  });
  return file;
}

/// "rank-1.jsonl, rank-2.jsonl and 3 more are not there".
std::string text_of_missing(const fs::path& folder, const std::vector<std::int64_t>& missing) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> names;
  for (const auto rank : missing) {
    if (names.size() == kNamed) break;
    names.push_back(trace_name_of(rank));
  }
  const std::size_t more = missing.size() - names.size();
  return fmt::format("{}: {}{} {} not there: {} drawn without", folder.string(), join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "",
                     missing.size() == 1 ? "is" : "are",
                     missing.size() == 1 ? "its rank is" : "their ranks are");
}

/// The ranks of a folder's files, ascending.
std::set<std::int64_t> ranks_in(const fs::path& folder) {
  std::set<std::int64_t> ranks;
  for (const auto& name : disk().list(folder)) {
    if (const auto rank = rank_of_trace(name)) ranks.insert(*rank);
  }
  return ranks;
}

std::vector<std::int64_t> missing_of(const std::set<std::int64_t>& there, const Count& ranks) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;  // of a training of any size
  std::vector<std::int64_t> missing;
  const std::int64_t last = there.empty() ? 0 : *there.rbegin();
  const std::int64_t all = std::min(kMost, std::max(ranks.value_or(0), last + 1));
  for (std::int64_t rank = 0; rank < all; ++rank)
    if (there.count(rank) == 0) missing.push_back(rank);
  return missing;
}

}  // namespace

void each_trace_record(
    const fs::path& path,
    const std::function<bool(const TraceRecord& record, std::int64_t line)>& take) {
  RecordLines lines(take);
  bool goes_on = true;
  read_parts(path, 0, [&](std::string_view part) { return goes_on = lines.add(part); });
  if (goes_on) lines.finish();
}

TraceFiles trace_files_in(const fs::path& folder, const Count& ranks) {
  TraceFiles found;
  const auto there = ranks_in(folder);
  if (there.empty()) return found;
  if (const auto missing = missing_of(there, ranks); !missing.empty())
    found.remarks.push_back(text_of_missing(folder, missing));
  for (const auto rank : there) {
    const fs::path path = folder / trace_name_of(rank);
    auto file = opened(path, rank);
    if (file) {
      found.files.push_back(*std::move(file));
    } else {
      found.remarks.push_back(fmt::format(
          "{}:1: does not say that it is of rank {}, and by which clock: it is left out",
          path.string(), rank));
    }
  }
  return found;
}

}  // namespace pippin
