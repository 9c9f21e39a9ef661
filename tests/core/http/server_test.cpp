// SPDX-License-Identifier: Apache-2.0
#include "core/http/server.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "tests/support/catch.h"
#include "tests/support/http_client.h"
#include "tests/support/skip.h"

using namespace pippin;
using Catch::Contains;
using test::get_request;
using test::HttpClient;

namespace {

/// A server that runs until the case ends.
class Running {
 public:
  explicit Running(http::Answer answer, const http::ServerOptions& options = {})
      : server_(options), thread_([this, answer = std::move(answer)] {
          server_.run(answer, [this] { end_.get_future().wait(); });
        }) {}
  ~Running() {
    end_.set_value();
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  std::uint16_t port() const { return server_.port(); }

 private:
  std::promise<void> end_;
  http::Server server_;
  std::thread thread_;
};

/// Says what it was asked.
void echo(const http::Request& request, const http::Reply& reply) {
  reply(http::plain_text(200, request.method + " " + request.target));
}

test::HttpAnswer ask(std::uint16_t port, const std::string& request) {
  HttpClient client(port);
  client.send(request);
  return client.answer();
}

}  // namespace

TEST_CASE("a server on all addresses says of IPv4 at which of IPv4 a request arrived") {
  http::ServerOptions options;
  options.address = "::";
  const auto say_where = [](const http::Request& request, const http::Reply& reply) {
    reply(http::plain_text(200, request.local_address));
  };
  std::optional<Running> server;
  try {
    server.emplace(say_where, options);
  } catch (const Error& error) {
    return test::skip(std::string("no IPv6 here: ") + error.what());
  }
  CHECK(ask(server->port(), get_request("/")).body == "127.0.0.1\n");
}

TEST_CASE("a connection answers one request after the other") {
  const Running server(echo);
  HttpClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(get_request("/" + std::to_string(i)));
    const auto answer = client.answer();
    CHECK(answer.status == 200);
    CHECK(answer.body == "GET /" + std::to_string(i) + "\n");
  }
  client.send(get_request("/a") + get_request("/b"));  // both at once
  CHECK(client.answer().body == "GET /a\n");
  CHECK(client.answer().body == "GET /b\n");
}

