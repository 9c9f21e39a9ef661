// SPDX-License-Identifier: Apache-2.0
#include "db/merge.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

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

/// A folder beside a file, of a name that nobody can guess, and only ours.
fs::path private_folder_beside(const fs::path& file) {
  std::string name = file.string() + ".merging-XXXXXX";
  if (!::mkdtemp(name.data()))
    machine_failed("{}: cannot make a folder: {}", name, std::strerror(errno));
  return name;
}

}  // namespace

Other::Other(Connection& connection, const fs::path& path, std::chrono::milliseconds patience)
    : connection_(connection) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) bad_input("{}: no such database", path.string());
  Connection other(path, Connection::ReadOnly{}, patience);
  fs::path attached = path;
  if (is_of_older_version(other)) {
    copy_ = private_folder_beside(connection.path());
    attached = copy_ / "t.db";
    try {
      // As it is at one moment, also while another process writes to it.
      other.run("VACUUM INTO " + quoted(attached.string()));
      Connection copy(attached, false, patience);
      migrate(copy);
    } catch (...) {
      fs::remove_all(copy_, none);
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
  if (!copy_.empty()) fs::remove_all(copy_, none);
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
