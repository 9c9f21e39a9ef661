#include "db/log_identity.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <utility>

#include "core/base/hash.h"

namespace pippin::db {

namespace {

std::int64_t size_of(std::string_view text) { return static_cast<std::int64_t>(text.size()); }

bool same_arguments(Connection& connection, std::int64_t run, const NamedValues& arguments) {
  Statement stored =
      connection.prepare("SELECT name, value FROM arguments WHERE run = ? ORDER BY position");
  stored.bind(run);
  return std::all_of(arguments.begin(), arguments.end(), [&](const auto& argument) {
    return stored.step() && stored.text(0) == argument.first &&
           stored.text(1) == argument.second.text;
  });
}

bool same_iterations(Connection& connection, std::int64_t run,
                     const std::vector<Iteration>& iterations) {
  Statement stored = connection.prepare(
      "SELECT iteration, step_time_ms, lm_loss FROM iterations WHERE run = ? ORDER BY position");
  stored.bind(run);
  return std::all_of(iterations.begin(), iterations.end(), [&](const Iteration& iteration) {
    return stored.step() && stored.integer(0) == iteration.number &&
           stored.real(1) == iteration.step_time_ms && stored.maybe_real(2) == iteration.lm_loss;
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
           same_iterations(connection, stored.integer(0), run.iterations) &&
           same_arguments(connection, stored.integer(0), run.arguments);
  });
}

/// Those rows of (size_bytes, content_hash, …), the smallest first, that `text` begins with.
template <typename Take>
void take_beginnings(Statement& candidates, std::string_view text, Take take) {
  Hasher hasher;
  for (std::size_t hashed = 0; candidates.step();) {
    const auto size = static_cast<std::size_t>(candidates.integer(0));
    hasher.add(text.substr(hashed, size - hashed));
    hashed = size;
    if (hasher.digest() == candidates.text(1)) take();
  }
}

/// A log shorter than a head has a head of its own, which says nothing of a longer one's.
constexpr const char* kMayBegin =
    "((head_hash = ? AND size_bytes <= ?) OR size_bytes < ?) ORDER BY size_bytes";

void bind_beginning(Statement& candidates, std::string_view text) {
  candidates.bind(hash_of(text.substr(0, kHeadBytes)), size_of(text),
                  std::min(size_of(text) + 1, static_cast<std::int64_t>(kHeadBytes)));
}

}  // namespace

LogIdentity identity_of(std::string_view text) {
  const auto head = text.substr(0, kHeadBytes);
  return {size_of(text), hash_of(text), hash_of(head), head};
}

std::optional<FirstLine> first_line_of(const std::vector<LogRun>& runs) {
  for (const auto& run : runs) {
    if (const auto first = first_line_of(run)) return first;
  }
  return std::nullopt;
}

std::optional<FirstLine> first_line_of(const LogRun& run) {
  if (run.iterations.empty()) return std::nullopt;
  return FirstLine{run.iterations.front().number, run.iterations.front().step_time_ms};
}

namespace {

/// A log that may be the beginning of another.
struct Shorter {
  std::int64_t size_bytes = 0, id = 0;
  std::string content_hash;

