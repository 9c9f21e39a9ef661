// SPDX-License-Identifier: Apache-2.0
#include "db/migrate.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "db/guard.h"
#include "db/iteration_blocks.h"
#include "db/nodes.h"

namespace pippin::db {

namespace {

constexpr std::int64_t kApplicationId = 0x70697070;  // "pipp"; `file` and other programs see it
constexpr std::int64_t kNodesVersion = 6;            // from which on nodes are rows
constexpr std::int64_t kBlocksVersion = 14;          // from which on lines are blocks

std::int64_t version_of(Connection& connection) { return connection.number("PRAGMA user_version"); }

bool is_empty(Connection& connection) {
  return connection.number("SELECT EXISTS (SELECT 1 FROM sqlite_master)") == 0;
}

void refuse_other_programs(Connection& connection) {
  if (is_empty(connection) || connection.number("PRAGMA application_id") == kApplicationId) return;
  bad_input("{}: is an SQLite database of another program; name another file with --db",
            connection.path().string());
}

std::int64_t newest_version() { return static_cast<std::int64_t>(migrations().size()); }

void refuse_newer(Connection& connection) {
  const auto version = version_of(connection);
  if (version < 0)
    bad_input("{}: is a damaged database, of version {}; name another file with --db",
              connection.path().string(), version);
  if (version <= newest_version()) return;
  bad_input(
      "{}: is of database version {}, and this pippin knows versions up to {}; use the newer "
      "pippin that wrote it, or name another file with --db",
      connection.path().string(), version, newest_version());
}

void put_version(Connection& connection, std::int64_t version) {
  connection.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, version));
}

void step(Connection& connection, std::int64_t from) {
  connection.run(std::string(migrations()[static_cast<std::size_t>(from)].text));
  if (from + 1 == kNodesVersion) put_all_nodes(connection);  // SQL cannot read lists of hosts
  if (from + 1 == kBlocksVersion) pack_old_iterations(connection);
  put_version(connection, from + 1);
}

void make_tables(Connection& connection) {
  connection.run(std::string(schema().front().text));
  put_version(connection, newest_version());
}

}  // namespace

bool is_of_older_version(Connection& connection) {
  if (connection.number("PRAGMA application_id") != kApplicationId)
    bad_input("{}: is no database of pippin's", connection.path().string());
  refuse_newer(connection);
  refuse_strange_schema(connection);
  return version_of(connection) < newest_version();
}

void migrate(Connection& connection) {
  refuse_other_programs(connection);
  refuse_newer(connection);
  refuse_strange_schema(connection);
  const auto newest = newest_version();
  const auto version = version_of(connection);
  if (version < newest && connection.read_only()) {
    machine_failed(
        "{}: is of database version {} and must be written once to become version {}; let its "
        "owner "
        "run pippin on it, or copy it and name the copy with --db",
        connection.path().string(), version, newest);
  }
  if (version == newest) return;
  // One for all steps: between two of them an older pippin that is open could write rows that the
  // next step does not expect.
  Transaction transaction(connection);
  refuse_newer(connection);
  if (version_of(connection) == 0 && is_empty(connection)) make_tables(connection);
  for (auto from = version_of(connection); from < newest; ++from) step(connection, from);
  transaction.commit();
}

}  // namespace pippin::db
