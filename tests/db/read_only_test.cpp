// SPDX-License-Identifier: Apache-2.0
// Databases that are opened to be read and no more, and how it is seen that one was written to.
#include "core/base/error.h"
#include "db/stamp.h"
#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

struct Written {
  test::TemporaryDirectory folder;
  fs::path path = folder / "t.db";

  Written() { add(1); }
  void add(int log) const {
    Database database(path);
    test::add(database, std::to_string(log) + ".out", test::log_of(1, 3, log));
  }
  Database reader() const {
    OpenDatabase how;
    how.read_only = true;
    return Database(path, how);
  }
  std::string bytes() const { return disk().read(path).value_or(""); }
  std::size_t files() const { return disk().list(folder.path()).size(); }
};

}  // namespace

TEST_CASE("a database that is opened to be read is not written to, and gets no file beside it") {
  const Written here;
  const std::string before = here.bytes();
  {
    Database reader = here.reader();
    const Digester digester{1, [](const EachLine&, const auto&) { return RunDigest(); }};
    CHECK(reader.digested_samples({}, digester).points.size() == 1);
    reader.put_rows({}, {}, 1, reader.moment());
    CHECK_THROWS_AS(test::add(reader, "2.out", test::log_of(1, 3, 2)), Error);
    CHECK(here.files() == 1);
  }
  CHECK(here.bytes() == before);
  CHECK(here.files() == 1);
  CHECK_THROWS_WITH(Database(here.folder / "none.db", {.read_only = true}),
                    Contains("no such database"));
  CHECK(here.files() == 1);
}

TEST_CASE("all that is read of it is of the moment when it was opened, while a writer goes on") {
  const Written here;
  Database writer(here.path);
  test::add(writer, "2.out", test::log_of(1, 3, 2));  // in SQLite's log by now
  Database reader = here.reader();
  CHECK(test::runs_in(reader) == 2);
  test::add(writer, "3.out", test::log_of(1, 3, 3));
  CHECK(test::runs_in(reader) == 2);
  CHECK(reader.contents({}).front().runs.front() == 2);
  CHECK(reader.is_as_opened());
  CHECK(test::runs_in(writer) == 3);
  Database next = here.reader();
  CHECK(test::runs_in(next) == 3);
}

TEST_CASE("a reader that kept nobody from writing sees that somebody did") {
  const Written here;
  const Database reader = here.reader();
  CHECK(reader.is_as_opened());
  here.add(2);
  CHECK_FALSE(reader.is_as_opened());
  const Database other = here.reader();
  fs::rename(here.path, here.folder / "away.db");
  CHECK_FALSE(other.is_as_opened());
}

TEST_CASE("a database's stamp changes when it is written to, and where another takes its place") {
  const Written here, other;
  const auto stamp = [&] { return stamp_of_database(here.path); };
  REQUIRE(stamp());
  auto before = stamp();
  here.add(2);
  CHECK(stamp() != before);
  Database writer(here.path);
  before = stamp();
  test::add(writer, "3.out", test::log_of(1, 3, 3));
  CHECK(stamp() != before);
  before = stamp();
  fs::rename(other.path, here.path);
  CHECK(stamp() != before);
  fs::remove(here.path);
  CHECK_FALSE(stamp());
}
