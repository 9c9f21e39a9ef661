// SPDX-License-Identifier: Apache-2.0
#include "db/log_identity.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "db/stored_lines.h"

namespace pippin::db {

namespace {

constexpr auto kHeadBytes = static_cast<std::int64_t>(LogFile::kHeadBytes);

bool same_arguments(Connection& connection, std::int64_t run, const NamedValues& arguments) {
  Statement stored =
      connection.prepare("SELECT name, value FROM arguments WHERE run = ? ORDER BY position");
  stored.bind(run);
  return std::all_of(arguments.begin(), arguments.end(), [&](const auto& argument) {
    return stored.step() && stored.text(0) == argument.first &&
           stored.text(1) == argument.second.text;
  });
}

/// Every run of the copy is the beginning of the stored log's run at that place. Arguments, which
/// repeats share, come last.
bool holds(Connection& connection, std::int64_t log, const std::vector<LogRun>& runs) {
  Statement stored =
      connection.prepare("SELECT id, state FROM runs WHERE log = ? ORDER BY position");
  stored.bind(log);
  return std::all_of(runs.begin(), runs.end(), [&](const LogRun& run) {
    return stored.step() && (!run.end || stored.text(1) == text_of(*run.end)) &&
           begins_with(connection, stored.integer(0), run.iterations) &&
           same_arguments(connection, stored.integer(0), run.arguments);
  });
}

}  // namespace

std::optional<FirstLine> first_line_of(const std::vector<LogRun>& runs) {
  for (const auto& run : runs) {
    if (const auto first = first_line_of(run)) return first;
  }
  return std::nullopt;
}

std::optional<FirstLine> first_line_of(const LogRun& run) {
  if (run.iterations.empty()) return std::nullopt;
  const Iteration first = run.iterations.bare(0);
  return FirstLine{first.number, first.step_time_ms};
}

namespace {

/// The sizes that rows have, each once. `next` asks for the least above its last parameter, by an
/// index: however many rows are alike, it costs what it finds.
template <typename... Values>
void add_sizes(Statement& next, std::set<std::int64_t>& sizes, const Values&... values) {
  for (std::int64_t size = -1; next.bind(values..., size).step();) {
    size = next.integer(0);
    sizes.insert(size);
  }
}

/// The least size behind a parameter, of logs from elsewhere. Left to itself, SQLite would go
/// through all of them by their sizes.
std::string least_size(const char* index, const char* which) {
  return fmt::format(
      "SELECT size_bytes FROM logs INDEXED BY {} WHERE of_campaign = 0 AND {} AND size_bytes > ? "
      "ORDER BY size_bytes LIMIT 1",
      index, which);
}

/// Those of logs from elsewhere that a file may begin with.
std::set<std::int64_t> sizes_of_beginnings(Connection& connection, const LogFile& file,
                                           const std::optional<FirstLine>& first) {
  static const std::string like_first = least_size(
      "logs_by_first_line", "first_time_ms = ? AND first_iteration = ? AND size_bytes <= ?");
  static const std::string short_bare = least_size(
      "logs_by_first_line", "first_time_ms IS NULL AND first_iteration IS NULL AND size_bytes < ?");
  static const std::string long_bare = least_size(
      "logs_by_head",
      "size_bytes >= 4096 AND head_hash = ? AND first_time_ms IS NULL AND size_bytes <= ?");
  const std::int64_t size = file.size_bytes();
  std::set<std::int64_t> sizes;
  if (first) {
    Statement alike = connection.prepare(like_first);
    add_sizes(alike, sizes, first->step_time_ms, first->iteration, size);
  }
  Statement at_path = connection.prepare(
      "SELECT size_bytes FROM logs INDEXED BY logs_by_path WHERE path = ? AND of_campaign = 0 "
      "AND size_bytes <= ?");
  for (at_path.bind(file.path().native(), size); at_path.step();) sizes.insert(at_path.integer(0));
  // A log shorter than a head has a head of its own, which says nothing of a longer one's.
  Statement of_short = connection.prepare(short_bare);
  add_sizes(of_short, sizes, std::min(size + 1, kHeadBytes));
  if (!file.is_short()) {
    Statement of_long = connection.prepare(long_bare);
    add_sizes(of_long, sizes, file.head_hash(), size);
  }
  return sizes;
}

}  // namespace

std::vector<KnownLog> foreign_logs_that_begin(Connection& connection, const LogFile& file,
                                              const std::optional<FirstLine>& first) {
  std::vector<KnownLog> found;
  LogFile::Beginnings beginnings(file);
  Statement of_content = connection.prepare(
      "SELECT id, path FROM logs INDEXED BY logs_by_content WHERE size_bytes = ? AND content_hash "
      "= ? AND of_campaign = 0 "
      "ORDER BY id");
  for (const std::int64_t size : sizes_of_beginnings(connection, file, first)) {
    for (of_content.bind(size, beginnings.hash(size)); of_content.step();)
      found.push_back({of_content.integer(0), size, of_content.text(1)});
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::optional<std::int64_t> own_log(Connection& connection, const LogFile& file) {
  Statement same = connection.prepare(
      "SELECT id FROM logs INDEXED BY logs_by_content WHERE size_bytes = ? AND content_hash = ? "
      "AND of_campaign = 1 LIMIT 1");
  if (same.bind(file.size_bytes(), file.content_hash()).step()) return same.integer(0);
  Statement shorter = connection.prepare(
      "SELECT size_bytes, id, content_hash FROM logs INDEXED BY logs_by_path WHERE path = ? "
      "AND of_campaign = 1 AND size_bytes <= ?");
  std::set<std::tuple<std::int64_t, std::int64_t, std::string>> found;
  for (shorter.bind(file.path().native(), file.size_bytes()); shorter.step();)
    found.emplace(shorter.integer(0), shorter.integer(1), shorter.text(2));
  LogFile::Beginnings beginnings(file);
  for (const auto& [size, id, hash] : found) {
    if (beginnings.hash(size) == hash) return id;
  }
  return std::nullopt;
}

std::vector<std::string> deleted_logs_that_begin(Connection& connection, const LogFile& file) {
  const std::string least = " ORDER BY size_bytes LIMIT 1";
  std::set<std::int64_t> sizes;
  Statement alike = connection.prepare(
      "SELECT size_bytes FROM deleted_logs WHERE head_hash = ? AND size_bytes <= ? "
      "AND size_bytes > ?" +
      least);
  add_sizes(alike, sizes, file.head_hash(), file.size_bytes());
  // A log shorter than a head has a head of its own, which says nothing of a longer one's.
  Statement shorter = connection.prepare(
      "SELECT size_bytes FROM deleted_logs WHERE size_bytes < ? AND size_bytes > ?" + least);
  add_sizes(shorter, sizes, std::min(file.size_bytes() + 1, kHeadBytes));
  Statement of_content =
      connection.prepare("SELECT 1 FROM deleted_logs WHERE size_bytes = ? AND content_hash = ?");
  LogFile::Beginnings beginnings(file);
  std::vector<std::string> found;
  for (const std::int64_t size : sizes) {
    const std::string hash = beginnings.hash(size);
    if (of_content.bind(size, hash).step()) found.push_back(hash);
  }
  return found;
}

namespace {

/// Of logs from elsewhere and of campaigns: SQLite would make a temporary table of the two.
constexpr std::int64_t kOfWhom[] = {0, 1};

/// Requires a short file.
bool begins_a_head(Connection& connection, const LogFile& file,
                   const std::optional<FirstLine>& first) {
  const std::string& text = file.head();
  const std::string is_longer = "size_bytes > ?1 AND substr(head, 1, ?1) = ?2";
  if (first) {
    Statement longer = connection.prepare(
        "SELECT 1 FROM logs INDEXED BY logs_by_first_line WHERE size_bytes > ?1 "
        "AND substr(head, 1, ?1) = ?2 AND first_time_ms = ?3 AND first_iteration = ?4 "
        "AND of_campaign = ?5");
    return std::any_of(std::begin(kOfWhom), std::end(kOfWhom), [&](std::int64_t of_campaign) {
      return longer
          .bind(file.size_bytes(), Bytes{text}, first->step_time_ms, first->iteration, of_campaign)
          .step();
    });
  }
  constexpr std::size_t kBeginning = 64;  // of the index
  if (text.size() < kBeginning) {
    Statement longer = connection.prepare("SELECT 1 FROM logs WHERE " + is_longer);
    return longer.bind(file.size_bytes(), Bytes{text}).step();
  }
  Statement longer =
      connection.prepare("SELECT 1 FROM logs WHERE substr(head, 1, 64) = ?3 AND " + is_longer);
  return longer
      .bind(file.size_bytes(), Bytes{text}, Bytes{std::string_view(text).substr(0, kBeginning)})
      .step();
}

}  // namespace

namespace {

/// Whether the file that a log was read from, where it still lies there, begins with `file`.
bool begins_file(Connection& connection, std::int64_t log, const LogFile& file) {
  Statement other =
      connection.prepare("SELECT path, size_bytes, content_hash, head FROM logs WHERE id = ?");
  other.bind(log).step();
  const LogFile longer(other.text(0), other.integer(1), other.text(2), other.text(3));
  try {
    return LogFile::Beginnings(longer).hash(file.size_bytes()) == file.content_hash();
  } catch (const Error&) {
    return false;  // it lies there no more
  }
}

/// The logs that begin like a long file and are longer: those with its first line.
std::vector<std::int64_t> longer_ones(Connection& connection, const LogFile& file,
                                      const std::optional<FirstLine>& first) {
  std::vector<std::int64_t> ids;
  if (!first) {
    Statement longer = connection.prepare(
        "SELECT id FROM logs INDEXED BY logs_by_head WHERE size_bytes >= 4096 AND head_hash = ? "
        "AND size_bytes > ?");
    for (longer.bind(file.head_hash(), file.size_bytes()); longer.step();)
      ids.push_back(longer.integer(0));
    return ids;
  }
  Statement longer = connection.prepare(
      "SELECT id FROM logs INDEXED BY logs_by_first_line WHERE of_campaign = ? "
      "AND first_time_ms = ? AND first_iteration = ? AND size_bytes > ? AND head_hash = ?");
  for (const std::int64_t of_campaign : kOfWhom) {
    longer.bind(of_campaign, first->step_time_ms, first->iteration, file.size_bytes(),
                file.head_hash());
    while (longer.step()) ids.push_back(longer.integer(0));
  }
  return ids;
}

}  // namespace

bool holds_older_copy(Connection& connection, const LogFile& file,
                      const std::vector<LogRun>& runs) {
  const auto first = first_line_of(runs);
  if (file.is_short()) return begins_a_head(connection, file, first);
  const auto logs = longer_ones(connection, file, first);
  // Without a line there is nothing but the text to know it by: launches that fail look alike.
  return std::any_of(logs.begin(), logs.end(), [&](std::int64_t log) {
    return holds(connection, log, runs) && (first || begins_file(connection, log, file));
  });
}

}  // namespace pippin::db
