#include "db/json.h"

#include "db/sqlite.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

TEST_CASE("what a line says beside the columns is JSON that SQLite reads") {
  const NamedValues values{{"num zeros", value_of(0.0)},
                           {"throughput per GPU (TFLOP/s/GPU)", value_of(243.6)},
                           {"lm loss", Value{"nan", {}}},
                           {"od\"d\\ \n\x01 name", Value{"gr\xc3\xbcn \xff", {}}},
                           {"small", value_of(1e-300)}};
  const std::string json = db::json_of(values);
  CHECK(db::json_of({}) == "{}");
  const test::TemporaryDirectory folder;
  db::Connection connection(folder / "t.db", true);
  db::Statement statement = connection.prepare("SELECT json_valid(?1), json_extract(?1, ?2)");
  statement.bind(json, "$.\"throughput per GPU (TFLOP/s/GPU)\"").step();
  CHECK(statement.integer(0) == 1);
  CHECK(statement.real(1) == 243.6);
  statement.bind(json, "$.\"lm loss\"").step();
  CHECK(statement.text(1) == "nan");
}
