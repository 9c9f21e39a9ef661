#include "harness/scrape/needles.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pippin {

namespace {

/// How often the characters from ' ' on stand in logs of training, in thousandths.
constexpr std::array<std::uint8_t, 96> kFrequencies{
    98, 5,  2,  1, 1,  1,  1,  4,  2,  2, 5,  6,  3,  23, 28, 34, 43, 32, 23, 18, 15, 13, 11, 12,
    16, 7,  23, 1, 1,  3,  7,  1,  1,  4, 2,  13, 2,  4,  5,  2,  1,  9,  1,  1,  6,  2,  11, 6,
    8,  1,  2,  2, 4,  2,  1,  1,  1,  1, 1,  11, 1,  11, 1,  11, 1,  39, 12, 23, 15, 38, 11, 11,
    12, 28, 2,  4, 24, 13, 34, 24, 20, 1, 24, 29, 23, 15, 6,  3,  4,  6,  3,  1,  4,  1,  1,  1,
};

constexpr std::size_t kLowHalf = 15, kHalfBits = 4, kBestMarks = 4;

std::size_t byte_of(char c) { return static_cast<unsigned char>(c); }

double frequency_of(std::size_t byte) {
  const std::size_t index = byte - ' ';  // wraps around below it
  return index < kFrequencies.size() ? kFrequencies[index] / 1000.0 : 1e-3;
}

/// The bytes at the front of a text, 0 behind its end.
std::uint32_t mark_of(std::string_view text) {
  std::uint32_t mark = 0;
  std::memcpy(&mark, text.data(), std::min(text.size(), sizeof mark));
  return mark;
}

/// Which low and high halves the bytes of a group have at one place of their marks; a bit each.
struct Halves {
  std::uint16_t low = 0, high = 0;

  static Halves any() { return {UINT16_MAX, UINT16_MAX}; }

  Halves with(char c) const {
    return {static_cast<std::uint16_t>(low | 1U << (byte_of(c) & kLowHalf)),
            static_cast<std::uint16_t>(high | 1U << (byte_of(c) >> kHalfBits))};
  }

  /// How often a byte passes.
  double frequency() const {
    double sum = 0;
    for (unsigned highs = high; highs != 0; highs &= highs - 1) {
      for (unsigned lows = low; lows != 0; lows &= lows - 1) {
        sum += frequency_of((static_cast<std::size_t>(std::countr_zero(highs)) << kHalfBits) +
                            static_cast<std::size_t>(std::countr_zero(lows)));
      }
    }
    return sum;
  }
};

template <std::size_t kMarks>
double rate_of(const std::array<Halves, kMarks>& halves) {
  double rate = 1;
  for (const auto& at : halves) rate *= at.frequency();
  return rate;
}

}  // namespace

bool Needles::has_vectors() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

Needles::Needles(const std::vector<std::string_view>& needles) : needles_(needles) {
  if (needles.size() > UINT16_MAX) throw std::logic_error("too many needles");
  for (const auto needle : needles) {
    if (needle.size() < kShortest) throw std::logic_error("a needle is too short");
  }
  choose_marks();
}

/// Each needle goes where it adds least to how often a group has to be compared in vain.
void Needles::choose_marks() {
  std::array<std::array<Halves, kMarks>, kGroups> groups{};
  const auto with = [&](const std::array<Halves, kMarks>& group, std::string_view mark) {
    std::array<Halves, kMarks> more{};
    for (std::size_t i = 0; i < kMarks; ++i)
      more[i] = i < mark.size() ? group[i].with(mark[i]) : Halves::any();
    return more;
  };
  for (std::size_t number = 0; number < needles_.size(); ++number) {
    const std::string_view needle = needles_[number];
    const std::size_t length = std::min(needle.size(), kMarks);
    std::vector<std::pair<double, std::size_t>> offsets;  // by the rate of the bytes there
    for (std::size_t offset = 0; offset + length <= needle.size(); ++offset) {
      double rate = 1;
      for (const char c : needle.substr(offset, length)) rate *= frequency_of(byte_of(c));
      offsets.emplace_back(rate, offset);
    }
    std::sort(offsets.begin(), offsets.end());
    offsets.resize(std::min(offsets.size(), kBestMarks));
    double least = 2;
    std::size_t best_group = 0, best_offset = 0;
    for (const auto& [rate, offset] : offsets) {
      for (std::size_t group = 0; group < kGroups; ++group) {
        const double cost =
            rate_of(with(groups[group], needle.substr(offset, length))) - rate_of(groups[group]);
        if (cost < least) least = cost, best_group = group, best_offset = offset;
      }
    }
    const auto mark = needle.substr(best_offset, length);
    groups[best_group] = with(groups[best_group], mark);
    const auto all = mark_of("\xff\xff\xff\xff");
    groups_[best_group].push_back({mark_of(mark), length == kMarks ? all : mark_of("\xff\xff\xff"),
                                   static_cast<std::uint16_t>(number),
                                   static_cast<std::uint16_t>(best_offset)});
  }
  for (std::size_t group = 0; group < kGroups; ++group) {
    const auto bit = static_cast<std::uint8_t>(1U << group);
    for (std::size_t i = 0; i < kMarks; ++i) {
      for (std::size_t half = 0; half < kHalves; ++half) {
        if ((groups[group][i].low >> half & 1U) != 0) low_[i][half] |= bit;
        if ((groups[group][i].high >> half & 1U) != 0) high_[i][half] |= bit;
      }
    }
  }
}

