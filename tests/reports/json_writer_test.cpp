// SPDX-License-Identifier: Apache-2.0
#include "reports/json_writer.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.h"

using namespace pippin;

namespace {

using Json = nlohmann::ordered_json;

void write(const Json& json, JsonWriter& writer) {
  if (json.is_object()) {
    writer.begin_object();
    for (const auto& item : json.items()) {
      writer.key(item.key());
      write(item.value(), writer);
    }
    writer.end_object();
  } else if (json.is_array()) {
    writer.begin_array();
    for (const auto& item : json) write(item, writer);
    writer.end_array();
  } else if (json.is_string()) {
    writer.text(json.get<std::string>());
  } else if (json.is_boolean()) {
    writer.truth(json.get<bool>());
  } else if (json.is_number_unsigned()) {
    writer.natural(json.get<std::uint64_t>());
  } else if (json.is_number_integer()) {
    writer.integer(json.get<std::int64_t>());
  } else {
    writer.number(json.get<double>());
  }
}

/// Both ways to write it.
void check(const Json& json) {
  std::ostringstream out;
  {
    JsonWriter writer(out);
    write(json, writer);
  }
  CHECK(out.str() == json.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

TEST_CASE("JSON that is written as it goes is laid out as a whole is") {
  check(Json::object());
  check(Json::array());
  check("text");
  check({{"a", Json::array()}, {"b", Json::object()}, {"c", {1, Json::array(), {{"d", 2}}}}});
  check({{{"a", 1}}, {{"b", {1, 2, 3}}, {"c", "d"}}, {1, {2, {3}}}});
  check({-1, UINT64_MAX, INT64_MIN, 0.1, 300.0, 1e-5, 1e300, NAN, true, false});
}

TEST_CASE("JSON that is written as it goes escapes what it must") {
  check({{"a \"b\"\\", "c\n\t\x01"}, {"ü €", "\xff no UTF-8"}, {"", ""}});
}

TEST_CASE("JSON that is long is written in pieces") {
  Json json = Json::array();
  for (int i = 0; i < 20'000; ++i) json.push_back({{"number", i}});
  check(json);
}

TEST_CASE("thousandths are written exactly, whatever their size") {
  const auto text = [](std::int64_t value) {
    std::ostringstream out;
    JsonWriter(out).thousandths(value);
    return out.str();
  };
  CHECK(text(62'017'052) == "62017.052");
  CHECK(text(0) == "0");
  CHECK(text(7) == "0.007");
  CHECK(text(-1'500) == "-1.5");
  CHECK(text(12'000) == "12");
  CHECK(text(INT64_MAX) == "9223372036854775.807");
  CHECK(text(INT64_MIN) == "-9223372036854775.808");
}

TEST_CASE("what would steer a terminal is written as an escape, and read back as it was") {
  for (const char* text : {"plain", "gr\u00fcn \u4e2d", "a\x7f", "\u009b31m", "\u202eabc", "\u200b",
                           "\U000e0041", "\x1b[8m"}) {
    std::ostringstream out;
    {
      JsonWriter writer(out, 0);
      writer.text(text);
    }
    CAPTURE(out.str());
    CHECK(Json::parse(out.str()) == text);
    CHECK(quiet_json(Json(text).dump()) == out.str());
    for (const char* steers : {"\x7f", "\u009b", "\u202e", "\u200b", "\U000e0041", "\x1b"})
      CHECK_THAT(out.str(), !Catch::Contains(steers));
  }
  CHECK(quiet_json("{\n \"a\": \"\u00fc\"\n}") == "{\n \"a\": \"\u00fc\"\n}");
}
