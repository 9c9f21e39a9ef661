// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <memory>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/process.h"
#include "db/lock.h"
#include "db/migrate.h"
#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// Exit status and text of what `action` throws.
template <typename Action>
std::pair<int, std::string> refusal(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return {static_cast<int>(error.exit_code()), error.what()};
  }
  return {0, ""};
}

constexpr fs::perms kReadOnly =
    fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
constexpr fs::perms kListOnly =
    kReadOnly | fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;

/// Does `action` in a process that permissions bind, which those of root are not: "0", or exit
/// status and text of what it throws.
template <typename Action>
std::string as_stranger(Action action) {
  constexpr uid_t kNobody = 65534;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(1);
    std::string text;
    try {
      const auto [code, message] = refusal(action);
      text = std::to_string(code) + (code == 0 ? "" : " " + message);
    } catch (const std::exception& error) {
      text = error.what();
    }
    ::_exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

TEST_CASE("a file that is no database is refused and left alone") {
  const test::TemporaryDirectory folder;
  const std::string text = "# Notes\n" + std::string(5000, 'x');
  disk().write(folder / "notes.md", text);
  const auto [code, message] = refusal([&] { Database database(folder / "notes.md"); });
  CHECK(code == 2);
  CHECK_THAT(message, Contains("notes.md") && Contains("is no database") && Contains("--db"));
  CHECK(disk().read(folder / "notes.md") == text);
}

TEST_CASE("a database of another program is refused and left alone") {
  const test::TemporaryDirectory folder;
  db::Connection(folder / "other.db", true).run("CREATE TABLE theirs (x)");
  const auto [code, message] = refusal([&] { Database database(folder / "other.db"); });
  CHECK(code == 2);
  CHECK_THAT(message, Contains("another program"));
  CHECK(db::Connection(folder / "other.db", false).number("SELECT count(*) FROM sqlite_master") ==
        1);
}

TEST_CASE("a missing database is the user's error where it must be there") {
  const test::TemporaryDirectory folder;
  const auto [code, message] = refusal([&] { Database database(folder / "t.db", {false}); });
  CHECK(code == 2);
  CHECK_THAT(message, Contains("no such database"));
  CHECK_FALSE(disk().exists(folder / "t.db"));
}

TEST_CASE("a place that cannot be opened is the machine's error") {
  const test::TemporaryDirectory folder;
  const auto [code, message] = refusal([&] { Database database(folder / "none/t.db"); });
  CHECK(code == 3);
  CHECK_THAT(message, Contains("cannot open the database: No such file"));
  CHECK(refusal([&] { Database database(folder.path()); }).first == 3);
}

TEST_CASE("a directory that cannot be written is the machine's error and named as such") {
  const test::TemporaryDirectory folder;
  fs::permissions(folder.path(), kListOnly);
  CHECK(as_stranger([&] { Database database(folder / "t.db"); }) ==
        "3 " + (folder / "t.db").string() + ": cannot open the database: Permission denied");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST_CASE("who may only read a database can read it and leaves nothing behind") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "a #1?%20 b.db";
  for (const bool network : {false, true}) {
    OpenDatabase how;
    how.network = network;
    test::add(*std::make_unique<Database>(path, how), "a", test::log_of(1, 5, network ? 1 : 0));
    for (const auto directory : {kListOnly, fs::perms::all}) {
      fs::permissions(path, kReadOnly);
      fs::permissions(folder.path(), directory);
      const std::string read = as_stranger([&] {
        Database database(path, how);
        if (test::runs_in(database) != (network ? 2 : 1))
          throw std::logic_error("runs are missing");
      });
      CHECK(read == "0");
      const std::string written = as_stranger([&] {
        Database database(path, how);
        test::add(database, "b", test::log_of(1, 9));
      });
      CHECK_THAT(written, Catch::StartsWith("3 ") && Contains("cannot be written"));
      CHECK(disk().list(folder.path()).size() == 1);
      fs::permissions(folder.path(), fs::perms::owner_all);
      fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    }
  }
}

TEST_CASE("who may only read an older database is told who can bring it up to date") {
  const test::TemporaryDirectory folder;
  db::Connection(folder / "t.db", true)
      .run(std::string(migrations()[0].text) +
           "PRAGMA application_id = 1885958256; PRAGMA user_version = 1");
  fs::permissions(folder.path(), kListOnly);
  const std::string read = as_stranger([&] { Database database(folder / "t.db"); });
  CHECK_THAT(read,
             Catch::StartsWith("3 ") && Contains("of database version 1") && Contains("its owner"));
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST_CASE("what stands in the write-ahead log is not lost on who may only read") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "a", test::log_of(1, 5));
  for (const char* file : {"t.db", "t.db-wal", "t.db-shm"})
    fs::permissions(folder / file, kReadOnly);
  fs::permissions(folder.path(), kListOnly);
  const std::string read = as_stranger([&] {
    Database mine(folder / "t.db");
    if (test::runs_in(mine) != 1) throw std::logic_error("the run is missing");
  });
  CHECK(read == "0");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST_CASE("a full disk is told and what was stored before stays whole") {
  const test::TemporaryDirectory folder;
  {
    OpenDatabase how;
    how.most_pages = 80;
    Database database(folder / "t.db", how);
    test::add(database, "small", test::log_of(1, 10));
    const auto [code, message] =
        refusal([&] { test::add(database, "large", test::log_of(1, 20000, 0.5)); });
    CHECK(code == 3);
    CHECK_THAT(message, Contains("the disk is full") && Contains("repeat the command"));
    CHECK(test::runs_in(database) == 1);
    CHECK(test::add(database, "tiny", test::log_of(1, 5, 0.25)).runs == 1);
  }
  Database database(folder / "t.db");
  CHECK(test::runs_in(database) == 2);
  CHECK(test::add(database, "large", test::log_of(1, 20000, 0.5)).iterations == 20000);
  db::Connection connection(folder / "t.db", false);
  CHECK(test::sql_text(connection, "PRAGMA integrity_check") == "ok");
}

TEST_CASE("a quota that is used up is told as a full disk") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "small", test::log_of(1, 10));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{400'000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto [code, message] =
      refusal([&] { test::add(database, "large", test::log_of(1, 60000, 0.5)); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(code == 3);
  CHECK_THAT(message, Contains("the disk is full, or a quota"));
  CHECK(test::runs_in(database) == 1);
  CHECK(test::add(database, "large", test::log_of(1, 60000, 0.5)).runs == 1);
}

TEST_CASE("a writer that holds the database is waited for and then named") {
  const test::TemporaryDirectory folder;
  OpenDatabase how;
  how.patience = std::chrono::milliseconds(100);
  Database database(folder / "t.db", how);
  db::Connection other(folder / "t.db", false);
  const db::Transaction writing(other);
  CHECK(database.samples().empty());  // readers go on
  const auto [code, message] = refusal([&] { test::add(database, "a", test::log_of(1, 2)); });
  CHECK(code == 3);
  CHECK_THAT(message, Contains("another process is writing") && Contains("waited 0.1 s"));
}

TEST_CASE("on a network file system there is a rollback journal and a lock folder") {
  const test::TemporaryDirectory folder;
  OpenDatabase how;
  how.network = true;
  Database database(folder / "t.db", how);
  test::add(database, "a", test::log_of(1, 2));
  CHECK(test::sql_text(folder / "t.db", "PRAGMA journal_mode") == "delete");
  CHECK_FALSE(disk().exists(folder / "t.db.lock"));
  CHECK_FALSE(disk().exists(folder / "t.db-wal"));
  Database local(folder / "t.db");
  CHECK(test::runs_in(local) == 1);
}

TEST_CASE("a lock folder names who holds it and what to do when that one is gone") {
  const test::TemporaryDirectory folder;
  OpenDatabase how;
  how.network = true;
  how.patience = std::chrono::milliseconds(100);
  Database database(folder / "t.db", how);
  disk().write(folder / "t.db.lock/owner", "login3 4711\n");
  const auto [code, message] = refusal([&] { database.samples(); });
  CHECK(code == 3);
  CHECK_THAT(message, Contains("process 4711 on login3") && Contains("remove that folder"));
  fs::remove_all(folder / "t.db.lock");
  CHECK(database.samples().empty());
}

TEST_CASE("whether who holds a lock folder still runs is said of this machine's processes only") {
  const test::TemporaryDirectory folder;
  const auto holder = [&](const std::string& owner) {
    fs::create_directories(folder / "lock");
    disk().write(folder / "lock/owner", owner);
    return refusal([&] { db::FolderLock(folder / "lock", std::chrono::milliseconds(0)); }).second;
  };
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const std::string here = host_name();
  CHECK_THAT(holder(fmt::format("{} {}\n", here, child)),
             Contains(fmt::format("process {} on {}, which no longer runs; if no", child, here)));
  CHECK_THAT(holder(fmt::format("else-{} {}\n", here, child)),
             Contains(fmt::format("process {} on else-{}; if no", child, here)));
  CHECK_THAT(holder(fmt::format("{} {}\n", here, ::getpid())),
             Contains(fmt::format("process {} on {}; if no", ::getpid(), here)));
}

TEST_CASE("a lock folder whose owner cannot be read says what stands there, or that nothing does") {
  const test::TemporaryDirectory folder;
  const auto holder = [&] {
    return refusal([&] { db::FolderLock(folder / "lock", std::chrono::milliseconds(0)); }).second;
  };
  fs::create_directories(folder / "lock");
  CHECK_THAT(holder(), Contains("in use by a process that did not say its name; if"));
  for (const char* owner : {"somebody", "host 12 more", "host twelve"}) {
    disk().write(folder / "lock/owner", owner);
    CHECK_THAT(holder(), Contains(fmt::format("in use by {}; if", owner)));
  }
}

TEST_CASE("a lock folder goes with its owner, and names it until then") {
  const test::TemporaryDirectory folder;
  {
    const db::FolderLock lock(folder / "lock", std::chrono::milliseconds(0));
    CHECK(disk().read(folder / "lock/owner") == fmt::format("{} {}\n", host_name(), ::getpid()));
  }
  CHECK_FALSE(fs::exists(folder / "lock"));
}

TEST_CASE("a file that is opened to be read is not written to, though it could be") {
  const test::TemporaryDirectory folder;
  const Database database(folder / "t.db");
  const auto patience = std::chrono::milliseconds(100);
  db::Connection connection(folder / "t.db", db::Connection::ReadOnly{}, patience);
  CHECK(connection.read_only());
  CHECK_THROWS_AS(connection.run("INSERT INTO sweeps (name) VALUES ('x')"), Error);
  CHECK_FALSE(db::Connection(folder / "t.db", false).read_only());
  fs::permissions(folder.path(), kListOnly);
  CHECK_THAT(as_stranger(
                 [&] { db::Connection(folder / "none.db", db::Connection::ReadOnly{}, patience); }),
             Contains("none.db: cannot open the database: No such file"));
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST_CASE("a transaction that was committed undoes nothing of the next") {
  const test::TemporaryDirectory folder;
  const Database database(folder / "t.db");
  db::Connection connection(folder / "t.db", false);
  auto first = std::make_unique<db::Transaction>(connection);
  first->commit();
  db::Transaction second(connection);
  connection.run("INSERT INTO sweeps (name) VALUES ('x')");
  first.reset();
  second.commit();
  CHECK(connection.number("SELECT count(*) FROM sweeps") == 1);
}

TEST_CASE("a transaction that is left without a commit leaves nothing") {
  const test::TemporaryDirectory folder;
  const Database database(folder / "t.db");
  db::Connection connection(folder / "t.db", false);
  {
    const db::Transaction transaction(connection);
    connection.run("INSERT INTO sweeps (name) VALUES ('x')");
  }
  CHECK(connection.number("SELECT count(*) FROM sweeps") == 0);
}

TEST_CASE("a local folder is not taken for a network's") {
  CHECK_FALSE(db::on_network_file_system("/proc/x"));
}
