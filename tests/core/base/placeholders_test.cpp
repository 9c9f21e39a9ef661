// SPDX-License-Identifier: Apache-2.0
#include "core/base/placeholders.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {
Piece text(std::string literal) { return {false, std::move(literal)}; }
Piece name(std::string word) { return {true, std::move(word)}; }
}  // namespace

TEST_CASE("names in braces are placeholders and all else is itself") {
  struct Case {
    std::string text;
    std::vector<Piece> pieces;
  };
  const std::vector<Case> cases{
      {"", {}},
      {"plain", {text("plain")}},
      {"--tp {tp} x", {text("--tp "), name("tp"), text(" x")}},
      {"{a}{b_2}", {name("a"), name("b_2")}},
      {"${HOME}/{name}", {text("${HOME}/"), name("name")}},
      {"{tp}${X}", {name("tp"), text("${X}")}},
      {"$PIPPIN_ZERO", {text("$PIPPIN_ZERO")}},
      {"awk '{ print $1 }'", {text("awk '{ print $1 }'")}},
      {"{{tp}}", {text("{tp}")}},
      {"a{{tp}}b{c}", {text("a{tp}b"), name("c")}},
      {"{{tp}}{tp}", {text("{tp}"), name("tp")}},
      {"${{tp}}", {text("${tp}")}},
      {"{a}$", {name("a"), text("$")}},
      {"{{ tp }}", {text("{{ tp }}")}},
      {"{1..4} {a,b} {} { }", {text("{1..4} {a,b} {} { }")}},
      {R"({"zero": {zero}})", {text(R"({"zero": )"), name("zero"), text("}")}},
      {"{{tp}", {text("{"), name("tp")}},
      {"{tp}}", {name("tp"), text("}")}},
      {"{tp", {text("{tp")}},
      {"{", {text("{")}},
      {"{{", {text("{{")}},
      {"{2d}", {text("{2d}")}},
      {"{gr\xc3\xbcn}", {text("{gr\xc3\xbcn}")}},
  };
  for (const auto& example : cases) {
    INFO(example.text);
    CHECK(placeholders(example.text) == example.pieces);
  }
}

TEST_CASE("identifiers begin with a letter or underscore") {
  CHECK(is_identifier("zero"));
  CHECK(is_identifier("_z9"));
  CHECK_FALSE(is_identifier(""));
  CHECK_FALSE(is_identifier("9z"));
  CHECK_FALSE(is_identifier("a-b"));
  for (const char* name : {"a", "z", "A", "Z", "_", "aaz", "aZ", "aA", "a0", "a9", "a_"})
    CHECK(is_identifier(name));
  for (const char* text : {"@", "[", "`", "{", "0", "9", "a@", "a[", "a`", "a{", "a/", "a:", " a"})
    CHECK_FALSE(is_identifier(text));
}
