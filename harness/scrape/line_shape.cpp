// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/line_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "harness/scrape/characters.h"

namespace pippin {

namespace {

/// All powers of ten that a double holds exactly.
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kMostPower = static_cast<int>(std::size(kPowers)) - 1;

std::string_view without_blanks(std::string_view text, bool front) {
  while (front && text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Takes a number off the front of a text, where whole digits and a small power give it exactly:
/// both are doubles then, and one rounding is left.
bool take_number(const char*& at, const char* end, WrittenNumber& number) {
  constexpr std::uint64_t kTen = 10;
  constexpr std::ptrdiff_t kMostDigits = 15;
  const char* c = at;
  const bool negative = c != end && *c == '-';
  if (negative) ++c;
  std::uint64_t digits = 0;
  const char* const first = c;
  for (; c != end && is_digit(*c); ++c)
    digits = digits * kTen + static_cast<std::uint64_t>(*c - '0');
  if (c == first) return false;
  const char* const behind_digits = c;
  std::ptrdiff_t count = c - first;
  int power = 0;
  if (c != end && *c == '.') {
    const char* const point = c++;
    for (; c != end && is_digit(*c); ++c)
      digits = digits * kTen + static_cast<std::uint64_t>(*c - '0');
    const std::ptrdiff_t behind_point = c - point - 1;
    if (behind_point == 0) return false;
    power = -static_cast<int>(behind_point);
    count += behind_point;
  }
  if (count > kMostDigits) return false;
  if (c != end && (*c == 'e' || *c == 'E')) {
    ++c;
    const bool down = c != end && *c == '-';
    if (c != end && (*c == '-' || *c == '+')) ++c;
    const char* const exponent = c;
    int by = 0;
    for (; c != end && is_digit(*c) && c - exponent < 3; ++c) by = by * 10 + (*c - '0');
    if (c == exponent || (c != end && is_digit(*c))) return false;
    power += down ? -by : by;
  }
  if (power < -kMostPower || power > kMostPower) return false;
  const auto whole = static_cast<double>(digits);
  const double value = power < 0 ? whole / kPowers[-power] : whole * kPowers[power];
  number = {negative ? -value : value, power, !negative && c == behind_digits};
  at = c;
  return true;
}

/// Skips `text`, in which digits stand for any.
bool skip_any_digits(const char*& at, const char* end, std::string_view text) {
  if (static_cast<std::size_t>(end - at) < text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (at[i] != text[i] && !(is_digit(at[i]) && is_digit(text[i]))) return false;
  }
  at += text.size();
  return true;
}

template <typename Word>
bool same_word(const char* a, const char* b) {
  Word of_a, of_b;
  std::memcpy(&of_a, a, sizeof of_a);
  std::memcpy(&of_b, b, sizeof of_b);
  return of_a == of_b;
}

/// As memcmp() == 0, for texts so short that to call it takes longer than to compare.
bool same(const char* a, const char* b, std::size_t size) {
  constexpr std::size_t kLong = sizeof(std::uint64_t), kShort = sizeof(std::uint32_t);
  if (size >= kLong) {
    for (std::size_t i = 0; i + kLong < size; i += kLong) {
      if (!same_word<std::uint64_t>(a + i, b + i)) return false;
    }
    return same_word<std::uint64_t>(a + size - kLong, b + size - kLong);
  }
  if (size >= kShort)
    return same_word<std::uint32_t>(a, b) &&
           same_word<std::uint32_t>(a + size - kShort, b + size - kShort);
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

bool skip(const char*& at, const char* end, std::string_view text) {
  if (static_cast<std::size_t>(end - at) < text.size()) return false;
  if (!same(at, text.data(), text.size())) return false;
  at += text.size();
  return true;
}

void skip_blanks(const char*& at, const char* end) {
  while (at != end && *at == ' ') ++at;
}

}  // namespace

double power_of_ten(int power) {
  constexpr std::int64_t kMost = 330;  // beyond it there is 0, or no number
  static const auto powers = [] {
    std::array<double, 2 * kMost + 1> all{};
    std::int64_t of = -kMost;
    for (double& one : all) one = std::pow(10.0, static_cast<double>(of++));
    return all;
  }();
  const std::int64_t place = std::clamp<std::int64_t>(power, -kMost, kMost) + kMost;
  return powers.at(static_cast<std::size_t>(place));
}

bool LineShape::learn(std::string_view line, const std::vector<std::string_view>& values,
                      std::size_t of_times) {
  between_.clear();
  std::vector<std::string> between;
  std::size_t from = 0;
  for (const std::string_view value : values) {
    const auto at = static_cast<std::size_t>(value.data() - line.data());
    if (value.data() < line.data() || at < from || at + value.size() > line.size()) return false;
    between.emplace_back(without_blanks(line.substr(from, at - from), from > 0));
    if (from > 0 && between.back().empty()) return false;
    from = at + value.size();
  }
  if (between.empty()) return false;
  between.emplace_back(without_blanks(line.substr(from), true));
  between_ = std::move(between);
  of_times_ = std::min(of_times, between_.front().size());
  std::vector<WrittenNumber> numbers;
  if (read(line, numbers)) return true;
  between_.clear();
  return false;
}

std::size_t LineShape::read_front(std::string_view text,
                                  std::vector<WrittenNumber>& numbers) const {
  if (between_.empty()) return 0;
  const char *at = text.data(), *const end = at + text.size();
  const std::string_view front = between_.front();
  if (!skip_any_digits(at, end, front.substr(0, of_times_))) return 0;
  if (!skip(at, end, front.substr(of_times_))) return 0;
  numbers.resize(between_.size() - 1);
  for (std::size_t i = 1; i < between_.size(); ++i) {
    skip_blanks(at, end);
    if (!take_number(at, end, numbers[i - 1])) return 0;
    // A number is the whole of a word.
    if (at != end && *at != ' ' && *at != '|' && *at != '/' && *at != '\n') return 0;
    skip_blanks(at, end);
    if (!skip(at, end, between_[i])) return 0;
  }
  skip_blanks(at, end);
  return at == end || *at == '\n' ? static_cast<std::size_t>(at - text.data()) : 0;
}

}  // namespace pippin
