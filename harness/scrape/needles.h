#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace pippin {

/// Finds where a few fixed texts occur, all of them in one pass.
///
/// A text is looked for by a few bytes of it, those that a log rarely has. Each of them passes two
/// tables of 16 entries, by its low and its high half, that tell which of 8 groups of texts it may
/// belong to; where a group stays, its texts are compared. With AVX2 32 places are looked at
/// together, elsewhere one.
/// Source: the "Teddy" of Hyperscan, Wang et al., NSDI 2019.
class Needles {
 public:
  /// An occurrence.
  struct Hit {
    const char* at = nullptr;  ///< where it begins; behind the line's end that it begins with
    std::uint16_t needle = 0;  ///< as counted in the list
  };

  /// Requires needles of 4 bytes at least, and at most 65,535 of them.
  explicit Needles(const std::vector<std::string_view>& needles);

  /// Finds all but some, by the same numbers.
  Needles without(const std::vector<std::size_t>& numbers) const;

  /// Whether this machine can look at 32 places together.
  static bool has_vectors();

  /// Walks through the occurrences in a text, in the order of the places they are known by.
  class Search {
   public:
    /// Both must outlive it. Without `vectors` as on a machine that has none.
    Search(const Needles& needles, std::string_view text, bool vectors = has_vectors());

    /// Whether there is an occurrence that was not taken.
    bool any() const { return next_ < hits_.size(); }
    const Hit& next() const { return hits_[next_]; }
    void take() {
      if (++next_ == hits_.size()) find_more();
    }

   private:
    void find_more();

    const Needles* needles_;
    std::string_view text_;
    bool vectors_;
    std::size_t place_ = 0;  ///< up to which it was looked
    std::vector<Hit> hits_;  ///< found together; in order
    std::size_t next_ = 0;   ///< of hits_
  };

 private:
  static constexpr std::size_t kShortest = 4, kMarks = 6, kGroups = 8, kHalves = 16;

  /// A needle in its group.
  struct Member {
    std::uint32_t mark = 0;                ///< the first of the bytes it is looked for by
    std::uint16_t needle = 0, offset = 0;  ///< where they stand in it
  };

  void choose_marks();
  void make_tables();
  /// False where no needle's mark begins like that; where it is true, one may.
  bool may_be_mark(std::uint32_t bytes) const;
  /// The occurrences that these groups may have where a mark begins.
  void compare(std::string_view text, std::size_t place, unsigned groups,
               std::vector<Hit>& hits) const;
  /// Both return the place up to which they looked: the end, or behind the first hits.
  std::size_t find_one_by_one(std::string_view text, std::size_t place,
                              std::vector<Hit>& hits) const;
  std::size_t find_by_vectors(std::string_view text, std::size_t place,
                              std::vector<Hit>& hits) const;

  std::vector<std::string_view> needles_;
  std::array<std::vector<Member>, kGroups> groups_;
  std::vector<std::uint64_t> marks_;  ///< a bit for each hash that some mark has
  /// By mark's byte and half byte: which groups have it there.
  std::array<std::array<std::uint8_t, kHalves>, kMarks> low_{}, high_{};
};

}  // namespace pippin
