// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "db/sqlite.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

struct Sheet {
  test::TemporaryDirectory folder;
  db::Connection connection{folder / "t.db", true};

  Sheet() { connection.run("CREATE TABLE t (a, b)"); }
  std::string all() {
    return test::sql_text(connection,
                          "SELECT group_concat(coalesce(a, '-') || coalesce(b, '-'))"
                          " FROM t");
  }
};

}  // namespace

TEST_CASE("two statements of one text do not disturb each other") {
  Sheet sheet;
  sheet.connection.run("INSERT INTO t VALUES (1, 'x'), (2, 'y')");
  const char* const text = "SELECT b FROM t WHERE a >= ? ORDER BY a";
  db::Statement one = sheet.connection.prepare(text), other = sheet.connection.prepare(text);
  one.bind(1);
  other.bind(2);
  REQUIRE((one.step() && other.step()));
  CHECK((one.text(0) == "x" && other.text(0) == "y"));
  CHECK_FALSE(other.step());
  REQUIRE(one.step());
  CHECK(one.text(0) == "y");
}

TEST_CASE("a text that lies where another lay is another statement") {
  Sheet sheet;
  std::string text = "INSERT INTO t (a) VALUES (?)";
  sheet.connection.prepare(text).run(1);
  text.replace(text.find("(a)"), 3, "(b)");
  sheet.connection.prepare(text).run(2);
  CHECK(sheet.all() == "1-,-2");
}

TEST_CASE("a parameter that is not bound anew is NULL") {
  Sheet sheet;
  db::Statement insert = sheet.connection.prepare("INSERT INTO t VALUES (?, ?)");
  insert.run("a", std::string("b"));
  insert.run("c");
  insert.bind("d", "e").step();
  insert.bind("f").step();
  sheet.connection.prepare("INSERT INTO t VALUES (?, ?)").step();
  CHECK(sheet.all() == "ab,c-,de,f-,--");
}

TEST_CASE("what is bound for rows to come may end before them") {
  Sheet sheet;
  sheet.connection.run("INSERT INTO t VALUES (1, 'a longer text than fits'), (2, 'x')");
  db::Statement rows = sheet.connection.prepare("SELECT a FROM t WHERE b = ?");
  {
    std::string text = "a longer text than fits";
    rows.bind(text);
    text.assign(text.size(), 'x');
  }
  REQUIRE(rows.step());
  CHECK(rows.integer(0) == 1);
}

TEST_CASE("a statement that failed can be used again") {
  Sheet sheet;
  sheet.connection.run("CREATE TABLE u (a INTEGER PRIMARY KEY)");
  const char* const text = "INSERT INTO u VALUES (?)";
  db::Statement insert = sheet.connection.prepare(text);
  insert.run(1);
  CHECK_THROWS_AS(insert.run(1), Error);
  insert.run(2);
  CHECK_THROWS_AS(sheet.connection.prepare(text).run(2), Error);
  sheet.connection.prepare(text).run(3);
  CHECK(sheet.connection.number("SELECT count(*) FROM u") == 3);
}

TEST_CASE("more texts than are kept are compiled each time") {
  Sheet sheet;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 300; ++i)
      CHECK(sheet.connection.number(fmt::format("SELECT {} + count(*) FROM t", i)) == i);
  }
}
