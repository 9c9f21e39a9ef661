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

double frequency_of(std::size_t byte) {
  const std::size_t index = byte - ' ';  // wraps around below it
  return index < kFrequencies.size() ? kFrequencies[index] / 1000.0 : 1e-3;
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

/// Each needle goes where it adds least to how often a group has to be compared in vain.
std::vector<NeedleMark> choose_marks(const std::vector<std::string_view>& needles) {
  std::vector<NeedleMark> marks;
  marks.reserve(needles.size());
  std::array<Mark, kGroups> groups{};
  std::array<double, kGroups> rates{};
  for (const std::string_view needle : needles) {
    const std::size_t length = std::min(needle.size(), kMarkBytes);
    std::vector<std::pair<double, std::size_t>> offsets;  // by how rare the bytes there are
    for (std::size_t i = 0; i + length <= needle.size(); ++i)
      offsets.emplace_back(rate_of(with({}, needle.substr(i, length))), i);
    std::sort(offsets.begin(), offsets.end());
    offsets.resize(std::min(offsets.size(), kBestOffsets));
    double least = std::numeric_limits<double>::infinity();
    NeedleMark best;
    for (const auto& place : offsets) {
      const auto bytes = needle.substr(place.second, length);
      for (std::size_t group = 0; group < kGroups; ++group) {
        const double cost = rate_of(with(groups[group], bytes)) - rates[group];
        if (cost < least) least = cost, best = {place.second, group};
      }
    }
    groups[best.group] = with(groups[best.group], needle.substr(best.offset, length));
    rates[best.group] = rate_of(groups[best.group]);
    marks.push_back(best);
  }
  return marks;
}

}  // namespace pippin
