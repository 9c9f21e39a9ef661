// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "core/base/error.h"
#include "db/database.h"
#include "db/lock.h"
#include "db/sqlite.h"

namespace pippin {

/// What an open database is.
struct Database::Home {
  Home(const fs::path& path, const OpenDatabase& how)
      : network(how.network || db::on_network_file_system(path)),
        lock_folder(path.string() + ".lock"),
        patience(how.patience),
        connection(path, how.create, how.patience) {}
  Home(const fs::path& path, const OpenDatabase& how, db::Connection::ReadOnly reading)
      : network(how.network || db::on_network_file_system(path)),
        lock_folder(path.string() + ".lock"),
        patience(how.patience),
        connection(path, reading, how.patience) {
    if (network) connection.distrust_locks();
  }

  /// Where SQLite's own locks are not to be trusted, ours is held for each step.
  std::unique_ptr<db::FolderLock> lock() const {
    const bool needed = network && !connection.read_only();
    return needed ? std::make_unique<db::FolderLock>(lock_folder, patience) : nullptr;
  }

  bool network;
  fs::path lock_folder;
  std::chrono::milliseconds patience;
  db::Connection connection;
  std::optional<Digester> digester;
  /// Of what was opened to be read and no more: what the file was then, and that very state of it.
  std::optional<FileIdentity> opened;
  std::unique_ptr<db::Transaction> snapshot;
};

namespace db {

/// Where no lock can be taken, a change while one reads is an error.
template <typename Read>
auto read_whole(const db::Connection& connection, Read read) {
  const fs::path& path = connection.path();
  const bool unlocked = connection.is_unlocked();
  const auto before = unlocked ? fs::last_write_time(path) : fs::file_time_type();
  auto result = read();
  if (unlocked && fs::last_write_time(path) != before)
    machine_failed("{}: was changed while it was read; repeat the command", path.string());
  return result;
}

}  // namespace db

}  // namespace pippin
