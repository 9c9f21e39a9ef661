#include "harness/scrape/needles.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pippin {

namespace {

constexpr char kFeed = '\n';
constexpr std::size_t kBestOffsets = 4;
constexpr std::size_t kBits = 64, kHashes = 4096;
constexpr std::size_t kMarkBytes = 6;

/// Below kHashes. Source: multiplicative hashing, Knuth, TAOCP 6.4.
std::size_t hash_of_mark(std::uint32_t mark) {
  constexpr std::uint32_t kGolden = 2654435769U, kShift = 20;
  return mark * kGolden >> kShift;
}

/// How often the characters from ' ' on stand in logs of training, in thousandths.
constexpr std::array<std::uint8_t, 96> kFrequencies{
    98, 5,  2,  9, 1,  1,  1,  4,  2,  2, 5,  6,  3,  23, 28, 34, 43, 32, 23, 18, 15, 13, 11, 12,
    16, 7,  23, 1, 1,  3,  7,  1,  1,  4, 2,  13, 2,  4,  5,  2,  1,  9,  1,  1,  6,  2,  11, 6,
    8,  1,  2,  2, 4,  2,  1,  1,  1,  1, 1,  11, 1,  11, 1,  11, 1,  39, 12, 23, 15, 38, 11, 11,
    12, 28, 2,  4, 24, 13, 34, 24, 20, 1, 24, 29, 23, 15, 6,  3,  4,  6,  3,  1,  4,  1,  1,  1,
};

constexpr std::size_t kLowHalf = 15, kHalfBits = 4;

std::size_t byte_of(char c) { return static_cast<unsigned char>(c); }

double frequency_of(std::size_t byte) {
  const std::size_t index = byte - ' ';  // wraps around below it
  return index < kFrequencies.size() ? kFrequencies[index] / 1000.0 : 1e-3;
}

/// The bytes at the front of a text, 0 behind its end.
std::uint32_t mark_of(std::string_view text) {
  std::uint32_t mark = 0;
  if (text.size() >= sizeof mark) {
    std::memcpy(&mark, text.data(), sizeof mark);
  } else {
    std::memcpy(&mark, text.data(), text.size());
  }
  return mark;
}

/// Words are letters behind letters, numbers digits behind digits.
enum Kind : std::size_t { kLower, kUpper, kDigit, kBlank, kOther, kKinds };

Kind kind_of(std::size_t byte) {
  if (byte >= 'a' && byte <= 'z') return kLower;
  if (byte >= 'A' && byte <= 'Z') return kUpper;
  if (byte >= '0' && byte <= '9') return kDigit;
  return byte <= ' ' ? kBlank : kOther;
}

/// How much more often than by chance a character of a kind (column) stands behind one of another
/// (row) in logs of training.
constexpr double kBehind[kKinds][kKinds] = {{1.82, 0.04, 0.30, 0.61, 0.54},
                                            {0.22, 7.52, 0.11, 1.10, 0.57},
                                            {0.23, 0.12, 2.65, 0.83, 1.55},
                                            {0.64, 1.96, 0.82, 1.69, 1.13},
                                            {0.52, 0.47, 1.39, 1.60, 1.57}};

/// Which low and high halves the bytes of a group have at one place of their marks; a bit each.
struct Halves {
  std::uint16_t low = 0, high = 0;
  std::array<double, kKinds> frequency{};  ///< how often a byte passes, by its kind

  void add(char c) { add_halves(1U << (byte_of(c) & kLowHalf), 1U << (byte_of(c) >> kHalfBits)); }
  void add_all() { add_halves(UINT16_MAX, UINT16_MAX); }

