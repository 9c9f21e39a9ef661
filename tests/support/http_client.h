// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pippin::test {

/// What a server answered.
struct HttpAnswer {
  int status = 0;  ///< 0: nothing that is an answer
  std::string head, body;
  bool is_whole = false;  ///< the body is as long as the head says

  /// The value of a header; empty where there is none.
  std::string field(std::string_view name) const;
};

/// A connection to a server of this machine, on which any bytes can be sent.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port, const std::string& address = "127.0.0.1");
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool send(std::string_view bytes) const;  ///< false where the server takes no more
  void send_no_more() const;
  /// The next answer; of a HEAD without a body. Waits for it.
  HttpAnswer answer(bool is_head = false);
  /// All that comes until the server ends the connection.
  std::string rest();

 private:
  bool read_more();

  int socket_;
  std::string unread_;
};

/// "GET /x HTTP/1.1" with a Host of this machine, and more header lines, each ended by "\r\n".
std::string get_request(const std::string& target, const std::string& more = "");

}  // namespace pippin::test