void Needles::compare(std::string_view text, std::size_t place, unsigned groups,
                      std::vector<Hit>& hits) const {
  const std::uint32_t mark = mark_of(text.substr(place));
  for (; groups != 0; groups &= groups - 1) {
    for (const Member& member : groups_[static_cast<std::size_t>(std::countr_zero(groups))]) {
      if (member.mark != (mark & member.mask) || member.offset > place) continue;
      const std::string_view needle = needles_[member.needle];
      const std::size_t begin = place - member.offset;
      if (text.size() - begin >= needle.size() &&
          std::memcmp(text.data() + begin, needle.data(), needle.size()) == 0)
        hits.push_back({text.data() + begin, member.needle});
    }
  }
}

std::size_t Needles::find_one_by_one(std::string_view text, std::size_t place,
                                     std::vector<Hit>& hits) const {
  for (; place + kShortest <= text.size(); ++place) {
    unsigned groups = UINT8_MAX;
    for (std::size_t i = 0; i < kMarks && groups != 0; ++i) {
      const std::size_t byte = place + i < text.size() ? byte_of(text[place + i]) : 0;
      groups &= static_cast<unsigned>(low_[i][byte & kLowHalf] & high_[i][byte >> kHalfBits]);
    }
    if (groups == 0) continue;
    compare(text, place, groups, hits);
    if (!hits.empty()) return place + 1;
  }
  return text.size();
}

#if defined(__x86_64__)

namespace {

/// The tables of one byte of a mark, twice.
struct Tables {
  __m256i low, high;
};

using Table = std::array<std::uint8_t, 16>;

__attribute__((target("avx2"))) inline Tables tables_of(const Table& low, const Table& high) {
  const auto* lows = reinterpret_cast<const __m128i*>(low.data());
  const auto* highs = reinterpret_cast<const __m128i*>(high.data());
  return {_mm256_broadcastsi128_si256(_mm_loadu_si128(lows)),
          _mm256_broadcastsi128_si256(_mm_loadu_si128(highs))};
}

/// The groups of 32 bytes, a bit each.
__attribute__((target("avx2"))) inline __m256i groups_of(const char* bytes, const Tables& tables) {
  const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
  const __m256i half = _mm256_set1_epi8(static_cast<char>(kLowHalf));
  const __m256i low = _mm256_and_si256(text, half);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(text, kHalfBits), half);
  return _mm256_and_si256(_mm256_shuffle_epi8(tables.low, low),
                          _mm256_shuffle_epi8(tables.high, high));
}

}  // namespace

__attribute__((target("avx2"))) std::size_t Needles::find_by_vectors(std::string_view text,
                                                                     std::size_t place,
                                                                     std::vector<Hit>& hits) const {
  constexpr std::size_t kVector = sizeof(__m256i);
  const Tables tables[kMarks] = {tables_of(low_[0], high_[0]), tables_of(low_[1], high_[1]),
                                 tables_of(low_[2], high_[2]), tables_of(low_[3], high_[3])};
  for (; place + kVector + kMarks - 1 <= text.size(); place += kVector) {
    const char* at = text.data() + place;
    const __m256i groups = _mm256_and_si256(
        _mm256_and_si256(groups_of(at, tables[0]), groups_of(at + 1, tables[1])),
        _mm256_and_si256(groups_of(at + 2, tables[2]), groups_of(at + 3, tables[3])));
    if (_mm256_testz_si256(groups, groups) != 0) continue;
    alignas(kVector) std::array<std::uint8_t, kVector> by_place{};
    _mm256_store_si256(reinterpret_cast<__m256i*>(by_place.data()), groups);
    auto some = ~static_cast<unsigned>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(groups, _mm256_setzero_si256())));
    for (; some != 0; some &= some - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(some));
      compare(text, place + i, by_place[i], hits);
    }
    if (!hits.empty()) return place + kVector;
  }
  return find_one_by_one(text, place, hits);
}

#else

std::size_t Needles::find_by_vectors(std::string_view text, std::size_t place,
                                     std::vector<Hit>& hits) const {
  return find_one_by_one(text, place, hits);
}

#endif

Needles::Search::Search(const Needles& needles, std::string_view text, bool vectors)
    : needles_(&needles), text_(text), vectors_(vectors) {
  find_more();
}

void Needles::Search::find_more() {
  hits_.clear();
  next_ = 0;
  while (hits_.empty() && place_ < text_.size()) {
    place_ = vectors_ ? needles_->find_by_vectors(text_, place_, hits_)
                      : needles_->find_one_by_one(text_, place_, hits_);
  }
}

}  // namespace pippin
