#include "harness/scrape/needle_marks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "harness/scrape/mark_tables.h"

namespace pippin {

namespace {

/// How often the characters from ' ' on stand in logs of training, in thousandths.
constexpr std::array<std::uint8_t, 96> kFrequencies{
    98, 5,  2,  9, 1,  1,  1,  4,  2,  2, 5,  6,  3,  23, 28, 34, 43, 32, 23, 18, 15, 13, 11, 12,
    16, 7,  23, 1, 1,  3,  7,  1,  1,  4, 2,  13, 2,  4,  5,  2,  1,  9,  1,  1,  6,  2,  11, 6,
    8,  1,  2,  2, 4,  2,  1,  1,  1,  1, 1,  11, 1,  11, 1,  11, 1,  39, 12, 23, 15, 38, 11, 11,
    12, 28, 2,  4, 24, 13, 34, 24, 20, 1, 24, 29, 23, 15, 6,  3,  4,  6,  3,  1,  4,  1,  1,  1,
};

constexpr std::size_t kMarkBytes = MarkTables::kMarkBytes, kGroups = MarkTables::kGroups;
constexpr std::size_t kBestOffsets = 4;
constexpr std::size_t kLowHalf = 15, kHalfBits = 4;

std::size_t byte_of(char c) { return static_cast<unsigned char>(c); }

constexpr double frequency_of(std::size_t byte) {
  const std::size_t index = byte - ' ';  // wraps around below it
  return index < kFrequencies.size() ? kFrequencies[index] / 1000.0 : 1e-3;
}

/// Words are letters behind letters, numbers digits behind digits.
enum Kind : std::size_t { kLower, kUpper, kDigit, kBlank, kOther, kKinds };

constexpr Kind kind_of(std::size_t byte) {
  if (byte >= 'a' && byte <= 'z') return kLower;
  if (byte >= 'A' && byte <= 'Z') return kUpper;
  if (byte >= '0' && byte <= '9') return kDigit;
  return byte <= ' ' ? kBlank : kOther;
}

struct ByteFacts {
  double frequency = 0;
  Kind kind = kOther;
};

constexpr std::array<ByteFacts, 256> kBytes = [] {
  std::array<ByteFacts, 256> facts{};
  for (std::size_t byte = 0; byte < facts.size(); ++byte)
    facts[byte] = {frequency_of(byte), kind_of(byte)};
  return facts;
}();

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

  void add(char c) { add_halves(byte_of(c) & kLowHalf, byte_of(c) >> kHalfBits); }
  void add_all() {
    for (std::size_t half = 0; half <= kLowHalf; ++half) add_halves(half, half);
  }

 private:
  void add_halves(std::size_t of_low, std::size_t of_high) {
    if ((low >> of_low & 1U) == 0) {
      low = static_cast<std::uint16_t>(low | 1U << of_low);
      for (unsigned rows = high; rows != 0; rows &= rows - 1)
        add_byte(of_low, static_cast<std::size_t>(std::countr_zero(rows)));
    }
    if ((high >> of_high & 1U) == 0) {
      high = static_cast<std::uint16_t>(high | 1U << of_high);
      for (unsigned columns = low; columns != 0; columns &= columns - 1)
        add_byte(static_cast<std::size_t>(std::countr_zero(columns)), of_high);
    }
  }

