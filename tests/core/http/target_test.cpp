// SPDX-License-Identifier: Apache-2.0
#include "core/http/target.h"

#include "tests/support/catch.h"
#include "tests/support/nasty.h"

using namespace pippin;
using http::target_of;

TEST_CASE("an address is taken apart and decoded") {
  const auto target = target_of("/report/a%2Fb%20c/2?base=x%26y&new=a+b&flag&=nothing");
  REQUIRE(target);
  CHECK(target->path == std::vector<std::string>{"report", "a/b c", "2"});
  CHECK(target->said("base") == "x&y");
  CHECK(target->said("new") == "a b");
  CHECK(target->said("flag") == "");
  CHECK_FALSE(target->said("other"));
  CHECK(target->query.size() == 3);
  REQUIRE(target_of("/"));
  CHECK(target_of("/")->path.empty());
}

TEST_CASE("an address that leads out, or is none, is refused") {
  for (const char* text :
       {"",         "report",    "*",      "http://other/", "//",     "//report", "/report//x",
        "/report/", "/..",       "/../x",  "/a/../b",       "/a/..",  "/.",       "/a/./b",
        "/%2e%2e",  "/%2E%2e/x", "/a/%2e", "/a%00b",        "/%",     "/%4",      "/%zz",
        "/a b",     "/a\tb",     "/a\x7f", "/a\xff",        "/?a=%0", "/?%00=1",  "/?a=%00"}) {
    CAPTURE(text);
    CHECK_FALSE(target_of(text));
  }
  CHECK_FALSE(target_of(std::string_view("/a\0b", 4)));
}

TEST_CASE("any name comes back from the address that was made of it") {
  for (const auto& text : test::nasty_texts()) {
    CAPTURE(text);
    if (text.empty()) continue;
    const std::string address = http::path_text({"report", text});
    for (const char c : address) CHECK((c > ' ' && c <= '~' && c != '"' && c != '<' && c != '\''));
    const auto target = target_of(address);
    REQUIRE(target);
    CHECK(target->path.back() == text);
    const auto asked = target_of("/?q=" + http::percent_encoded(text));
    REQUIRE(asked);
    CHECK(asked->said("q") == text);
  }
}

TEST_CASE("text of HTML has no character that is markup") {
  CHECK(http::html_text("<b>\"it's\" & more</b>") ==
        "&lt;b&gt;&quot;it&#39;s&quot; &amp; more&lt;/b&gt;");
  CHECK(http::html_text("a\nb") == "a\\nb");
}
