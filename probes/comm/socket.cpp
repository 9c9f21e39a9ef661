// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/socket.h"

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ExitCode::kMachine, what + ": " + std::strerror(errno));
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses addresses_of(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int result = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &list);
  if (result != 0)
    throw Error(ExitCode::kMachine, "cannot find host " + host + ": " + ::gai_strerror(result));
  return Addresses(list);
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool Socket::send(const void* data, std::size_t bytes) const {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(descriptor_, next, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    next += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool Socket::receive(void* data, std::size_t bytes) const {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::recv(descriptor_, next, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

namespace {

/// Port 0 is one of the system's choice. Returns none, with errno set, where it cannot be had.
Socket try_to_listen(std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;  // a port that a run has just left may be taken again
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = INADDR_ANY;
  address.sin_port = htons(port);
  if (!socket ||
      (port > 0 &&
       ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) ||
      ::bind(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.descriptor(), SOMAXCONN) != 0)
    return {};
  return socket;
}

/// The length of an abstract address: the name has a zero in front and none behind.
socklen_t local_address(const std::string& name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

}  // namespace

Socket listen_anywhere(std::uint16_t& port) {
  Socket socket = try_to_listen(0);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (!socket ||
      ::getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    fail("cannot listen for the other ranks");
  port = ntohs(address.sin_port);
  return socket;
}

Socket listen_on(std::uint16_t port) {
  Socket socket = try_to_listen(port);
  if (socket) return socket;
  if (errno == EADDRINUSE)
    bad_input("cannot listen for the other ranks on port " + std::to_string(port) +
              ": another program has it; choose another port");
  fail("cannot listen for the other ranks on port " + std::to_string(port));
}

Socket listen_locally(const std::string& name) {
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address;
  const socklen_t size = local_address(name, address);
  if (!socket || ::bind(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(socket.descriptor(), SOMAXCONN) != 0)
    fail("cannot listen for the ranks of this node");
  return socket;
}

Socket accept_from(const Socket& listening) {
  for (;;) {
    Socket socket(::accept4(listening.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket) return socket;
    if (errno != EINTR && errno != ECONNABORTED) fail("cannot accept another rank");
  }
}

Socket try_to_connect(const std::string& host, std::uint16_t port) {
  const Addresses addresses = addresses_of(host, port);
  for (const addrinfo* address = addresses.get(); address; address = address->ai_next) {
    Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) fail("cannot make a socket");
    if (::connect(socket.descriptor(), address->ai_addr, address->ai_addrlen) == 0) return socket;
  }
  return {};
}

Socket connect_to(const std::string& host, std::uint16_t port, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    if (Socket socket = try_to_connect(host, port)) return socket;
    if (std::chrono::steady_clock::now() > end)
      fail("cannot connect to " + host + ":" + std::to_string(port));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Socket connect_locally(const std::string& name) {
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address;
  const socklen_t size = local_address(name, address);
  if (!socket || ::connect(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), size) != 0)
    fail("cannot connect to a rank of this node");
  return socket;
}

std::string address_of_other(const Socket& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  char words[INET_ADDRSTRLEN] = "";
  if (::getpeername(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      !::inet_ntop(AF_INET, &address.sin_addr, words, sizeof words))
    fail("cannot tell a rank's address");
  return words;
}

void give_up_after(const Socket& socket, double seconds) {
  timeval patience{};
  patience.tv_sec = static_cast<time_t>(seconds);
  patience.tv_usec = std::lround(1e6 * (seconds - std::floor(seconds)));
  ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

void notice_lost_machine(const Socket& socket) {
  const int on = 1, idle_s = 5, between_s = 3, times = 3;
  ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_KEEPINTVL, &between_s, sizeof between_s);
  ::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

void notice_silence(const Socket& socket) {
  give_up_after(socket, 5);
  notice_lost_machine(socket);
  // While words are under way to a machine that is lost, nothing else asks whether it lives.
  const unsigned unanswered_ms = 14'000;
  ::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms,
               sizeof unanswered_ms);
}

}  // namespace pippin::probes
