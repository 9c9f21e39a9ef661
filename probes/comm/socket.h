#pragma once

#include <cstdint>
#include <string>

namespace pippin::probes {

/// A file descriptor of a TCP connection, closed when it goes; -1 is none.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket();
  Socket(Socket&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Socket& operator=(Socket&& other) noexcept;

  int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

  /// All bytes, or false.
  bool send(const void* data, std::size_t bytes) const;
  bool receive(void* data, std::size_t bytes) const;

 private:
  int descriptor_ = -1;
};

// Errors of all: Error (machine) with host, port and the system's words.

/// Listens on any address and a port of the system's choice, which it sets.
Socket listen_anywhere(std::uint16_t& port);
/// The next connection.
Socket accept_from(const Socket& listening);
/// Tries for `seconds`.
Socket connect_to(const std::string& host, std::uint16_t port, double seconds);

/// Makes the system give a connection up whose other end's machine has been silent for some 15 s,
/// and receive() after 5 s without a byte.
void notice_silence(const Socket& socket);

}  // namespace pippin::probes
