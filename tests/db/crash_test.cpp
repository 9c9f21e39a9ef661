// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

constexpr int kRows = 400;

/// Adds logs until it is killed; tells of each by a byte to `written`.
[[noreturn]] void write_for_ever(const fs::path& path, bool network, int seed, int written) {
  OpenDatabase how;
  how.network = network;
  Database database(path, how);
  for (int log = 0;; ++log) {
    test::add(database, fmt::format("{}-{}.out", seed, log),
              test::log_of(1, kRows, seed + 0.001 * log));
    if (::write(written, "w", 1) != 1) std::_Exit(1);
  }
}

/// Writes a log at least, and dies some moment later.
void write_and_die(const fs::path& path, bool network, int seed) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) write_for_ever(path, network, seed, pipe[1]);
  ::close(pipe[1]);
  char byte = 0;
  REQUIRE(::read(pipe[0], &byte, 1) == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(17 * seed));
  ::kill(child, SIGKILL);
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("a writer that is killed leaves a whole database") {
  for (const bool network : {false, true}) {
    const test::TemporaryDirectory folder;
    Database{folder / "t.db"};
    std::size_t before = 0;
    for (int seed = 1; seed <= 6; ++seed) {
      write_and_die(folder / "t.db", network, seed);
      fs::remove_all(folder / "t.db.lock");  // what the message tells a person to do
      Database database(folder / "t.db");
      const auto samples = database.samples();
      const std::size_t runs = samples.empty() ? 0 : samples[0].runs.size();
      REQUIRE(runs > before);
      before = runs;
      for (const auto& point : samples) {
        for (const auto& run : point.runs) REQUIRE(database.lines_of(run.id).size() == kRows);
      }
      db::Connection connection(folder / "t.db", false);
      REQUIRE(test::sql_text(connection, "PRAGMA integrity_check") == "ok");
      REQUIRE(connection.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
    }
  }
}