 private:
  void add_halves(unsigned lows, unsigned highs) {
    if ((low | lows) == low && (high | highs) == high) return;
    low = static_cast<std::uint16_t>(low | lows);
    high = static_cast<std::uint16_t>(high | highs);
    frequency = {};
    for (unsigned rows = high; rows != 0; rows &= rows - 1) {
      for (unsigned columns = low; columns != 0; columns &= columns - 1) {
        const auto byte = (static_cast<std::size_t>(std::countr_zero(rows)) << kHalfBits) +
                          static_cast<std::size_t>(std::countr_zero(columns));
        frequency[kind_of(byte)] += frequency_of(byte);
      }
    }
  }
};

using Mark = std::array<Halves, kMarkBytes>;

/// What logs are full of, however rare its letters are.
constexpr std::string_view kUsualWords[] = {"] NCCL INFO Channel",
                                            "[INFO] [",
                                            "[WARNING]",
                                            "Warning: ",
                                            "######",
                                            "......",
                                            "======",
                                            "      ",
                                            "0.0000",
                                            "node00:",
                                            "checkpoint",
                                            "memory",
                                            " process group",
                                            "number of",
                                            " iteration ",
                                            " forward",
                                            " backward",
                                            " gradient",
                                            " training",
                                            "time (ms)",
                                            " elapsed ",
                                            " rank ",
                                            "Loading",
                                            " tensor",
                                            " launch",
                                            " value ",
                                            " done ",
                                            " index ",
                                            " kernel ",
                                            " file ",
                                            " torch",
                                            " distributed",
                                            " parameters",
                                            " optimizer",
                                            " model",
                                            " module",
                                            " dataset",
                                            " device",
                                            " layer",
                                            " batch size",
                                            " loss",
                                            " step ",
                                            " reduce",
                                            " bucket",
                                            " buffer",
                                            " stream",
                                            " cache",
                                            " worker",
                                            " created",
                                            " using ",
                                            " version",
                                            " python",
                                            " packages",
                                            " warnings",
                                            " deprecated",
                                            " default",
                                            " import",
                                            " config",
                                            " return",
                                            " function",
                                            " output",
                                            " input",
                                            " sample",
                                            " epoch",
                                            " partition",
                                            " communication",
                                            " setting",
                                            " initializ",
                                            " environment",
                                            " argument",
                                            " enabled",
                                            "/local/lib/"};
constexpr double kUsualRate = 3e-4;  // of each of their places

bool passes(const Mark& mark, std::string_view bytes) {
  for (std::size_t i = 0; i < mark.size(); ++i) {
    const std::size_t byte = byte_of(bytes[i]);
    if ((mark[i].low >> (byte & kLowHalf) & mark[i].high >> (byte >> kHalfBits) & 1U) == 0)
      return false;
  }
  return true;
}

double rate_of_words(const Mark& mark) {
  double rate = 0;
  for (const auto word : kUsualWords) {
    for (std::size_t i = 0; i + mark.size() <= word.size(); ++i)
      rate += passes(mark, word.substr(i, mark.size())) ? kUsualRate : 0;
  }
  return rate;
}

/// How often so many bytes pass.
double rate_of(const Mark& mark) {
  std::array<double, kKinds> rates = mark[0].frequency;
  for (std::size_t i = 1; i < mark.size(); ++i) {
    std::array<double, kKinds> next{};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (std::size_t before = 0; before < kKinds; ++before)
        next[kind] += rates[before] * kBehind[before][kind] * mark[i].frequency[kind];
    }
    rates = next;
  }
  return std::accumulate(rates.begin(), rates.end(), rate_of_words(mark));
}

Mark with(Mark mark, std::string_view bytes) {
  for (std::size_t i = 0; i < mark.size(); ++i) {
    if (i < bytes.size()) {
      mark[i].add(bytes[i]);
    } else {
      mark[i].add_all();
    }
  }
  return mark;
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
    if (!needle.empty() && needle.size() < kShortest)
      throw std::logic_error("a needle is too short");
  }
  choose_marks();
  make_tables();
}

