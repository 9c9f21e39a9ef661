#include <catch2/catch.hpp>
#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

#include "db/lock.h"
#include "db/sqlite.h"
#include "harness/base/error.h"
#include "tests/db/sample_runs.h"
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

TEST_CASE("a directory that cannot be written is the machine's error") {
  if (::geteuid() == 0) {
    const test::TemporaryDirectory folder;
    // Permissions do not bind root; a process file system refuses it as well.
    CHECK(refusal([&] { Database database("/proc/t.db"); }).first == 3);
    return;
  }
  const test::TemporaryDirectory folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(refusal([&] { Database database(folder / "t.db"); }).first == 3);
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
  CHECK(connection.text("PRAGMA integrity_check") == "ok");
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
      refusal([&] { test::add(database, "large", test::log_of(1, 20000, 0.5)); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(code == 3);
  CHECK_THAT(message, Contains("the disk is full, or a quota"));
  CHECK(test::runs_in(database) == 1);
  CHECK(test::add(database, "large", test::log_of(1, 20000, 0.5)).runs == 1);
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
  CHECK(db::Connection(folder / "t.db", false).text("PRAGMA journal_mode") == "delete");
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

TEST_CASE("a local folder is not taken for a network's") {
  CHECK_FALSE(db::on_network_file_system("/proc/x"));
}
