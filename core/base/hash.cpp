// SPDX-License-Identifier: Apache-2.0
#include "core/base/hash.h"

#include <new>

#ifdef PIPPIN_XXHASH_DISPATCHES
#include <xxh_x86dispatch.h>  // takes the place of xxhash.h's functions
#else
#include <xxhash.h>
#endif

namespace pippin {

struct Hasher::State {
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> xxh3{XXH3_createState()};
};

namespace {
std::string hex(XXH128_hash_t hash) {
  constexpr std::size_t kDigits = 16, kBits = 4;
  std::string digits(2 * kDigits, '0');
  for (std::size_t i = kDigits; i-- > 0; hash.high64 >>= kBits, hash.low64 >>= kBits) {
    digits[i] = "0123456789abcdef"[hash.high64 & 0xF];
    digits[kDigits + i] = "0123456789abcdef"[hash.low64 & 0xF];
  }
  return digits;
}
}  // namespace

Hasher::Hasher() : state_(std::make_unique<State>()) {
  if (!state_->xxh3 || XXH3_128bits_reset(state_->xxh3.get()) != XXH_OK) throw std::bad_alloc();
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::add(std::string_view bytes) {
  XXH3_128bits_update(state_->xxh3.get(), bytes.data(), bytes.size());
}

std::string Hasher::digest() const { return hex(XXH3_128bits_digest(state_->xxh3.get())); }

std::string hash_of(std::string_view bytes) {
  return hex(XXH3_128bits(bytes.data(), bytes.size()));
}

}  // namespace pippin