  void add_byte(std::size_t of_low, std::size_t of_high) {
    const ByteFacts& facts = kBytes[of_high << kHalfBits | of_low];
    frequency[facts.kind] += facts.frequency;
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

/// How often so many bytes pass, but for the usual words.
double rate_of_bytes(const Mark& mark) {
  std::array<double, kKinds> rates = mark[0].frequency;
  for (std::size_t i = 1; i < mark.size(); ++i) {
    std::array<double, kKinds> next{};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (std::size_t before = 0; before < kKinds; ++before)
        next[kind] += rates[before] * kBehind[before][kind] * mark[i].frequency[kind];
    }
    rates = next;
  }
  return std::accumulate(rates.begin(), rates.end(), 0.0);
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

/// Places needles in groups, each where it adds least to how often a group passes in vain.
class Placing {
 public:
  explicit Placing(const std::vector<std::string_view>& needles)
      : needles_(needles), marks_(needles.size()), offsets_(needles.size()) {
    for (std::size_t i = 0; i < needles.size(); ++i) offsets_[i] = best_offsets(needles[i]);
  }

  void place(std::size_t needle) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t offset : offsets_[needle]) {
      for (std::size_t group = 0; group < kGroups; ++group) {
        const double cost = cost_of(group, mark_bytes(needle, offset), least);
        if (cost < least) least = cost, marks_[needle] = {offset, group};
      }
    }
    members_[marks_[needle].group].push_back(needle);
    sum_up(marks_[needle].group);
  }

  void remove(std::size_t needle) {
    const std::size_t group = marks_[needle].group;
    std::erase(members_[group], needle);
    sum_up(group);
  }

  const std::vector<NeedleMark>& marks() const { return marks_; }

 private:
  struct Group {
    Mark mark{};
    double of_bytes = 0, of_words = 0;  ///< how often it passes
  };

  /// Where the bytes are the rarest; the rarest first.
  static std::vector<std::size_t> best_offsets(std::string_view needle) {
    const std::size_t length = std::min(needle.size(), kMarkBytes);
    std::vector<std::pair<double, std::size_t>> rated;
    rated.reserve(needle.size());
    for (std::size_t i = 0; i + length <= needle.size(); ++i) {
      const Mark mark = with({}, needle.substr(i, length));
      rated.emplace_back(rate_of_bytes(mark) + rate_of_words(mark), i);
    }
    std::sort(rated.begin(), rated.end());
    rated.resize(std::min(rated.size(), kBestOffsets));
    std::vector<std::size_t> offsets;
    offsets.reserve(rated.size());
    for (const auto& place : rated) offsets.push_back(place.second);
    return offsets;
  }

  std::string_view mark_bytes(std::size_t needle, std::size_t offset) const {
    return needles_[needle].substr(offset, kMarkBytes);
  }

  /// What more bytes add to how often a group passes; not all of it where that is `enough`.
  double cost_of(std::size_t group, std::string_view bytes, double enough) const {
    const Mark mark = with(groups_[group].mark, bytes);
    const double of_bytes = rate_of_bytes(mark) - groups_[group].of_bytes;
    return of_bytes >= enough ? of_bytes : of_bytes + rate_of_words(mark) - groups_[group].of_words;
  }

  void sum_up(std::size_t group) {
    Group sum;
    for (const std::size_t member : members_[group])
      sum.mark = with(sum.mark, mark_bytes(member, marks_[member].offset));
    if (!members_[group].empty()) {
      sum.of_bytes = rate_of_bytes(sum.mark);
      sum.of_words = rate_of_words(sum.mark);
    }
    groups_[group] = sum;
  }

  const std::vector<std::string_view>& needles_;
  std::vector<NeedleMark> marks_;
  std::vector<std::vector<std::size_t>> offsets_;  ///< that a needle's mark may have
  std::array<Group, kGroups> groups_{};
  std::array<std::vector<std::size_t>, kGroups> members_{};
};

/// By how many bytes their marks have: behind a short one any byte passes, so that the short ones
/// are best together.
std::vector<std::size_t> short_ones_first(const std::vector<std::string_view>& needles) {
  std::vector<std::size_t> order(needles.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return std::min(needles[left].size(), kMarkBytes) < std::min(needles[right].size(), kMarkBytes);
  });
  return order;
}

}  // namespace

/// Each is placed a second time, when it is known which groups the others make.
std::vector<NeedleMark> choose_marks(const std::vector<std::string_view>& needles) {
  Placing placing(needles);
  const auto order = short_ones_first(needles);
  for (const std::size_t needle : order) placing.place(needle);
  for (const std::size_t needle : order) {
    placing.remove(needle);
    placing.place(needle);
  }
  return placing.marks();
}

}  // namespace pippin
