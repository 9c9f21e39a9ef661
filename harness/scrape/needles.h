// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "harness/scrape/mark_tables.h"
#include "harness/scrape/needle_marks.h"

namespace pippin {

/// Finds where a few fixed texts occur, all of them in one pass.
///
/// A text is looked for by a few bytes of it, its mark: those that a log rarely has. Where marks of
/// some groups may stand, the texts of these groups are compared.
class Needles {
 public:
  /// An occurrence.
  struct Hit {
    const char* at = nullptr;  ///< where it begins; behind the line's end that it begins with
    std::uint16_t needle = 0;  ///< as counted in the list
  };

  /// Finds those that are wanted, a flag each. Requires needles of 4 bytes at least, at most 65,535
  /// of them, and a mark for each.
  Needles(const std::vector<std::string_view>& needles, std::span<const NeedleMark> marks,
          const std::vector<bool>& wanted);

  /// Walks through the occurrences in a text, in the order of the places they are known by.
  class Search {
   public:
    /// Both must outlive it. Requires a width that this machine has.
    Search(const Needles& needles, std::string_view text, SearchWidth width = widest_search());

    /// Whether there is an occurrence that was not taken.
    bool any() {
      if (next_ == hits_.size()) find_more();
      return next_ < hits_.size();
    }
    /// Requires any().
    const Hit& next() const { return hits_[next_]; }
    void take() { ++next_; }
    /// Leaves out those that begin before a place in the text, and does not look for them.
    void skip_to(const char* at);

   private:
    void find_more();

    const Needles* needles_;
    std::string_view text_;
    SearchWidth width_;
    std::size_t place_ = 0, skipped_ = 0;  ///< up to which it was looked, and left out
    std::vector<Hit> hits_;                ///< found together; in order
    std::size_t next_ = 0;                 ///< of hits_
  };

 private:
  static constexpr std::size_t kShortest = MarkTables::kFirstBytes;

  /// A needle that is looked for.
  struct Member {
    std::uint32_t mark = 0;                ///< the first bytes of its mark
    std::uint32_t tail = 0;                ///< its own last bytes, which tell most others from it
    std::uint16_t needle = 0, offset = 0;  ///< where its mark stands in it
    std::uint32_t size = 0;                ///< bytes
    std::size_t group = 0;                 ///< of tables_
  };

  void make_tables();
  /// The occurrences that may stand where a mark begins.
  void compare(std::string_view text, std::size_t place, std::vector<Hit>& hits) const;
  /// Returns the place up to which it looked: the end, or behind the first hits.
  std::size_t find(std::string_view text, std::size_t place, SearchWidth width,
                   std::vector<Hit>& hits) const;

  std::vector<std::string_view> needles_;
  std::vector<Member> members_;  ///< by the hash of their marks
  /// The first member of each hash; behind the last hash, the end.
  std::array<std::uint16_t, MarkTables::kHashes + 1> begins_{};
  MarkTables tables_;
};

}  // namespace pippin
