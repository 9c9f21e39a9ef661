// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

namespace pippin::probes {

/// The one source of a probe's large memory; it counts what it hands out. This one's is the
/// machine's own.
class Memory {
 public:
  /// `limit`: bytes that may be handed out at a time, like a device's memory.
  explicit Memory(std::uint64_t limit = std::numeric_limits<std::uint64_t>::max())
      : limit_(limit) {}
  virtual ~Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Zeroed bytes, aligned to kAlignment; `bytes` is counted rounded up to it.
  /// Errors: Error (out of memory) above the limit and where the system has no more.
  virtual void* allocate(std::uint64_t bytes);
  virtual void release(void* block, std::uint64_t bytes);
  /// False while blocks are only counted: nobody may touch them then.
  virtual bool is_usable() const { return true; }

  std::uint64_t allocated() const { return allocated_; }          ///< bytes, now
  std::uint64_t max_allocated() const { return max_allocated_; }  ///< bytes, at the peak

  static constexpr std::uint64_t kAlignment = 64;

 protected:
  /// Errors: Error (out of memory) where `bytes` more are above the limit.
  void require_room(std::uint64_t bytes) const;
  /// Enters `bytes`, rounded up already, that were handed out or came back.
  void count(std::uint64_t bytes);
  void discount(std::uint64_t bytes) { allocated_ -= bytes; }

 private:
  std::uint64_t limit_, allocated_ = 0, max_allocated_ = 0;
};

/// The product of a tensor's sizes in bytes.
/// Errors: Error (out of memory) where it exceeds 64 bits.
std::uint64_t bytes_of(std::initializer_list<std::int64_t> sizes, std::size_t element);

/// Bytes that this machine has free now, by Linux's estimate, and that are this process's job's to
/// take: job_bytes(). The largest number where unknown.
std::uint64_t free_bytes();

/// A zeroed array from a Memory, given back when it goes. Empty without one.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Memory& memory, std::initializer_list<std::int64_t> sizes)
      : memory_(&memory),
        bytes_(bytes_of(sizes, sizeof(T))),
        data_(static_cast<T*>(memory.allocate(bytes_))) {}
  ~Buffer() {
    if (data_) memory_->release(data_, bytes_);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::int64_t i) { return data_[i]; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  std::int64_t size() const { return static_cast<std::int64_t>(bytes_ / sizeof(T)); }

 private:
  void swap(Buffer& other) {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
  }

  Memory* memory_ = nullptr;
  std::uint64_t bytes_ = 0;
  T* data_ = nullptr;
};

}  // namespace pippin::probes
