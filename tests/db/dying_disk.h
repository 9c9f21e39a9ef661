// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <functional>
#include <map>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/files.h"
#include "db/database.h"
#include "db/sqlite.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

namespace pippin::test {

/// SQLite's own disk, under which the process is killed before its Nth write, sync or truncation.
class DyingDisk {
 public:
  static void die_before(int step) {
    steps_left() = step;
    static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
    original_open() = vfs.xOpen;
    vfs.zName = "dying";
    vfs.xOpen = open;
    sqlite3_vfs_register(&vfs, 1);
  }

 private:
  using Open = int (*)(sqlite3_vfs*, const char*, sqlite3_file*, int, int*);
  static int& steps_left() {
    static int steps = 0;
    return steps;
  }
  static Open& original_open() {
    static Open open = nullptr;
    return open;
  }
  static std::map<const sqlite3_io_methods*, sqlite3_io_methods>& mine() {
    static std::map<const sqlite3_io_methods*, sqlite3_io_methods> methods;
    return methods;
  }
  static std::map<sqlite3_file*, const sqlite3_io_methods*>& theirs() {
    static std::map<sqlite3_file*, const sqlite3_io_methods*> methods;
    return methods;
  }
  static void step() {
    if (--steps_left() == 0) ::kill(::getpid(), SIGKILL);
  }
  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
    const int code = original_open()(vfs, name, file, flags, out);
    if (code != SQLITE_OK || !file->pMethods) return code;
    theirs()[file] = file->pMethods;
    sqlite3_io_methods& methods = mine()[file->pMethods];
    methods = *file->pMethods;
    methods.xWrite = [](sqlite3_file* f, const void* data, int size, sqlite3_int64 at) {
      step();
      return theirs().at(f)->xWrite(f, data, size, at);
    };
    methods.xSync = [](sqlite3_file* f, int how) {
      step();
      return theirs().at(f)->xSync(f, how);
    };
    methods.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
      step();
      return theirs().at(f)->xTruncate(f, size);
    };
    file->pMethods = &methods;
    return code;
  }
};

/// Every row of every table but those that reports keep to save time; not when something was set
/// aside.
inline std::string dump_of(const fs::path& database) {
  db::Connection connection(database, false);
  std::string text;
  db::Statement tables = connection.prepare(
      "SELECT name, (SELECT group_concat('quote(' || c.name || ')', ' || '','' || ') FROM "
      "pragma_table_info(m.name) AS c WHERE c.name NOT IN ('dropped_at', 'deleted_at')) FROM "
      "sqlite_master AS m WHERE type = 'table' "
      "AND name NOT IN ('point_summaries', 'axis_values', 'run_digests') ORDER BY name");
  while (tables.step()) {
    text += tables.text(0) + "\n";
    db::Statement rows = connection.prepare("SELECT " + tables.text(1) + " AS line FROM " +
                                            tables.text(0) + " ORDER BY line");
    while (rows.step()) text += rows.text(0) + "\n";
  }
  return text;
}

/// Does `work` on copies of a database in processes that are killed at one step after the other,
/// and checks that each copy is then as before, or as after, and whole.
inline void check_kills(const fs::path& database, const std::function<void(Database&)>& work) {
  const TemporaryDirectory folder;
  const fs::path copy = folder / "copy.db";
  const auto copy_anew = [&] {
    for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(copy.string() + end);
    fs::copy_file(database, copy);
  };
  copy_anew();
  const std::string before = dump_of(copy);
  {
    Database done(copy);
    work(done);
  }
  const std::string after = dump_of(copy);
  REQUIRE(before != after);
  int as_before = 0, as_after = 0;
  for (bool killed = true; killed;) {
    copy_anew();
    const int step = as_before + as_after + 1;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      DyingDisk::die_before(step);
      Database doomed(copy);
      work(doomed);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    killed = WIFSIGNALED(status);
    CAPTURE(step);
    REQUIRE((killed || WEXITSTATUS(status) == 0));
    const std::string left = dump_of(copy);
    REQUIRE((left == before || left == after));
    ++(left == before ? as_before : as_after);
    db::Connection connection(copy, false);
    REQUIRE(sql_text(connection, "PRAGMA integrity_check") == "ok");
    REQUIRE(connection.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
  }
  CHECK(as_before > 1);
  CHECK(as_after > 0);
}

}  // namespace pippin::test
