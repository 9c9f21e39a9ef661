// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/http/message.h"

namespace pippin::http {

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< of this machine; "0.0.0.0", "::": all of its own
  std::uint16_t port = 0;             ///< 0: any that is free
  std::size_t most_connections = 512;
  /// How long a request may take to arrive, from the end of the one before; and each part of an
  /// answer to leave.
  std::chrono::milliseconds patience{30'000};
  /// From when on a connection that asks nothing makes room for another, where all are taken.
  std::chrono::milliseconds silence{1'000};
};

/// Gives answers to GET and HEAD over HTTP/1.1, on a thread of its own: GET without a body, headers
/// of at most 16 KiB. What goes wrong with a connection ends that connection.
class Server {
 public:
  /// Listens: from here on readers can connect.
  /// Errors: Error (machine) where it cannot, as another program has the port.
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// "127.0.0.1", "[::1]": as it stands in a URL.
  std::string host() const;

  /// Answers until `wait` returns. Replies may come as long as the server is there.
  void run(Answer answer, const std::function<void()>& wait);

 private:
  struct Home;
  std::shared_ptr<Home> home_;
};

/// A server at the first port from `options.port` on that is free, of so many; else at any.
std::unique_ptr<Server> server_near(ServerOptions options, std::uint16_t ports);

}  // namespace pippin::http