  bool operator<(const Shorter& other) const {
    return std::pair(size_bytes, id) < std::pair(other.size_bytes, other.id);
  }
};

void add_all(Statement& rows, std::set<Shorter>& found) {
  while (rows.step()) found.insert({rows.integer(0), rows.integer(1), rows.text(2)});
}

/// Each query by an index, so that it costs what it finds.
std::set<Shorter> logs_that_may_begin(Connection& connection, const LogFile& file,
                                      const std::optional<FirstLine>& first) {
  const std::int64_t size = size_of(file.text);
  const std::string columns = "SELECT size_bytes, id, content_hash FROM logs WHERE ";
  std::set<Shorter> found;
  if (first) {
    Statement alike = connection.prepare(
        columns + "first_time_ms = ? AND first_iteration = ? AND size_bytes <= ?");
    add_all(alike.bind(first->step_time_ms, first->iteration, size), found);
  }
  Statement at_path = connection.prepare(columns + "path = ? AND size_bytes <= ?");
  add_all(at_path.bind(file.path.string(), size), found);
  // A log shorter than a head has a head of its own, which says nothing of a longer one's.
  Statement short_bare = connection.prepare(
      columns + "first_time_ms IS NULL AND first_iteration IS NULL AND size_bytes < ?");
  add_all(short_bare.bind(std::min(size + 1, static_cast<std::int64_t>(kHeadBytes))), found);
  Statement bare =
      connection.prepare(columns + "head_hash = ? AND first_time_ms IS NULL AND size_bytes <= ?");
  add_all(bare.bind(hash_of(file.text.substr(0, kHeadBytes)), size), found);
  return found;
}

KnownLog known_log(Connection& connection, const Shorter& log) {
  Statement rest = connection.prepare(
      "SELECT path, NOT EXISTS (SELECT 1 FROM runs JOIN allocations ON allocations.id = "
      "runs.allocation WHERE runs.log = logs.id AND campaign IS NOT NULL) FROM logs WHERE id = ?");
  rest.bind(log.id).step();
  return {log.id, log.size_bytes, rest.text(0), rest.integer(1) != 0};
}

}  // namespace

std::vector<KnownLog> logs_that_begin(Connection& connection, const LogFile& file,
                                      const std::optional<FirstLine>& first) {
  std::vector<KnownLog> found;
  Hasher hasher;
  std::size_t hashed = 0;
  for (const Shorter& log : logs_that_may_begin(connection, file, first)) {
    const auto size = static_cast<std::size_t>(log.size_bytes);
    hasher.add(file.text.substr(hashed, size - hashed));
    hashed = size;
    if (hasher.digest() == log.content_hash) found.push_back(known_log(connection, log));
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<std::string> deleted_logs_that_begin(Connection& connection, std::string_view text) {
  Statement candidates = connection.prepare(
      fmt::format("SELECT size_bytes, content_hash FROM deleted_logs WHERE {}", kMayBegin));
  bind_beginning(candidates, text);
  std::vector<std::string> found;
  take_beginnings(candidates, text, [&] { found.push_back(candidates.text(1)); });
  return found;
}

namespace {

bool begins_a_head(Connection& connection, std::string_view text,
                   const std::optional<FirstLine>& first) {
  const std::string is_longer = "size_bytes > ?1 AND substr(head, 1, ?1) = ?2";
  if (first) {
    Statement longer = connection.prepare(
        "SELECT 1 FROM logs WHERE first_time_ms = ?3 AND first_iteration = ?4 AND " + is_longer);
    return longer.bind(size_of(text), Bytes{text}, first->step_time_ms, first->iteration).step();
  }
  constexpr std::size_t kBeginning = 64;  // of the index
  if (text.size() < kBeginning) {
    Statement longer = connection.prepare("SELECT 1 FROM logs WHERE " + is_longer);
    return longer.bind(size_of(text), Bytes{text}).step();
  }
  Statement longer =
      connection.prepare("SELECT 1 FROM logs WHERE substr(head, 1, 64) = ?3 AND " + is_longer);
  return longer.bind(size_of(text), Bytes{text}, Bytes{text.substr(0, kBeginning)}).step();
}

}  // namespace

namespace {

/// Whether the file that a log was read from, where it still lies there, begins with `text`.
bool begins_file(Connection& connection, std::int64_t log, std::string_view text) {
  Statement path = connection.prepare("SELECT path FROM logs WHERE id = ?");
  path.bind(log).step();
  std::ifstream file(path.text(0), std::ios::binary);
  std::string beginning(text.size(), '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return file && beginning == text;
}

}  // namespace

bool holds_older_copy(Connection& connection, std::string_view text,
                      const std::vector<LogRun>& runs) {
  const auto first = first_line_of(runs);
  if (text.size() < kHeadBytes) return begins_a_head(connection, text, first);
  const std::string like_it = "head_hash = ? AND size_bytes > ?";
  Statement candidates = connection.prepare(
      "SELECT id FROM logs WHERE " +
      std::string(first ? "first_time_ms = ? AND first_iteration = ? AND +" : "") + like_it);
  const std::string head = hash_of(text.substr(0, kHeadBytes));
  if (first) {
    candidates.bind(first->step_time_ms, first->iteration, head, size_of(text));
  } else {
    candidates.bind(head, size_of(text));
  }
  while (candidates.step()) {
    // Without a line there is nothing but the text to know it by: launches that fail look alike.
    const std::int64_t log = candidates.integer(0);
    if (holds(connection, log, runs) && (first || begins_file(connection, log, text))) return true;
  }
  return false;
}

}  // namespace pippin::db
