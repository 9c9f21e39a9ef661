// SPDX-License-Identifier: Apache-2.0
// Who gets in, how it begins and how it ends.
#include <csignal>
#include <fmt/format.h>

#include "core/base/random.h"
#include "tests/harness/serve/served.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::get_request;
using test::HttpClient;
using test::Served;
using test::Workplace;

namespace {

/// A database with two logs in it.
struct Filled : Workplace {
  Filled() {
    pippin("--quiet collect '" +
           (test::source_directory() / "tests/data/trainers/verl.log").string() + "' '" +
           (test::source_directory() / "tests/data/trainers/maxtext.log").string() + "'");
  }
};

int status_of(const Served& served, const std::string& request) {
  HttpClient client(served.port());
  client.send(request);
  return client.answer().status;
}

}  // namespace

TEST_CASE("it says the address with its token, and the line of ssh") {
  const Filled here;
  const Served served(here);
  CHECK(served.token().size() == 48);
  CHECK_THAT(served.said(), Contains(fmt::format("open http://127.0.0.1:{0}/?token={1}\n",
                                                 served.port(), served.token())));
  CHECK_THAT(served.said(),
             Contains(fmt::format("ssh -L {0}:127.0.0.1:{0} ", served.port())) && Contains("@"));
  CHECK(here.text("serve.err").empty());
}

TEST_CASE("the token in the address lets a browser in, and its cookie keeps it in") {
  const Filled here;
  const Served served(here);
  HttpClient client(served.port());
  client.send(get_request("/report/collected?token=" + served.token()));
  const auto sent_on = client.answer();
  CHECK(sent_on.status == 303);
  CHECK(sent_on.field("Location") == "/report/collected");
  CHECK_THAT(sent_on.field("Set-Cookie"), Contains("HttpOnly") && Contains("SameSite=Lax"));
  const std::string cookie = sent_on.field("Set-Cookie");
  client.send(
      get_request("/report/collected", "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n"));
  const auto page = client.answer();
  CHECK(page.status == 200);
  CHECK_THAT(page.field("Content-Security-Policy"),
             Contains("default-src 'none'") && Contains("connect-src 'self'") &&
                 Contains("script-src 'sha256-") && Contains("frame-ancestors 'none'") &&
                 !Contains("unsafe"));
  CHECK(page.body.find(served.token()) == std::string::npos);
  CHECK(page.field("Referrer-Policy") == "no-referrer");
}

TEST_CASE("without the token nothing of the database is told") {
  const Filled here;
  const Served served(here);
  for (const char* target : {"/", "/report/collected", "/report/none", "/status/x", "/none",
                             "/report/collected?as=json", "/?token=wrong"}) {
    CAPTURE(target);
    HttpClient client(served.port());
    client.send(get_request(target));
    const auto answer = client.answer();
    CHECK(answer.status == 403);
    CHECK_THAT(answer.body, Contains("the whole address that pippin serve printed") &&
                                !Contains("verl") && !Contains("t.db"));
  }
}

TEST_CASE("another host's name is refused, with the token too") {
  const Filled here;
  const Served served(here, {"--host", "desk.example"});
  const auto by = [&](const std::string& host) {
    return status_of(served, "GET / HTTP/1.1\r\nHost: " + host + "\r\n" + served.cookie() + "\r\n");
  };
  const std::string port = ":" + std::to_string(served.port());
  for (const std::string host : {"localhost", "127.0.0.1", "[::1]", "desk.example"})
    CHECK(by(host + port) == 200);
  for (const std::string host : {"evil.example", "127.0.0.1.evil.example", "localhost.", "", "x y"})
    CHECK(by(host + port) == 421);
  CHECK(status_of(served, "GET / HTTP/1.1\r\n" + served.cookie() + "\r\n") == 421);
}

TEST_CASE("other methods and paths that lead out are refused") {
  const Filled here;
  const Served served(here);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"})
    CHECK(status_of(served, std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\n" +
                                served.cookie() + "\r\n") == 405);
  for (const char* target :
       {"/../t.db", "/report/../../t.db", "/%2e%2e/t.db", "/report/%2e%2e%2f/x/%2e%2e", "//t.db",
        "/report//collected", "/report/a%00b", "/%zz", "t.db", "http://evil.example/"}) {
    CAPTURE(target);
    CHECK(served.get(target).status == 400);
  }
  for (const char* target : {"/t.db", "/report/..%2f..%2ft.db", "/report/%2fetc%2fpasswd",
                             "/status/..%2f..%2fx", "/status/%2e%2e%2ft.db.runs"}) {
    CAPTURE(target);
    CHECK(served.get(target).status == 404);
  }
}

TEST_CASE("a name in an address is never that of a file") {
  const Filled here;
  here.write("s.yaml", "sweep: secret-name\n");
  here.shell("cp t.db other.db");
  const Served served(here);
  const std::string yaml = (here.path() / "s.yaml").string();
  for (const std::string& target :
       {std::string("/report/s.yaml"), std::string("/status/s.yaml"), std::string("/show/s.yaml"),
        "/noise/" + yaml, std::string("/compare?base=other.db&new=other.db"),
        std::string("/compare?base=collected&new=other.db:collected")}) {
    CAPTURE(target);
    const auto answer = served.get(target);
    CHECK((answer.status == 404 || answer.status == 400));
    CHECK_THAT(answer.body, !Contains("secret-name"));
  }
}

TEST_CASE("random bytes do not end it, and Ctrl-C does") {
  const Filled here;
  Served served(here);
  Random random(11);
  for (int i = 0; i < 100; ++i) {
    std::string bytes = i % 2 == 0 ? "GET /" : "";
    const auto size = random.below(3000);
    for (std::uint64_t n = 0; n < size; ++n) bytes += static_cast<char>(random.below(256));
    const HttpClient client(served.port());
    client.send(bytes);
  }
  CHECK(served.get("/").status == 200);
  CHECK(served.end(SIGINT) == 0);
  CHECK(Served(here).end(SIGTERM) == 0);
}

TEST_CASE("without a database, or at a port that is taken, it says so and ends") {
  const Workplace empty;
  const auto none = empty.pippin("serve");
  CHECK(none.exit_code == 2);
  CHECK(none.out.empty());
  CHECK_THAT(none.err, Contains("t.db: no such database"));
  const Filled here;
  const Served first(here);
  const auto taken = here.pippin("serve --port " + std::to_string(first.port()));
  CHECK(taken.exit_code == 3);
  CHECK_THAT(taken.err, Contains("cannot listen on port") && Contains("name another with --port"));
  const auto wrong = here.pippin("serve --bind somewhere");
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("--bind somewhere: no address"));
  CHECK(here.pippin("serve --port 70000").exit_code == 2);
}

TEST_CASE("one that is served already gets the next port") {
  const Filled here, there;
  const Served first(here), second(there);
  CHECK(first.port() != second.port());
  CHECK(second.get("/").status == 200);
  CHECK(status_of(second, get_request("/", first.cookie())) == 403);
}

TEST_CASE("open to other machines it says what that means, and asks for the token all the same") {
  const Filled here;
  const Served served(here, {"--bind", "0.0.0.0"});
  CHECK_THAT(here.text("serve.err"),
             Contains("is open to every machine") && Contains("nothing is encrypted"));
  CHECK_THAT(served.said(), Contains("unencrypted"));
  CHECK(status_of(served, get_request("/")) == 403);
  CHECK(served.get("/").status == 200);
}