TEST_CASE("HEAD gets the head of what GET gets") {
  const Running server(echo);
  HttpClient client(server.port());
  client.send("HEAD /abc HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto head = client.answer(true);
  CHECK(head.status == 200);
  CHECK(head.field("Content-Length") == "10");
  client.send(get_request("/next"));
  CHECK(client.answer().body == "GET /next\n");
}

TEST_CASE("every answer says what a browser may do with it") {
  const Running server(echo);
  const auto answer = ask(server.port(), get_request("/"));
  CHECK(answer.field("Cache-Control") == "no-store");
  CHECK(answer.field("X-Content-Type-Options") == "nosniff");
  CHECK(answer.field("X-Frame-Options") == "DENY");
  CHECK(answer.field("Referrer-Policy") == "no-referrer");
  CHECK(answer.field("Cross-Origin-Opener-Policy") == "same-origin");
  CHECK(answer.field("Cross-Origin-Resource-Policy") == "same-origin");
  CHECK_THAT(answer.field("Content-Security-Policy"), Contains("default-src 'none'"));
}

TEST_CASE("what is no request gets a line and no other") {
  const Running server(echo);
  const auto status = [&](const std::string& text) {
    HttpClient client(server.port());
    client.send(text);
    const auto answer = client.answer();
    CHECK(answer.field("Connection") == "close");
    client.send_no_more();
    CHECK(client.rest().empty());
    return answer.status;
  };
  CHECK(status("nonsense\r\n\r\n") == 400);
  CHECK(status("GET /\r\n\r\n") == 400);
  CHECK(status("GET / HTTP/9.9\r\n\r\n") == 400);
  CHECK(status("GET / HTTP/1.1\r\nHost localhost\r\n\r\n") == 400);
  CHECK(status(get_request("/", "X: " + std::string(20'000, 'x') + "\r\n")) == 431);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  CHECK(status(get_request("/", many)) == 431);
  CHECK(status(get_request("/" + std::string(30'000, 'x'))) == 431);
  CHECK(status(get_request("/", "Content-Length: 5\r\n") + "abcde") == 413);
  CHECK(status(get_request("/", "Transfer-Encoding: chunked\r\n") + "5\r\nabcde\r\n0\r\n\r\n") ==
        413);
  CHECK(ask(server.port(), get_request("/after")).status == 200);
}

TEST_CASE("two Host headers are none") {
  const Running server([](const http::Request& request, const http::Reply& reply) {
    reply(http::plain_text(200, "[" + request.host + "]"));
  });
  CHECK(ask(server.port(), get_request("/", "Host: evil.example\r\n")).body == "[]\n");
  CHECK(ask(server.port(), get_request("/")).body == "[localhost]\n");
}

TEST_CASE("a request that does not come on ends its connection") {
  http::ServerOptions options;
  options.patience = std::chrono::milliseconds(100);
  const Running server(echo, options);
  for (const char* begun : {"", "G", "GET / HTTP/1.1\r\nHost: local"}) {
    HttpClient client(server.port());
    client.send(begun);
    CHECK(client.rest().empty());  // waits until the server ends it
  }
  HttpClient idle(server.port());
  idle.send(get_request("/"));
  CHECK(idle.answer().status == 200);
  CHECK(idle.rest().empty());
}

TEST_CASE("a request that comes drop by drop has no more time than another") {
  http::ServerOptions options;
  options.patience = std::chrono::milliseconds(200);
  const Running server(echo, options);
  HttpClient client(server.port());
  int drops = 0;
  client.send("GET / HTTP/1.1\r\n");
  while (client.send("X: 1\r\n") && ++drops < 10'000)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(drops < 10'000);
}

TEST_CASE("a reader that does not read is let go, and its answer with it") {
  http::ServerOptions options;
  options.patience = std::chrono::milliseconds(100);
  std::weak_ptr<const std::string> held;
  std::atomic<bool> is_made{false};
  const Running server(
      [&](const http::Request& request, const http::Reply& reply) {
        http::Response response;
        response.body =
            http::body_of(std::string(request.target == "/large" ? std::size_t{64} << 20 : 1, 'x'));
        if (request.target == "/large") {
          held = response.body.whole;
          is_made = true;
        }
        reply(std::move(response));
      },
      options);
  HttpClient client(server.port());
  client.send(get_request("/large"));
  while (!is_made || !held.expired()) {
    CHECK(ask(server.port(), get_request("/small")).status == 200);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK_FALSE(client.answer().is_whole);
}

namespace {

/// Holds what it is asked until it is told to answer.
class Holding {
 public:
  http::Answer answer() {
    return [this](const http::Request&, const http::Reply& reply) {
      const std::lock_guard lock(mutex_);
      held_.push_back(reply);
      is_held_.notify_one();
    };
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    is_held_.wait(lock, [&] { return held_.size() >= count; });
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  /// Answers all, and how many those were.
  std::size_t release() {
    std::vector<http::Reply> held;
    {
      const std::lock_guard lock(mutex_);
      held.swap(held_);
    }
    for (const auto& reply : held) reply(http::plain_text(200, "late"));
    return held.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_held_;
  std::vector<http::Reply> held_;
};

}  // namespace

TEST_CASE("more connections than the most wait for one that ends") {
  http::ServerOptions options;
  options.most_connections = 2;
  options.silence = std::chrono::hours(1);
  Holding holding;
  const Running server(holding.answer(), options);
  constexpr std::size_t kClients = 20;
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<HttpClient>(server.port()));
    clients.back()->send(get_request("/", "Connection: close\r\n"));
  }
  for (std::size_t answered = 0; answered < kClients;) {
    holding.wait_for(std::min<std::size_t>(2, kClients - answered));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which others would be asked
    REQUIRE(holding.count() <= 2);
    answered += holding.release();
  }
  for (auto& client : clients) CHECK(client->answer().body == "late\n");
}

TEST_CASE(
    "connections that ask nothing make room, the one that has been silent for longest first") {
  http::ServerOptions options;
  options.most_connections = 8;
  options.patience = std::chrono::hours(1);
  options.silence = std::chrono::milliseconds(0);
  const Running server(echo, options);
  std::vector<std::unique_ptr<HttpClient>> silent;
  for (int i = 0; i < 30; ++i) {
    silent.push_back(std::make_unique<HttpClient>(server.port()));
    // Half a request, and one whose connection is kept.
    silent.back()->send(i % 2 == 0 ? "GET / HTTP/1.1\r\nHo" : get_request("/kept"));
    if (i % 2 == 1) CHECK(silent.back()->answer().status == 200);
  }
  HttpClient client(server.port());
  client.send(get_request("/right"));
  CHECK(client.answer().body == "GET /right\n");
  for (int i = 0; i < 20; ++i) CHECK(silent.at(static_cast<std::size_t>(i))->rest().empty());
  silent.back()->send(get_request("/again"));
  CHECK(silent.back()->answer().body == "GET /again\n");
}

TEST_CASE("what goes wrong with one answer is told to its reader alone") {
  const Running server([](const http::Request& request, const http::Reply& reply) {
    if (request.target == "/wrong") throw std::runtime_error("out of\napples");
    echo(request, reply);
  });
  HttpClient client(server.port());
  client.send(get_request("/wrong"));
  const auto wrong = client.answer();
  CHECK(wrong.status == 500);
  CHECK(wrong.body == "out of\\napples\n");
  client.send(get_request("/right"));
  CHECK(client.answer().status == 200);
}

TEST_CASE("answers may come later, from other threads, when their readers have left, or twice") {
  constexpr std::size_t kLeft = 50;
  std::vector<std::thread> threads;
  std::atomic<std::size_t> asked{0};
  const Running server([&](const http::Request& request, const http::Reply& reply) {
    threads.emplace_back([request, reply] {
      echo(request, reply);
      echo(request, reply);
    });
    ++asked;
  });
  for (std::size_t i = 0; i < kLeft; ++i) HttpClient(server.port()).send(get_request("/left"));
  HttpClient client(server.port());
  constexpr std::size_t kStayed = 200;
  for (std::size_t i = 0; i < kStayed; ++i) {
    const std::string target = "/" + std::to_string(i);
    client.send(get_request(target));
    CHECK(client.answer().body == "GET " + target + "\n");
  }
  while (asked < kLeft + kStayed) std::this_thread::yield();
  for (auto& thread : threads) thread.join();
}

TEST_CASE("any bytes are answered or not, and the server goes on") {
  const Running server(echo);
  Random random(7);
  const std::string some = "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: a\r\n\r\n";
  for (int i = 0; i < 500; ++i) {
    std::string bytes = random.below(2) == 0 ? some : "";
    const auto size = random.below(2000);
    for (std::uint64_t n = 0; n < size; ++n) {
      const auto byte = static_cast<char>(random.below(256));
      if (bytes.empty() || random.below(3) == 0)
        bytes += byte;
      else
        bytes[random.below(bytes.size())] = byte;
    }
    HttpClient client(server.port());
    client.send(bytes);
    client.send_no_more();
    if (random.below(2) == 0) client.rest();
  }
  CHECK(ask(server.port(), get_request("/after")).body == "GET /after\n");
}

TEST_CASE("a port that is taken is an error, or the next is") {
  const Running taken(echo);
  http::ServerOptions options;
  options.port = taken.port();
  try {
    const http::Server server(options);
    FAIL("it was free");
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::kMachine);
    CHECK_THAT(error.what(), Contains("cannot listen on port") && Contains("in use"));
  }
  CHECK(http::server_near(options, 10)->port() != taken.port());
  options.address = "no address";
  CHECK_THROWS_WITH(http::Server(options), Contains("--bind no address: no address of IPv4"));
}

TEST_CASE("an address of IPv6 stands in brackets") {
  http::ServerOptions options;
  options.address = "::1";
  try {
    CHECK(http::Server(options).host() == "[::1]");
  } catch (const Error& error) {
    WARN("no IPv6 here: " << error.what());
  }
}