/// Each needle goes where it adds least to how often a group has to be compared in vain.
void Needles::choose_marks() {
  std::array<Mark, kGroups> groups{};
  std::array<double, kGroups> rates{};
  for (std::size_t number = 0; number < needles_.size(); ++number) {
    const std::string_view needle = needles_[number];
    const std::size_t length = std::min(needle.size(), kMarks);
    std::vector<std::pair<double, std::size_t>> offsets;  // by how rare the bytes there are
    for (std::size_t i = 0; i + length <= needle.size(); ++i)
      offsets.emplace_back(rate_of(with({}, needle.substr(i, length))), i);
    std::sort(offsets.begin(), offsets.end());
    offsets.resize(std::min(offsets.size(), kBestOffsets));
    double least = std::numeric_limits<double>::infinity();
    std::size_t group = 0, offset = 0;
    for (const auto& place : offsets) {
      for (std::size_t j = 0; j < kGroups; ++j) {
        const auto mark = needle.substr(place.second, length);
        const double cost = rate_of(with(groups[j], mark)) - rates[j];
        if (cost < least) least = cost, group = j, offset = place.second;
      }
    }
    const auto mark = needle.substr(offset, length);
    groups[group] = with(groups[group], mark);
    rates[group] = rate_of(groups[group]);
    groups_[group].push_back(
        {mark_of(mark), static_cast<std::uint16_t>(number), static_cast<std::uint16_t>(offset)});
  }
}

void Needles::make_tables() {
  static_assert(kMarks == kMarkBytes);
  low_ = high_ = {};
  marks_.assign(kHashes / kBits, 0);
  for (std::size_t group = 0; group < kGroups; ++group) {
    const auto bit = static_cast<std::uint8_t>(1U << group);
    Mark halves{};
    for (const Member& member : groups_[group]) {
      halves = with(halves, needles_[member.needle].substr(member.offset, kMarks));
      const std::size_t hash = hash_of_mark(member.mark);
      marks_[hash / kBits] |= std::uint64_t{1} << hash % kBits;
    }
    for (std::size_t i = 0; i < kMarks; ++i) {
      for (std::size_t half = 0; half < kHalves; ++half) {
        if ((halves[i].low >> half & 1U) != 0) low_[i][half] |= bit;
        if ((halves[i].high >> half & 1U) != 0) high_[i][half] |= bit;
      }
    }
  }
}

Needles Needles::without(const std::vector<std::size_t>& numbers) const {
  Needles rest = *this;
  for (auto& group : rest.groups_) {
    std::erase_if(group, [&](const Member& member) {
      return std::find(numbers.begin(), numbers.end(), member.needle) != numbers.end();
    });
  }
  rest.make_tables();
  return rest;
}

bool Needles::may_be_mark(std::uint32_t bytes) const {
  const std::size_t hash = hash_of_mark(bytes);
  return (marks_[hash / kBits] >> hash % kBits & 1U) != 0;
}

void Needles::compare(std::string_view text, std::size_t place, unsigned groups,
                      std::vector<Hit>& hits) const {
  const std::uint32_t mark = mark_of(text.substr(place));
  if (!may_be_mark(mark)) return;
  for (; groups != 0; groups &= groups - 1) {
    for (const Member& member : groups_[static_cast<std::size_t>(std::countr_zero(groups))]) {
      if (member.mark != mark || member.offset > place) continue;
      const std::string_view needle = needles_[member.needle];
      const std::size_t begin = place - member.offset;
      if (text.size() - begin >= needle.size() &&
          std::memcmp(text.data() + begin, needle.data(), needle.size()) == 0)
        hits.push_back({text.data() + begin + (needle[0] == kFeed ? 1 : 0), member.needle});
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
                                 tables_of(low_[2], high_[2]), tables_of(low_[3], high_[3]),
                                 tables_of(low_[4], high_[4]), tables_of(low_[5], high_[5])};
  for (; place + kVector + kMarks - 1 <= text.size(); place += kVector) {
    const char* at = text.data() + place;
    __m256i groups = groups_of(at, tables[0]);
    for (std::size_t i = 1; i < kMarks; ++i)
      groups = _mm256_and_si256(groups, groups_of(at + i, tables[i]));
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
