// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/host/shared_link.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

constexpr std::size_t kRingBytes = std::size_t{1024} << 10;

[[noreturn]] void fail(const std::string& what) {
  throw Error(ExitCode::kMachine, what + ": " + std::strerror(errno));
}

/// What one side writes and the other reads. Both counts only grow; the place is count modulo size.
struct Ring {
  alignas(64) std::atomic<std::uint64_t> written{0};
  alignas(64) std::atomic<std::uint64_t> read{0};
  alignas(64) std::byte bytes[kRingBytes];
};

/// All zero is an empty one.
struct SharedMemory {
  Ring rings[2];
  alignas(64) std::atomic<std::uint32_t> sleeps[2];  ///< whether that side wants to be woken
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct Unmap {
  void operator()(SharedMemory* memory) const { ::munmap(memory, sizeof *memory); }
};
using Mapping = std::unique_ptr<SharedMemory, Unmap>;

Mapping map(int descriptor) {
  void* memory =
      ::mmap(nullptr, sizeof(SharedMemory), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail("cannot map memory that ranks share");
  return Mapping(static_cast<SharedMemory*>(memory));
}

Socket new_memory() {
  Socket memory(::memfd_create("probes-link", MFD_CLOEXEC));
  if (!memory || ::ftruncate(memory.descriptor(), sizeof(SharedMemory)) != 0)
    fail("cannot make memory that ranks share");
  return memory;
}

/// A message of one byte that carries a file descriptor.
struct Parcel {
  char byte = 'm';
  iovec part{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};

  Parcel() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;
};

void send_descriptor(const Socket& to, int descriptor) {
  Parcel parcel;
  cmsghdr* header = CMSG_FIRSTHDR(&parcel.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  if (::sendmsg(to.descriptor(), &parcel.message, MSG_NOSIGNAL) != 1)
    fail("cannot hand memory to another rank");
}

Socket receive_descriptor(const Socket& from) {
  Parcel parcel;
  const ssize_t got = ::recvmsg(from.descriptor(), &parcel.message, MSG_CMSG_CLOEXEC);
  const cmsghdr* header = got == 1 ? CMSG_FIRSTHDR(&parcel.message) : nullptr;
  if (!header || header->cmsg_type != SCM_RIGHTS) fail("cannot take memory from another rank");
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return Socket(descriptor);
}

/// Copies into the ring; returns how many bytes fit.
std::size_t put(Ring& ring, std::uint64_t& written, Bytes bytes) {
  const std::uint64_t used = written - ring.read.load();
  const std::size_t count = std::min<std::size_t>(bytes.size(), kRingBytes - used);
  const std::size_t place = written % kRingBytes, first = std::min(count, kRingBytes - place);
  if (count == 0) return 0;
  std::memcpy(ring.bytes + place, bytes.data(), first);
  std::memcpy(ring.bytes, bytes.data() + first, count - first);
  written += count;
  return count;
}

class SharedLink final : public Link {
 public:
  /// `side` is 0 or 1; the two ends of a ring may be one side's.
  SharedLink(Socket connection, Mapping memory, int side, int other)
      : connection_(std::move(connection)),
        memory_(std::move(memory)),
        out_(memory_->rings[side]),
        in_(memory_->rings[other]),
        own_sleep_(memory_->sleeps[side]),
        their_sleep_(memory_->sleeps[other]) {}

  std::size_t write(Bytes head, Bytes body) override {
    std::uint64_t written = out_.written.load(std::memory_order_relaxed);
    std::size_t count = put(out_, written, head);
    if (count == head.size()) count += put(out_, written, body);
    if (count > 0) tell(out_.written, written);
    return count;
  }

  std::size_t read(std::byte* to, std::size_t bytes) override {
    const std::uint64_t begin = in_.read.load(std::memory_order_relaxed);
    const std::uint64_t there = in_.written.load() - begin;
    const std::size_t count = std::min<std::size_t>(bytes, there);
    if (count == 0) return 0;
    const std::size_t place = begin % kRingBytes, first = std::min(count, kRingBytes - place);
    std::memcpy(to, in_.bytes + place, first);
    std::memcpy(to + first, in_.bytes, count - first);
    tell(in_.read, begin + count);
    return count;
  }

  int descriptor() const override { return connection_.descriptor(); }
  bool is_descriptor() const override { return false; }
  void ask_to_be_woken(bool wanted) override { own_sleep_.store(wanted ? 1 : 0); }
  bool is_lost() const override { return lost_; }

  void note_event() override {
    char calls[64];
    const ssize_t got = ::recv(descriptor(), calls, sizeof calls, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) lost_ = true;
  }

 private:
  /// Publishes a count. Either this side sees that the other sleeps, or the other sees the count
  /// before it does: neither store may pass the load that follows it.
  void tell(std::atomic<std::uint64_t>& count, std::uint64_t value) {
    count.store(value);
    if (their_sleep_.load() == 0) return;
    their_sleep_.store(0);
    (void)!::send(descriptor(), "w", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  Socket connection_;
  Mapping memory_;
  Ring &out_, &in_;
  std::atomic<std::uint32_t>&own_sleep_, &their_sleep_;
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<Link> offer_shared_link(Socket connection) {
  const Socket memory = new_memory();
  send_descriptor(connection, memory.descriptor());
  return std::make_unique<SharedLink>(std::move(connection), map(memory.descriptor()), 0, 1);
}

std::unique_ptr<Link> accept_shared_link(Socket connection) {
  const Socket memory = receive_descriptor(connection);
  return std::make_unique<SharedLink>(std::move(connection), map(memory.descriptor()), 1, 0);
}

std::unique_ptr<Link> make_own_link() {
  return std::make_unique<SharedLink>(Socket(), map(new_memory().descriptor()), 0, 0);
}

}  // namespace pippin::probes
