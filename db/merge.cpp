#include "db/merge.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "db/migrate.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

/// Copies a file as it is at one moment, also while another process writes to it.
void copy_database(Connection& from, const fs::path& to) {
  std::error_code none;
  fs::remove(to, none);
  from.run("VACUUM INTO " + quoted(to.string()));
}

}  // namespace

Other::Other(Connection& connection, const fs::path& path, std::chrono::milliseconds patience)
    : connection_(connection) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) bad_input("{}: no such database", path.string());
  Connection other(path, Connection::ReadOnly{}, patience);
  fs::path attached = path;
  if (is_of_older_version(other)) {
    copy_ = connection.path().string() + ".merging-" + std::to_string(::getpid());
    attached = copy_;
    try {
      copy_database(other, copy_);
      Connection copy(copy_, false, patience);
      migrate(copy);
    } catch (...) {
      fs::remove(copy_, none);
      throw;
    }
  }
  connection_.attach(attached, "other");
}

Other::~Other() {
  try {
    connection_.run("DETACH other");
  } catch (const Error&) {
    // It goes with the connection.
  }
  std::error_code none;
  if (!copy_.empty()) fs::remove(copy_, none);
}

Merged merge(Connection& connection, const std::map<std::string, std::int64_t>& begun) {
  for (const char* table : {"campaign_map", "run_map", "foreign_logs", "log_map", "allocation_map",
                            "node_map", "reading_map"})
    connection.run(fmt::format("DROP TABLE IF EXISTS temp.{}", table));
  Merged merged;
  map_campaigns(connection, begun, merged);
  map_runs(connection, merged);
  copy_rows(connection, merged);
  merged.iterations = connection.number(
      "SELECT sum(lines) FROM run_map CROSS JOIN main.iteration_blocks ON run = ours "
      "WHERE how = 1");
  return merged;
}

}  // namespace pippin::db
