// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pippin::probes {

/// A file descriptor of a connection, closed when it goes; -1 is none.
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
/// Listens on any address. Errors: also Error (bad input) where another program has the port.
Socket listen_on(std::uint16_t port);
/// Listens to this machine's processes under a name that leaves no file behind (Source: unix(7),
/// abstract).
Socket listen_locally(const std::string& name);
/// The next connection.
Socket accept_from(const Socket& listening);

/// A connection, or none, with errno set, where nobody listens now.
Socket try_to_connect(const std::string& host, std::uint16_t port);
/// Tries for `seconds`.
Socket connect_to(const std::string& host, std::uint16_t port, double seconds);
Socket connect_locally(const std::string& name);

/// The address of the other end, "10.0.0.7".
std::string address_of_other(const Socket& socket);

/// Makes receive() give up after so long without a byte.
void give_up_after(const Socket& socket, double seconds);
/// Makes the system give a connection up whose other end's machine has been silent for some 15 s.
void notice_lost_machine(const Socket& socket);
/// Both: a lost machine, and 5 s without a byte.
void notice_silence(const Socket& socket);

}  // namespace pippin::probes
