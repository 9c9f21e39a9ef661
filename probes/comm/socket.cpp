#include "probes/comm/socket.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
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

Socket listen_anywhere(std::uint16_t& port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = INADDR_ANY;
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (!socket || ::bind(socket.descriptor(), any, size) != 0 ||
      ::listen(socket.descriptor(), SOMAXCONN) != 0 ||
      ::getsockname(socket.descriptor(), any, &size) != 0)
    fail("cannot listen for the other ranks");
  port = ntohs(address.sin_port);
  return socket;
}

Socket accept_from(const Socket& listening) {
  for (;;) {
    Socket socket(::accept4(listening.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket) return socket;
    if (errno != EINTR && errno != ECONNABORTED) fail("cannot accept another rank");
  }
}

Socket connect_to(const std::string& host, std::uint16_t port, double seconds) {
  const Addresses addresses = addresses_of(host, port);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    for (const addrinfo* address = addresses.get(); address; address = address->ai_next) {
      Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (!socket) fail("cannot make a socket");
      if (::connect(socket.descriptor(), address->ai_addr, address->ai_addrlen) == 0) return socket;
    }
    if (std::chrono::steady_clock::now() > end)
      fail("cannot connect to the first rank at " + host + ":" + std::to_string(port));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void notice_silence(const Socket& socket) {
  const int on = 1, idle_s = 5, between_s = 3, times = 3;
  const timeval patience{5, 0};
  ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_KEEPINTVL, &between_s, sizeof between_s);
  ::setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

}  // namespace pippin::probes
