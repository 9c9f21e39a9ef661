// SPDX-License-Identifier: Apache-2.0
#include "probes/common/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <ctime>

namespace pippin::probes {

std::string text(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string result(static_cast<std::size_t>(std::max(length, 0)), '\0');
  va_start(arguments, format);
  std::vsnprintf(result.data(), result.size() + 1, format, arguments);
  va_end(arguments);
  return result;
}

namespace {

template <typename Number>
std::optional<Number> parse(std::string_view word) {
  Number number{};
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, number);
  if (word.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view word) {
  return parse<std::int64_t>(word);
}

std::optional<double> parse_number(std::string_view word) {
  const auto number = parse<double>(word);
  if (number && !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::string printable(std::string_view word) {
  std::string result;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      result += text("\\x%02x", byte);
    else
      result += c;
  }
  return result;
}

std::string local_time(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char stamp[64];
  return std::string(stamp, std::strftime(stamp, sizeof stamp, format, &local));
}

std::string python_number(double number) {
  // Python's repr: the shortest digits that read back, scientific outside 1e-4 … 1e16.
  char buffer[64];
  const double size = std::fabs(number);
  const bool fixed = size == 0.0 || (size >= 1e-4 && size < 1e16);
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string result(buffer, end.ptr);
  if (fixed && result.find_first_not_of("-0123456789") == std::string::npos) result += ".0";
  return result;
}

std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t limit = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t d = distance(word, candidate);
    if (d >= limit || d >= std::max(word.size(), candidate.size())) continue;
    limit = d;
    best = candidate;
  }
  return best;
}

}  // namespace pippin::probes
