#include "db/log_identity.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/hash.h"

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

}  // namespace

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
  const std::int64_t size = file.size_bytes();
  const std::string columns = "SELECT size_bytes, id, content_hash FROM logs WHERE ";
  std::set<Shorter> found;
  if (first) {
    Statement alike = connection.prepare(
        columns + "first_time_ms = ? AND first_iteration = ? AND size_bytes <= ?");
    add_all(alike.bind(first->step_time_ms, first->iteration, size), found);
  }
  Statement at_path = connection.prepare(columns + "path = ? AND size_bytes <= ?");
  add_all(at_path.bind(file.path().string(), size), found);
  // A log shorter than a head has a head of its own, which says nothing of a longer one's.
  Statement short_bare = connection.prepare(
      columns + "first_time_ms IS NULL AND first_iteration IS NULL AND size_bytes < ?");
  add_all(short_bare.bind(std::min(size + 1, kHeadBytes)), found);
  Statement bare =
      connection.prepare(columns + "head_hash = ? AND first_time_ms IS NULL AND size_bytes <= ?");
  add_all(bare.bind(hash_of(file.head()), size), found);
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
  LogFile::Beginnings beginnings(file);
  for (const Shorter& log : logs_that_may_begin(connection, file, first)) {
    if (beginnings.hash(log.size_bytes) == log.content_hash)
      found.push_back(known_log(connection, log));
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<std::string> deleted_logs_that_begin(Connection& connection, const LogFile& file) {
  // A log shorter than a head has a head of its own, which says nothing of a longer one's.
  Statement candidates = connection.prepare(
      "SELECT size_bytes, content_hash FROM deleted_logs WHERE (head_hash = ? AND size_bytes <= ?) "
      "OR size_bytes < ? ORDER BY size_bytes");
  candidates.bind(hash_of(file.head()), file.size_bytes(),
                  std::min(file.size_bytes() + 1, kHeadBytes));
  LogFile::Beginnings beginnings(file);
  std::vector<std::string> found;
  while (candidates.step()) {
    if (beginnings.hash(candidates.integer(0)) == candidates.text(1))
      found.push_back(candidates.text(1));
  }
  return found;
}

namespace {

/// Requires a short file.
bool begins_a_head(Connection& connection, const LogFile& file,
                   const std::optional<FirstLine>& first) {
  const std::string& text = file.head();
  const std::string is_longer = "size_bytes > ?1 AND substr(head, 1, ?1) = ?2";
  if (first) {
    Statement longer = connection.prepare(
        "SELECT 1 FROM logs WHERE first_time_ms = ?3 AND first_iteration = ?4 AND " + is_longer);
    return longer.bind(file.size_bytes(), Bytes{text}, first->step_time_ms, first->iteration)
        .step();
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

}  // namespace

bool holds_older_copy(Connection& connection, const LogFile& file,
                      const std::vector<LogRun>& runs) {
  const auto first = first_line_of(runs);
  if (file.is_short()) return begins_a_head(connection, file, first);
  const std::string like_it = "head_hash = ? AND size_bytes > ?";
  Statement candidates = connection.prepare(
      "SELECT id FROM logs WHERE " +
      std::string(first ? "first_time_ms = ? AND first_iteration = ? AND +" : "") + like_it);
  const std::string head = hash_of(file.head());
  if (first) {
    candidates.bind(first->step_time_ms, first->iteration, head, file.size_bytes());
  } else {
    candidates.bind(head, file.size_bytes());
  }
  while (candidates.step()) {
    // Without a line there is nothing but the text to know it by: launches that fail look alike.
    const std::int64_t log = candidates.integer(0);
    if (holds(connection, log, runs) && (first || begins_file(connection, log, file))) return true;
  }
  return false;
}

}  // namespace pippin::db
