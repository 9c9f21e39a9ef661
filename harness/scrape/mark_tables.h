// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pippin {

/// How many places of a text are looked at together.
enum class SearchWidth : std::uint8_t { one = 1, avx2 = 32, avx512 = 64 };

/// The most that this machine can.
SearchWidth widest_search();

/// Tells the places in a text where one of some marks may stand: a few bytes each, in 8 groups.
///
/// Tables tell of each byte which groups have it there. AVX-512 looks a byte up in one table of
/// 128, AVX2 its halves in two of 16. Where a group stays for all bytes, a hash of the first four
/// tells nearly all others from marks. Source: the "Teddy" of Hyperscan, Wang et al., NSDI 2019.
class MarkTables {
 public:
  static constexpr std::size_t kMarkBytes = 5, kGroups = 8, kFirstBytes = 4;
  /// So many blocks of so many places are looked at in one call.
  static constexpr std::size_t kBlock = 64, kMostBlocks = 32;

  /// Places where a mark may stand.
  using Candidates = std::array<std::uint32_t, kBlock * kMostBlocks + 2>;

  static constexpr std::size_t kHashes = 4096;
  /// Of a mark's first bytes; below kHashes. Source: multiplicative hashing, Knuth, TAOCP 6.4.
  static constexpr std::size_t hash_of(std::uint32_t first) {
    constexpr std::uint32_t kGolden = 2654435769U, kShift = 20;
    return first * kGolden >> kShift;
  }

  /// Behind a mark's end there may be any byte. Requires kFirstBytes at least.
  void add(std::size_t group, std::string_view mark);

  /// Whether a mark may stand at a place; behind the text's end there are zeros.
  bool may_begin_at(std::string_view text, std::size_t place) const;

  /// The candidates of so many blocks, in order; returns their number. Behind the blocks kMarkBytes
  /// are read. Requires a width above one.
  std::size_t find(const char* text, std::size_t blocks, SearchWidth width,
                   Candidates& found) const;

 private:
  static constexpr std::size_t kHalves = 16, kSeven = 128, kBits = 64;

  bool may_begin(std::uint32_t first) const;
  using Window = std::array<std::uint64_t, kMostBlocks>;  ///< a bit for each place
  std::size_t candidates_in(const Window& window, const char* text, std::size_t blocks,
                            Candidates& found) const;
  std::size_t find_with_avx2(const char* text, std::size_t blocks, Candidates& found) const;
  std::size_t find_with_avx512(const char* text, std::size_t blocks, Candidates& found) const;

  /// By mark's byte, and a byte's half or its lower seven bits: the groups that have it there.
  std::array<std::array<std::uint8_t, kHalves>, kMarkBytes> low_{}, high_{};
  std::array<std::array<std::uint8_t, kSeven>, kMarkBytes> seven_{};
  std::array<std::uint64_t, kHashes / kBits> hashes_{};  ///< a bit for each hash that some mark has
};

}  // namespace pippin
