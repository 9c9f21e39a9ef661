// SPDX-License-Identifier: Apache-2.0
#include "core/http/server.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/work_queue.h"

namespace pippin::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kMostHeader = 16 << 10;
constexpr int kBadRequest = 400, kTooLarge = 413, kHeadersTooLarge = 431, kBroken = 500;
constexpr std::chrono::minutes kLongestAnswer{15};
constexpr std::chrono::milliseconds kPauseWithoutFiles{100};

using WireBody = wire::span_body<const char>;

/// What any answer says.
/// Source: OWASP, HTTP Security Response Headers Cheat Sheet.
const std::vector<std::pair<std::string, std::string>>& usual_fields() {
  static const std::vector<std::pair<std::string, std::string>> kFields{
      {"Cache-Control", "no-store"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Server", "pippin"},
  };
  return kFields;
}

constexpr const char* kNothingAllowed =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// An answer on its way.
struct Outgoing {
  explicit Outgoing(Response said) : response(std::move(said)) {}

  Response response;
  wire::response<WireBody> message;
  std::optional<wire::response_serializer<WireBody>> serializer;
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
};

std::unique_ptr<Outgoing> outgoing(Response response, unsigned version, bool keep_alive) {
  auto out = std::make_unique<Outgoing>(std::move(response));
  auto& message = out->message;
  message.version(version);
  message.result(static_cast<unsigned>(out->response.status));
  for (const auto& [name, value] : usual_fields()) message.set(name, value);
  const auto& policy = out->response.policy;
  message.set("Content-Security-Policy", policy.empty() ? kNothingAllowed : policy);
  message.set(wire::field::content_type, out->response.type);
  for (const auto& [name, value] : out->response.fields) message.insert(name, value);
  message.keep_alive(keep_alive);
  const std::string_view shown = out->response.body.shown;
  message.body() = WireBody::value_type(shown.data(), shown.size());
  constexpr int kNotModified = 304;
  if (out->response.status != kNotModified) message.content_length(shown.size());
  out->serializer.emplace(message);
  return out;
}

/// At which a connection arrived; of IPv4 it is that of IPv4, also where the server listens to
/// both.
std::string local_address_of(const tcp::socket& socket) {
  error_code none;
  const auto address = socket.local_endpoint(none).address();
  const bool is_mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  return is_mapped ? asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string()
                   : address.to_string();
}

/// What the sessions share.
struct Shared {
  ServerOptions options;
  Answer answer;
  std::size_t connections = 0;
  std::function<void()> on_room;  ///< a connection ended, or may end for another
  /// A connection that asks nothing at the time.
  struct Silent {
    std::chrono::steady_clock::time_point since;
    std::function<void()> end;
  };
  std::map<std::uint64_t, Silent> silent;  ///< from the longest silent on
  std::uint64_t last_silent = 0;
};

/// One connection: reads a request, answers, reads the next.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, std::shared_ptr<Shared> shared)
      : stream_(std::move(socket)), shared_(std::move(shared)) {
    ++shared_->connections;
  }
  ~Session() {
    shared_->silent.erase(silent_);
    --shared_->connections;
    if (shared_->on_room) shared_->on_room();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    silent_ = ++shared_->last_silent;
    shared_->silent[silent_] = {std::chrono::steady_clock::now(), [this] {
                                  error_code none;
                                  is_over_ = true;
                                  stream_.socket().close(none);
                                }};
    if (shared_->on_room) shared_->on_room();
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    stream_.expires_after(shared_->options.patience);
    wire::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->take(error); });
  }

 private:
  void take(error_code error) {
    if (is_over_) return;  // though its request may have come
    stream_.expires_never();
    shared_->silent.erase(silent_);
    if (error == wire::error::header_limit || error == wire::error::buffer_overflow)
      return write_last(plain_text(kHeadersTooLarge, "the headers of the request are too long"));
    const bool is_of_http = error.category() == make_error_code(wire::error::bad_method).category();
    if (error == wire::error::end_of_stream || error == wire::error::partial_message ||
        (error && !is_of_http))
      return;
    if (error) return write_last(plain_text(kBadRequest, "this is no request of HTTP/1.1"));
    if (!parser_->is_done())
      return write_last(plain_text(kTooLarge, "these pages take no request with a body"));
    ask();
  }

  void ask() {
    const auto& head = parser_->get();
    const auto field = [&](wire::field name) {
      return head.count(name) == 1 ? std::string(head[name]) : std::string();
    };
    Request request{std::string(head.method_string()), std::string(head.target()),
                    field(wire::field::host),          field(wire::field::cookie),
                    field(wire::field::if_none_match), local_address_of(stream_.socket())};
    ++asked_;
    is_answered_ = false;
    const Reply reply = [self = held_from_afar(), of = asked_](Response response) {
      asio::post(self->stream_.get_executor(),
                 [self, of, response = std::move(response)]() mutable {
                   self->answer(of, std::move(response));
                 });
    };
    try {
      shared_->answer(request, reply);
    } catch (const std::exception& failure) {
      answer(asked_, plain_text(kBroken, printable(failure.what())));
    }
  }

  /// A second reply to a request is none, whenever it comes.
  void answer(std::uint64_t of, Response response) {
    if (of != asked_ || is_answered_) return;
    is_answered_ = true;
    write(std::move(response));
  }

  /// Others may hold on to it, and it ends on the server's thread all the same.
  std::shared_ptr<Session> held_from_afar() {
    auto own = shared_from_this();
    Session* const session = own.get();
    return {session, [own = std::move(own)](Session*) mutable {
              const auto executor = own->stream_.get_executor();
              asio::post(executor, [own = std::move(own)] {});
            }};
  }

  void write_last(Response response) {
    is_last_ = true;
    write(std::move(response));
  }

  void write(Response response) {
    const auto& head = parser_->get();
    is_last_ = is_last_ || !head.keep_alive();
    out_ = outgoing(std::move(response), head.version() == 10 ? 10 : 11, !is_last_);
    is_head_ = head.method() == wire::verb::head;
    out_->serializer->split(is_head_);
    write_some();
  }

  /// A slow reader has the patience for each part of an answer.
  void write_some() {
    stream_.expires_after(shared_->options.patience);
    wire::async_write_some(
        stream_, *out_->serializer,
        [self = shared_from_this()](error_code error, std::size_t) { self->go_on(error); });
  }

  void go_on(error_code error) {
    const bool is_written =
        out_->serializer->is_done() || (is_head_ && out_->serializer->is_header_done());
    const bool is_too_slow = std::chrono::steady_clock::now() - out_->since > kLongestAnswer;
    if (error || is_too_slow) return;
    if (!is_written) return write_some();
    out_.reset();
    if (!is_last_) return read();
    error_code none;
    stream_.socket().shutdown(tcp::socket::shutdown_send, none);
    swallow();
  }

  /// Closed with bytes unread, a socket takes back what it has sent.
  void swallow() {
    constexpr std::chrono::seconds kShort{2};
    buffer_.clear();
    stream_.expires_after(kShort);
    stream_.async_read_some(buffer_.prepare(kMostHeader),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              self->swallowed_ += size;
                              constexpr std::size_t kMost = 1 << 20;
                              if (!error && self->swallowed_ < kMost) self->swallow();
                            });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{2 * kMostHeader};
  std::optional<wire::request_parser<wire::empty_body>> parser_;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Outgoing> out_;
  std::uint64_t silent_ = 0;  ///< its place in Shared::silent
  std::uint64_t asked_ = 0;   ///< requests so far
  bool is_answered_ = false, is_last_ = false, is_head_ = false, is_over_ = false;
  std::size_t swallowed_ = 0;
};

}  // namespace

