// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/mark_tables.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pippin {

namespace {

constexpr std::size_t kLowHalf = 15, kHalfBits = 4;

std::size_t byte_of(char c) { return static_cast<unsigned char>(c); }

/// The first four bytes of a text, 0 behind its end.
std::uint32_t first_of(std::string_view text) {
  std::uint32_t first = 0;
  std::memcpy(&first, text.data(), std::min(text.size(), sizeof first));
  return first;
}

}  // namespace

SearchWidth widest_search() {
#if defined(__x86_64__)
  static const SearchWidth width = __builtin_cpu_supports("avx512vbmi") != 0 ? SearchWidth::avx512
                                   : __builtin_cpu_supports("avx2") != 0     ? SearchWidth::avx2
                                                                             : SearchWidth::one;
  return width;
#else
  return SearchWidth::one;
#endif
}

inline bool MarkTables::may_begin(std::uint32_t first) const {
  const std::size_t hash = hash_of(first);
  return (hashes_[hash / kBits] >> hash % kBits & 1U) != 0;
}

void MarkTables::add(std::size_t group, std::string_view mark) {
  const auto bit = static_cast<std::uint8_t>(1U << group);
  for (std::size_t i = 0; i < kMarkBytes; ++i) {
    if (i < mark.size()) {
      const std::size_t byte = byte_of(mark[i]);
      low_[i][byte & kLowHalf] |= bit;
      high_[i][byte >> kHalfBits] |= bit;
      seven_[i][byte % kSeven] |= bit;
    } else {
      for (auto& groups : low_[i]) groups |= bit;
      for (auto& groups : high_[i]) groups |= bit;
      for (auto& groups : seven_[i]) groups |= bit;
    }
  }
  const std::size_t hash = hash_of(first_of(mark));
  hashes_[hash / kBits] |= std::uint64_t{1} << hash % kBits;
}

bool MarkTables::may_begin_at(std::string_view text, std::size_t place) const {
  unsigned groups = UINT8_MAX;
  for (std::size_t i = 0; i < kMarkBytes && groups != 0; ++i) {
    const std::size_t byte = place + i < text.size() ? byte_of(text[place + i]) : 0;
    groups &= seven_[i][byte % kSeven];
  }
  return groups != 0 && may_begin(first_of(text.substr(place)));
}

std::size_t MarkTables::find(const char* text, std::size_t blocks, SearchWidth width,
                             Candidates& found) const {
  return width == SearchWidth::avx512 ? find_with_avx512(text, blocks, found)
                                      : find_with_avx2(text, blocks, found);
}

#if defined(__x86_64__)

/// Asks neither how many places a block has nor which of them are none, until all are written: a
/// wrong guess costs more than some writes. Source: simdjson, Langdale and Lemire 2019.
__attribute__((always_inline)) inline std::size_t MarkTables::candidates_in(
    const Window& window, const char* text, std::size_t blocks, Candidates& found) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    std::uint64_t some = window[i];
    const auto put = [&](std::size_t at) {
      found[at] = static_cast<std::uint32_t>(i * kBlock) +
                  static_cast<std::uint32_t>(std::countr_zero(some));
      some &= some - 1;
    };
    put(count);
    put(count + 1);
    const auto next = count + static_cast<std::size_t>(std::popcount(window[i]));
    for (std::size_t at = count + 2; at < next; ++at) put(at);
    count = next;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t place = found[i];
    std::uint32_t first = 0;
    std::memcpy(&first, text + place, sizeof first);
    found[kept] = place;
    kept += may_begin(first) ? 1 : 0;
  }
  return kept;
}

__attribute__((target("avx2,bmi,popcnt"))) std::size_t MarkTables::find_with_avx2(
    const char* text, std::size_t blocks, Candidates& found) const {
  const auto twice = [](const auto& table) __attribute__((target("avx2"))) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
  };
  __m256i low[kMarkBytes], high[kMarkBytes];
  for (std::size_t i = 0; i < kMarkBytes; ++i) {
    low[i] = twice(low_[i]);
    high[i] = twice(high_[i]);
  }
  const __m256i half = _mm256_set1_epi8(static_cast<char>(kLowHalf));
  constexpr std::size_t kVector = sizeof(__m256i);
  Window window;
  for (std::size_t place = 0; place < blocks * kBlock; place += kVector) {
    __m256i groups = _mm256_set1_epi8(-1);
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kMarkBytes; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + place + i));
      const __m256i lows = _mm256_and_si256(bytes, half);
      const __m256i highs = _mm256_and_si256(_mm256_srli_epi16(bytes, kHalfBits), half);
      groups = _mm256_and_si256(groups, _mm256_and_si256(_mm256_shuffle_epi8(low[i], lows),
                                                         _mm256_shuffle_epi8(high[i], highs)));
    }
    const auto some = ~static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(groups, _mm256_setzero_si256())));
    if (place % kBlock == 0) {
      window[place / kBlock] = some;
    } else {
      window[place / kBlock] |= std::uint64_t{some} << kVector;
    }
  }
  return candidates_in(window, text, blocks, found);
}

__attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,popcnt"))) std::size_t
MarkTables::find_with_avx512(const char* text, std::size_t blocks, Candidates& found) const {
  __m512i low[kMarkBytes], high[kMarkBytes];
  for (std::size_t i = 0; i < kMarkBytes; ++i) {
    low[i] = _mm512_loadu_si512(seven_[i].data());
    high[i] = _mm512_loadu_si512(seven_[i].data() + sizeof(__m512i));
  }
  Window window;
  for (std::size_t block = 0; block < blocks; ++block) {
    const char* at = text + block * kBlock;
    __m512i groups = _mm512_set1_epi8(-1);
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kMarkBytes; ++i)
      groups = _mm512_and_si512(
          groups, _mm512_permutex2var_epi8(low[i], _mm512_loadu_si512(at + i), high[i]));
    window[block] = _mm512_test_epi8_mask(groups, groups);
  }
  return candidates_in(window, text, blocks, found);
}

#else

std::size_t MarkTables::find_with_avx2(const char*, std::size_t, Candidates&) const {
  throw std::logic_error("this machine has no AVX2");
}

std::size_t MarkTables::find_with_avx512(const char*, std::size_t, Candidates&) const {
  throw std::logic_error("this machine has no AVX-512");
}

#endif

}  // namespace pippin
