// SPDX-License-Identifier: Apache-2.0
#include "tests/support/http_client.h"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/text.h"

namespace pippin::test {

namespace {

int connected(std::uint16_t port, const std::string& address) {
  sockaddr_in four{};
  sockaddr_in6 six{};
  four.sin_family = AF_INET;
  six.sin6_family = AF_INET6;
  four.sin_port = six.sin6_port = htons(port);
  const bool is_four = ::inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1;
  if (!is_four && ::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) != 1)
    throw std::runtime_error("no address: " + address);
  const auto* to =
      is_four ? reinterpret_cast<const sockaddr*>(&four) : reinterpret_cast<const sockaddr*>(&six);
  const int file = ::socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(file, to, is_four ? sizeof four : sizeof six) != 0) {
    ::close(file);
    throw std::runtime_error("cannot connect");
  }
  return file;
}

}  // namespace

std::string HttpAnswer::field(std::string_view name) const {
  for (const auto line : split(head, '\n')) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && lower(line.substr(0, colon)) == lower(name))
      return std::string(trim(line.substr(colon + 1)));
  }
  return "";
}

HttpClient::HttpClient(std::uint16_t port, const std::string& address)
    : socket_(connected(port, address)) {}

HttpClient::~HttpClient() { ::close(socket_); }

bool HttpClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void HttpClient::send_no_more() const { ::shutdown(socket_, SHUT_WR); }

bool HttpClient::read_more() {
  std::array<char, 65536> part{};
  const ssize_t count = ::recv(socket_, part.data(), part.size(), 0);
  if (count > 0) unread_.append(part.data(), static_cast<std::size_t>(count));
  return count > 0;
}

HttpAnswer HttpClient::answer(bool is_head) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  HttpAnswer answer;
  while (unread_.find(kEnd) == std::string::npos)
    if (!read_more()) return answer;
  const auto end = unread_.find(kEnd) + kEnd.size();
  answer.head = unread_.substr(0, end);
  unread_.erase(0, end);
  const auto words = split(answer.head, ' ');
  if (words.size() > 1) answer.status = static_cast<int>(parse_integer(words[1]).value_or(0));
  const auto length = parse_integer(answer.field("Content-Length")).value_or(0);
  const auto size = is_head ? 0 : static_cast<std::size_t>(length);
  while (unread_.size() < size && read_more()) continue;
  answer.is_whole = unread_.size() >= size;
  answer.body = unread_.substr(0, size);
  unread_.erase(0, size);
  return answer;
}

std::string HttpClient::rest() {
  while (read_more()) continue;
  return unread_;
}

std::string get_request(const std::string& target, const std::string& more) {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
}

}  // namespace pippin::test