struct Server::Home {
  explicit Home(const ServerOptions& options) { shared->options = options; }

  void listen() {
    error_code error;
    const auto& options = shared->options;
    const auto address = asio::ip::make_address(options.address, error);
    if (error)
      bad_input("--bind {}: no address of IPv4 or IPv6, such as 127.0.0.1 or ::1",
                printable(options.address));
    const tcp::endpoint at(address, options.port);
    acceptor.open(at.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(at, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      machine_failed("{}: cannot listen on port {}: {}; name another with --port, or none",
                     options.address, options.port, error.message());
  }

  bool is_full() const { return shared->connections >= shared->options.most_connections; }
  /// Where all connections are taken: when the one that has been silent for longest makes room.
  std::optional<std::chrono::steady_clock::time_point> room_from() const {
    if (shared->silent.empty()) return std::nullopt;
    return shared->silent.begin()->second.since + shared->options.silence;
  }
  bool has_room() const {
    if (!is_full()) return true;
    const auto from = room_from();
    return from && *from <= std::chrono::steady_clock::now();
  }

  void admit(tcp::socket socket) {
    if (is_full()) shared->silent.extract(shared->silent.begin()).mapped().end();
    std::make_shared<Session>(std::move(socket), shared)->read();
  }

  void accept_later() {
    const auto from = room_from();
    if (!from) return;
    room_timer.expires_at(*from);
    room_timer.async_wait([this](error_code none) {
      if (!none) accept();
    });
  }

  /// At most one connection more than may be is held, unread.
  void accept() {
    if (waiting && has_room()) admit(*std::exchange(waiting, std::nullopt));
    if (waiting) return accept_later();
    if (is_accepting) return;
    is_accepting = true;
    acceptor.async_accept([this](error_code error, tcp::socket socket) {
      is_accepting = false;
      if (!acceptor.is_open()) return;
      if (!error && has_room())
        admit(std::move(socket));
      else if (!error)
        waiting = std::move(socket);
      if (!error || error == asio::error::connection_aborted) return accept();
      timer.expires_after(kPauseWithoutFiles);  // too many files are open
      timer.async_wait([this](error_code none) {
        if (!none) accept();
      });
    });
  }

  void work() {
    for (;;) {
      try {
        context.run();
        return;
      } catch (const std::exception&) {
        continue;  // it was of one connection
      }
    }
  }

  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::steady_timer timer{context}, room_timer{context};
  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  std::optional<tcp::socket> waiting;
  bool is_accepting = false;
};

Server::Server(const ServerOptions& options) : home_(std::make_shared<Home>(options)) {
  home_->listen();
}

Server::~Server() = default;

std::uint16_t Server::port() const { return home_->acceptor.local_endpoint().port(); }

std::string Server::host() const {
  const auto address = home_->acceptor.local_endpoint().address();
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}

void Server::run(Answer answer, const std::function<void()>& wait) {
  Home& home = *home_;
  home.shared->answer = std::move(answer);
  home.shared->on_room = [&home] {
    if (!home.context.stopped()) home.accept();
  };
  home.accept();
  // While all connections wait for pages there is nothing to do, and it is not over.
  const auto open = asio::make_work_guard(home.context);
  std::thread worker([&home] {
    leave_signals_to_others();
    home.work();
  });
  const auto stop = [&] {
    home.context.stop();
    worker.join();
    home.shared->on_room = nullptr;
  };
  try {
    wait();
  } catch (...) {
    stop();
    throw;
  }
  stop();
}

std::unique_ptr<Server> server_near(ServerOptions options, std::uint16_t ports) {
  for (std::uint16_t tried = 0; tried < ports; ++tried, ++options.port) {
    try {
      return std::make_unique<Server>(options);
    } catch (const Error& error) {
      if (error.exit_code() == ExitCode::kBadInput) throw;
    }
  }
  options.port = 0;
  return std::make_unique<Server>(options);
}

}  // namespace pippin::http
