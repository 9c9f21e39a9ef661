// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/tcp_link.h"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

namespace pippin::probes {

namespace {

class TcpLink final : public Link {
 public:
  explicit TcpLink(Socket socket) : socket_(std::move(socket)) {
    const int on = 1;  // small messages go at once
    ::setsockopt(descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    notice_lost_machine(socket_);
  }

  std::size_t write(Bytes head, Bytes body) override {
    iovec parts[2] = {part_of(head), part_of(body)};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    return moved(::sendmsg(descriptor(), &message, MSG_DONTWAIT | MSG_NOSIGNAL));
  }

  std::size_t read(std::byte* to, std::size_t bytes) override {
    const ssize_t got = ::recv(descriptor(), to, bytes, MSG_DONTWAIT);
    if (got == 0) lost_ = true;
    return moved(got);
  }

  int descriptor() const override { return socket_.descriptor(); }
  bool is_descriptor() const override { return true; }
  bool is_lost() const override { return lost_; }

 private:
  static iovec part_of(Bytes bytes) { return {const_cast<std::byte*>(bytes.data()), bytes.size()}; }

  std::size_t moved(ssize_t bytes) {
    if (bytes >= 0) return static_cast<std::size_t>(bytes);
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) lost_ = true;
    return 0;
  }

  Socket socket_;
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<Link> make_tcp_link(Socket socket) {
  return std::make_unique<TcpLink>(std::move(socket));
}

}  // namespace pippin::probes
