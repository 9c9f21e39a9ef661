// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/text.h"
#include "reports/format.h"
#include "reports/summarize.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

nlohmann::ordered_json json_of(std::vector<Summary> rows, const std::string& columns = "") {
  Report report{std::move(rows)};
  if (!columns.empty()) report.columns = columns_named(columns, report.rows);
  std::ostringstream out;
  format_named("json").write(report, out);
  CHECK(out.str().back() == '\n');
  return nlohmann::ordered_json::parse(out.str());
}

std::vector<std::string> keys_of(const nlohmann::ordered_json& row) {
  std::vector<std::string> keys;
  for (const auto& item : row.items()) keys.push_back(item.key());
  return keys;
}

}  // namespace

TEST_CASE("a JSON report has the columns of CSV in their order and its remarks") {
  const auto rows = test::summarize(test::sweep_samples(), {});
  const auto json = json_of(rows);
  CHECK(keys_of(json) == std::vector<std::string>{"rows", "remarks"});
  REQUIRE(json["rows"].size() == 3);
  std::ostringstream csv;
  format_named("csv").write({rows}, csv);
  CHECK(join(keys_of(json["rows"][0]), ",") == split(csv.str(), '\n')[0]);
  bool says = false;
  for (const auto& remark : json["remarks"])
    says = says || remark.get<std::string>().rfind("oom in 1 of 4 runs", 0) == 0;
  CHECK(says);
  CHECK(json_of({}) == nlohmann::ordered_json{{"rows", nlohmann::ordered_json::array()},
                                              {"remarks", nlohmann::ordered_json::array()}});
}

TEST_CASE("a whole number is an integer in JSON and what is unknown is null") {
  auto rows = test::summarize(test::sweep_samples(), {});
  const auto json = json_of(rows)["rows"];
  CHECK(json[0]["gpus"].is_number_integer());
  CHECK(json[0]["gpus"] == 64);
  CHECK(json[0]["iterations"].is_number_integer());
  CHECK(json[0]["zero"] == 1);
  CHECK(json[0]["params_b"] == 52);
  CHECK(json[0]["step_time_s"].get<double>() == Approx(rows[0].step_time_s->mean));
  CHECK(json[0]["mfu"].is_null());
  CHECK(json[0]["notes"].is_null());
  CHECK(json[2]["step_time_s"].is_null());
  CHECK(json[2]["runs"].is_null());
  CHECK(json[2]["state"] == "infeasible");
}

TEST_CASE("an axis is in JSON what it is in the sweep") {
  std::vector<Summary> rows{test::row_52b("a", 1), test::row_52b("b", 1)};
  rows[0].point.axes = {{"bucket", value_of("5e8")},
                        {"id", value_of("1234567891")},
                        {"x", value_of("0.1")},
                        {"name", value_of("fast")},
                        {"big", value_of("1234567890123")},
                        {"pi", value_of("3.14159265358979")}};
  const auto json = json_of(rows)["rows"];
  CHECK(json[0]["bucket"] == 500'000'000);
  CHECK(json[0]["bucket"].is_number_integer());
  CHECK(json[0]["id"] == 1'234'567'891);
  CHECK(json[0]["big"] == 1'234'567'890'123);
  CHECK(json[0]["x"] == 0.1);
  CHECK(json[0]["pi"] == 3.14159265358979);
  CHECK(json[0]["name"] == "fast");
  CHECK(json[1]["name"].is_null());
}

TEST_CASE("a text that is no UTF-8 does not end a JSON report") {
  Summary row = test::row_52b("a\xff\"\\\n\x01z", 1);
  row.point.axes = {{"x", value_of("\xc3")}, {"\xfe", value_of("y")}};
  row.notes = {"\xe2\x82"};
  const auto json = json_of({row})["rows"][0];
  CHECK(json["point"] == "a\xef\xbf\xbd\"\\\n\x01z");
  CHECK(json["x"] == "\xef\xbf\xbd");
  CHECK(json["notes"] == "\xef\xbf\xbd");
}

TEST_CASE("asked columns are the fields of JSON") {
  Summary row = test::row_52b("a", 1.5);
  row.point.axes = {{"zero", value_of(1.0)}};
  CHECK(json_of({row}, "Speed,ZeRO=zero,tp")["rows"][0] ==
        nlohmann::ordered_json{{"step_time_s", 1.5},
                               {"ci_low_s", nullptr},
                               {"ci_high_s", nullptr},
                               {"sd_s", nullptr},
                               {"ZeRO", 1},
                               {"tp", 4}});
}

TEST_CASE("a column that is asked for twice is one member of JSON, with what came last") {
  Summary row = test::row_52b("a", 1.5);
  row.point.axes = {{"zero", value_of(1.0)}};
  CHECK(json_of({row}, "gas,tp,mbs=zero,tp")["rows"][0].size() == 3);
  std::ostringstream text;
  Report report{{row}, columns_named("tp,allocations,tp=zero,counts", std::vector<Summary>{row})};
  write_json(report, text);
  CHECK(text.str().starts_with(
      "{\n \"rows\": [\n  {\n   \"tp\": 1,\n   \"allocations\": 1,\n   \"runs\": 1,"));
}
