// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace pippin {

/// A streaming 128-bit content hash (XXH3); the digest of what was added so far can be asked at
/// any time. Not cryptographic: it tells files apart, it does not defend against forgers.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void add(std::string_view bytes);
  std::string digest() const;  ///< 32 hex digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 32 hex digits; the same on every platform.
std::string hash_of(std::string_view bytes);

}  // namespace pippin
