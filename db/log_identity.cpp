#include "db/log_identity.h"

#include <algorithm>

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

/// Every run of the copy is the beginning of the stored log's run at that place.
bool holds(Connection& connection, std::int64_t log, const std::vector<LogRun>& runs) {
  Statement stored =
      connection.prepare("SELECT id, state FROM runs WHERE log = ? ORDER BY position");
  stored.bind(log);
  return std::all_of(runs.begin(), runs.end(), [&](const LogRun& run) {
    return stored.step() && (!run.end || stored.text(1) == text_of(*run.end)) &&
           same_arguments(connection, stored.integer(0), run.arguments) &&
           same_iterations(connection, stored.integer(0), run.iterations);
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

std::vector<KnownLog> logs_that_begin(Connection& connection, std::string_view text) {
  Statement candidates = connection.prepare(
      std::string("SELECT size_bytes, content_hash, id, path, NOT EXISTS (SELECT 1 FROM runs JOIN "
                  "allocations ON allocations.id = runs.allocation WHERE runs.log = logs.id AND "
                  "campaign IS NOT NULL) FROM logs WHERE ") +
      kMayBegin);
  bind_beginning(candidates, text);
  std::vector<KnownLog> found;
  take_beginnings(candidates, text, [&] {
    found.push_back({candidates.integer(2), candidates.integer(0), candidates.text(3),
                     candidates.integer(4) != 0});
  });
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<std::string> deleted_logs_that_begin(Connection& connection, std::string_view text) {
  Statement candidates = connection.prepare(
      std::string("SELECT size_bytes, content_hash FROM deleted_logs WHERE ") + kMayBegin);
  bind_beginning(candidates, text);
  std::vector<std::string> found;
  take_beginnings(candidates, text, [&] { found.push_back(candidates.text(1)); });
  return found;
}

bool holds_older_copy(Connection& connection, std::string_view text,
                      const std::vector<LogRun>& runs) {
  if (text.size() < kHeadBytes) {
    Statement longer =
        connection.prepare("SELECT 1 FROM logs WHERE size_bytes > ?1 AND substr(head, 1, ?1) = ?2");
    return longer.bind(size_of(text), Bytes{text}).step();
  }
  Statement candidates =
      connection.prepare("SELECT id FROM logs WHERE head_hash = ? AND size_bytes > ?");
  candidates.bind(hash_of(text.substr(0, kHeadBytes)), size_of(text));
  while (candidates.step()) {
    if (holds(connection, candidates.integer(0), runs)) return true;
  }
  return false;
}

}  // namespace pippin::db
