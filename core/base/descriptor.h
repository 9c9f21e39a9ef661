// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"

namespace pippin {

/// Throws the Error (machine) of what could not be done with a file; `error`: errno.
[[noreturn]] inline void file_failed(std::string_view what, const fs::path& path, int error) {
  machine_failed("{}: cannot {}: {}", path.string(), what, std::strerror(error));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  /// 0, or what close() says: on network file systems a full disk shows only here.
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

}  // namespace pippin
