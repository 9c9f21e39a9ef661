#include "core/base/files.h"

#include "core/base/error.h"
#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

TEST_CASE("a written file reads back, and a missing one is nothing") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "a/b/c.txt", "text");
  CHECK(disk().read(folder / "a/b/c.txt") == "text");
  disk().write(folder / "a/b/c.txt", "new");
  CHECK(disk().read(folder / "a/b/c.txt") == "new");
  CHECK_FALSE(disk().read(folder / "none"));
  CHECK(disk().list(folder / "a/b") == std::vector<std::string>{"c.txt"});
  CHECK(disk().list(folder / "none").empty());
}

TEST_CASE("a file that is replaced keeps its mode") {
  const test::TemporaryDirectory folder;
  for (const unsigned mode : {0600u, 0444u, 0755u}) {
    disk().write(folder / "x", "old");
    fs::permissions(folder / "x", static_cast<fs::perms>(mode));
    disk().write(folder / "x", "new");
    CHECK(fs::status(folder / "x").permissions() == static_cast<fs::perms>(mode));
    CHECK(disk().read(folder / "x") == "new");
  }
}

TEST_CASE("a directory is made by one caller only") {
  const test::TemporaryDirectory folder;
  CHECK(disk().make_directory(folder / "x/claim"));
  CHECK_FALSE(disk().make_directory(folder / "x/claim"));
}

TEST_CASE("input that cannot be read is the user's error") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(read_input(folder / "none"), Catch::Contains("cannot read: No such file"));
  CHECK_THROWS_WITH(read_input(folder.path()), Catch::Contains("Is a directory"));
  disk().write(folder / "big", std::string(100, 'x'));
  CHECK_THROWS_WITH(read_input(folder / "big", 99), Catch::Contains("too large"));
}

TEST_CASE("programs report output, exit code and signals") {
  const auto outcome = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.output == "out\nerr\n");
  CHECK(run_program({"sh", "-c", "kill -9 $$"}).exit_code == 137);
  CHECK_THROWS_AS(run_program({"no-such-program-here"}), Error);
}
