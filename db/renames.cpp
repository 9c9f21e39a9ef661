// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/base/text.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

bool is_name(Connection& connection, const char* table, const std::string& name) {
  Statement row = connection.prepare(std::string("SELECT 1 FROM ") + table + " WHERE name = ?");
  return row.bind(name).step();
}

void refuse_taken(Connection& connection, const std::string& name) {
  const bool is_sweep = is_name(connection, "sweeps", name);
  if (!is_sweep && !is_name(connection, "tags", name)) return;
  bad_input("{}: there is a {} '{}' already; choose another name, or rename that one first",
            connection.path().string(), is_sweep ? "sweep" : "tag", printable(name));
}

/// `folder`: where the runs of `from` are, as a folder's name.
void rename_sweep(Connection& connection, const std::string& from, const std::string& to,
                  const std::string& folder) {
  // Also where the folder is called like the sweep again: its campaigns may have other names.
  connection.prepare("UPDATE sweeps SET name = ?, folder = ? WHERE name = ?").run(to, folder, from);
  connection.prepare("UPDATE point_summaries SET sweep = ? WHERE sweep = ?").run(to, from);
  connection.prepare("UPDATE deleted_runs SET sweep = ? WHERE sweep = ?").run(to, from);
}

}  // namespace

bool rename(Connection& connection, const std::string& from, const std::string& to) {
  const bool is_sweep = is_name(connection, "sweeps", from);
  if (!is_sweep && !is_name(connection, "tags", from)) return false;
  refuse_taken(connection, to);
  if (!is_sweep) {
    connection.prepare("UPDATE tags SET name = ? WHERE name = ?").run(to, from);
    return true;
  }
  const auto others = folders(connection);
  const auto other = others.find(from);
  rename_sweep(connection, from, to, other == others.end() ? file_name_of(from) : other->second);
  return true;
}

std::map<std::string, std::string> folders(Connection& connection) {
  Statement rows = connection.prepare("SELECT name, folder FROM sweeps WHERE folder IS NOT NULL");
  std::map<std::string, std::string> folders;
  while (rows.step()) folders[rows.text(0)] = rows.text(1);
  return folders;
}

}  // namespace pippin::db
