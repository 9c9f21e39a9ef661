// SPDX-License-Identifier: Apache-2.0
#include "core/http/gate.h"

#include <set>

#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using http::Gate;
using http::Request;
using http::Response;
using http::Target;

namespace {

Request request(const std::string& target, const std::string& cookies = "") {
  Request made;
  made.method = "GET";
  made.target = target;
  made.host = "localhost:8642";
  made.cookies = cookies;
  made.local_address = "127.0.0.1";
  return made;
}

/// 200 where it may go on.
struct Passed {
  int status = 200;
  Response response;
  Target target;
};

Passed pass(const Gate& gate, const Request& asked) {
  Passed passed;
  const auto answer = gate.answer(asked, http::plain_text, passed.target);
  if (answer) passed.response = *answer;
  if (answer) passed.status = answer->status;
  return passed;
}

std::string field(const Response& response, const std::string& name) {
  for (const auto& [key, value] : response.fields)
    if (key == name) return value;
  return "";
}

const Gate& gate() {
  static const Gate kGate("secret", "n1:8642", {"login1", "::1", "login2:8642", "[fe80::7]:8642"});
  return kGate;
}

std::string cookie(const std::string& token) { return gate().cookie_name() + "=" + token; }

}  // namespace

TEST_CASE("the token is 192 bits, and another each time") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = http::new_token();
    CHECK(token.size() == 48);
    CHECK(token.find_first_not_of("0123456789abcdef") == std::string::npos);
    seen.insert(token);
  }
  CHECK(seen.size() == 100);
}

TEST_CASE("texts are compared whole") {
  CHECK(http::equal_in_constant_time("", ""));
  CHECK(http::equal_in_constant_time("abc", "abc"));
  for (const char* other : {"", "a", "ab", "abd", "bbc", "abcd", "abcabc"}) {
    CHECK_FALSE(http::equal_in_constant_time("abc", other));
    CHECK_FALSE(http::equal_in_constant_time(other, "abc"));
  }
}

TEST_CASE("who has no token gets no further") {
  for (const std::string& cookies :
       {std::string(), cookie(""), cookie("wrong"), std::string("pippin-0=secret"),
        "x=" + cookie("secret"), cookie("secretsecret")}) {
    CAPTURE(cookies);
    const auto passed = pass(gate(), request("/report/x", cookies));
    CHECK(passed.status == 403);
    CHECK_THAT(std::string(passed.response.body.shown), Contains("that pippin serve printed"));
  }
  CHECK(pass(gate(), request("/?token=wrong")).status == 403);
  CHECK(pass(gate(), request("/?token=")).status == 403);
}

TEST_CASE("servers that are reached by one host's name do not take each other's cookies") {
  const Gate other("another", "n2:8642", {});
  CHECK(other.cookie_name() != gate().cookie_name());
  CHECK(Gate("newer", "n1:8642", {}).cookie_name() == gate().cookie_name());
  const std::string both = cookie("secret") + "; " + other.cookie_name() + "=another";
  CHECK(pass(gate(), request("/", both)).status == 200);
  CHECK(pass(other, request("/", both)).status == 200);
}

TEST_CASE("a token in the address becomes a cookie that no script and no other site has") {
  const auto passed = pass(gate(), request("/compare?base=a%2F1&token=secret&new=b"));
  CHECK(passed.status == 303);
  CHECK(field(passed.response, "Location") == "/compare?base=a%2F1&new=b");
  CHECK(field(passed.response, "Set-Cookie") ==
        cookie("secret") + "; Path=/; HttpOnly; SameSite=Lax");
  CHECK(std::string(passed.response.body.shown).find("secret") == std::string::npos);
}

TEST_CASE("who has the cookie goes on") {
  for (const std::string& cookies : {cookie("secret"), "a=1; " + cookie("secret") + "; b=2",
                                     cookie("old") + "; " + cookie("secret")}) {
    CAPTURE(cookies);
    const auto passed = pass(gate(), request("/report/x", cookies));
    CHECK(passed.status == 200);
    CHECK(passed.target.path == std::vector<std::string>{"report", "x"});
  }
}

TEST_CASE("a name that another's DNS has led here is refused, whatever the token") {
  const auto status = [](const std::string& host, const std::string& at = "127.0.0.1") {
    Request asked = request("/?token=secret", cookie("secret"));
    asked.host = host;
    asked.local_address = at;
    return pass(gate(), asked).status;
  };
  for (const char* host :
       {"localhost", "localhost:8642", "LocalHost:8642", "127.0.0.1:8642", "127.0.0.1:9000",
        "[::1]:8642", "login1:8642", "LOGIN1", "login2", "login2:9000", "[fe80::7]:8642"})
    CHECK(status(host) == 303);
  for (const char* host :
       {"", "evil.example", "evil.example:8642", "localhost.evil.example", "127.0.0.1.evil.example",
        "evil.example:127.0.0.1", "localhost@evil.example", "10.0.0.5:8642", "[::2]:8642", "[::1",
        "localhost evil.example", "localhost,evil.example", "0.0.0.0:8642"}) {
    CAPTURE(host);
    CHECK(status(host) == 421);
  }
  CHECK(status("10.0.0.5:8642", "10.0.0.5") == 303);
  CHECK(status("[fe80::1]:8642", "fe80::1") == 303);
}

TEST_CASE("pages can only be read") {
  for (const char* method :
       {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "", "X"}) {
    CAPTURE(method);
    Request asked = request("/", cookie("secret"));
    asked.method = method;
    const auto passed = pass(gate(), asked);
    CHECK(passed.status == 405);
    CHECK(field(passed.response, "Allow") == "GET, HEAD");
  }
  Request head = request("/", cookie("secret"));
  head.method = "HEAD";
  CHECK(pass(gate(), head).status == 200);
}

TEST_CASE("an address that leads out, or is too long, is refused") {
  const std::string known = cookie("secret");
  CHECK(pass(gate(), request("/../x", known)).status == 400);
  CHECK(pass(gate(), request("/%2e%2e/x", known)).status == 400);
  CHECK(pass(gate(), request("//x", known)).status == 400);
  CHECK(pass(gate(), request("/" + std::string(4096, 'x'), known)).status == 414);
}
