// SPDX-License-Identifier: Apache-2.0
#include "db/json.h"

#include "db/sqlite.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

struct Reader {
  test::TemporaryDirectory folder;
  db::Connection connection{folder / "t.db", true};

  std::string text(const std::string& json, const std::string& path) {
    db::Statement statement = connection.prepare("SELECT json_extract(?, ?)");
    statement.bind(json, path).step();
    return statement.text(0);
  }
};

}  // namespace

TEST_CASE("a value is JSON that SQLite reads: its number, or else its printable text") {
  Reader reader;
  CHECK(db::json_of(value_of(0.0)) == "0");
  CHECK(db::json_of(value_of(243.6)) == "243.6");
  CHECK(db::json_of(Value{"5.00", 5.0}) == "5");
  CHECK(db::json_of(value_of(1e-300)) == "1e-300");
  CHECK(db::json_of(Value{"nan", {}}) == "\"nan\"");
  const std::string odd = db::json_of(Value{"od\"d\\ \n\x01 gr\xc3\xbcn \xff", {}});
  CHECK(reader.text(odd, "$") == R"(od"d\ \n\x01 gr)"
                                 "\xc3\xbcn \\xff");
}

TEST_CASE("arguments are pairs in their order, however often a name comes") {
  Reader reader;
  const std::string json = db::json_pairs_of({{"b", value_of(std::string("1e8"))},
                                              {"a", value_of(std::string("x \"y\"\n"))},
                                              {"b", value_of(std::string(""))}});
  CHECK(json == R"([["b","1e8"],["a","x \"y\"\n"],["b",""]])");
  CHECK(reader.text(json, "$[1][1]") == "x \"y\"\n");
  CHECK(db::json_pairs_of({}) == "[]");
  CHECK(reader.text(db::json_pairs_of({{"\xff", Value{"\xff!", {}}}}), "$[0][1]") ==
        "\xef\xbf\xbd!");
}

TEST_CASE("an object's values are read back as numbers and texts") {
  CHECK(db::values_in(R"({"num zeros":0,"lm loss":"nan","b":-1.5e-7})") ==
        NamedValues{
            {"num zeros", value_of(0.0)}, {"lm loss", Value{"nan", {}}}, {"b", value_of(-1.5e-7)}});
  CHECK(db::values_in("{}").empty());
}
