// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/prefix.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

#include "core/base/text.h"
#include "harness/scrape/characters.h"

namespace pippin {

namespace {

constexpr std::size_t kLongest = 400;
constexpr std::size_t kMostPlainWords = 2;  // "Nov", of a date, and a host

constexpr std::string_view kLevels[] = {"DEBUG", "INFO",  "NOTICE", "WARNING", "WARN",
                                        "ERROR", "TRACE", "FATAL",  "CRITICAL"};

bool is_level(std::string_view word) {
  std::string upper(word);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return std::find(std::begin(kLevels), std::end(kLevels), upper) != std::end(kLevels);
}

bool has_digit(std::string_view word) { return std::any_of(word.begin(), word.end(), is_digit); }

bool is_opening(char c) { return c == '[' || c == '(' || c == '<'; }
char closing_of(char c) { return c == '[' ? ']' : c == '(' ? ')' : '>'; }

/// The parts between blanks; what stands in brackets is one, with its blanks.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    text = left_trim(text);
    std::size_t end = 0;
    std::vector<char> open;
    while (end < text.size()) {
      const char c = text[end];
      if (open.empty() && (c == ' ' || c == '\t')) break;
      if (is_opening(c)) {
        open.push_back(closing_of(c));
      } else if (!open.empty() && c == open.back()) {
        open.pop_back();
        if (open.empty()) {  // "[rank0]:[titan] " are two
          ++end;
          break;
        }
      }
      ++end;
    }
    if (!open.empty()) {  // a bracket that is not closed: "7.2 <- x"
      end = std::min(text.find_first_of(" \t"), text.size());
    }
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return parts;
}

/// A time of day, or a date: digits with colons, dashes or slashes between.
bool is_time(std::string_view part) {
  if (part.empty() || !is_digit(part.front())) return false;
  const auto marks = static_cast<std::size_t>(std::count_if(
      part.begin(), part.end(), [](char c) { return c == ':' || c == '-' || c == '/'; }));
  const auto digits = static_cast<std::size_t>(std::count_if(part.begin(), part.end(), is_digit));
  return marks >= 2 && digits >= 4 && digits + marks + 6 >= part.size();
}

bool is_place_in_code(std::string_view part) {
  return part.find(".py") != std::string_view::npos || part.find(".cpp") != std::string_view::npos;
}

bool is_bracketed(std::string_view part) {
  return part.size() >= 2 && is_opening(part.front()) && part.back() == closing_of(part.front());
}

bool is_mark(std::string_view part) { return std::none_of(part.begin(), part.end(), is_word); }

/// Letters, and what else stands in names that are no words of a sentence.
bool is_plain_word(std::string_view part) {
  return std::all_of(part.begin(), part.end(), is_letter);
}

/// Where a bar of tqdm or Lightning ends: "100%|####| 260/260 [02:38<00:00,  1.64it/s]"; 0: there
/// is none.
std::size_t end_of_bar(std::string_view text) {
  const auto percent = text.rfind("%|");
  if (percent == std::string_view::npos) return 0;
  const auto end = text.find(']', percent);
  return end != std::string_view::npos ? end + 1 : 0;
}

bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 'd' ? !is_digit(text[i]) : text[i] != shape[i]) return false;
  }
  return true;
}

int number_in(std::string_view text, std::size_t begin, std::size_t length) {
  return static_cast<int>(parse_integer(text.substr(begin, length)).value_or(0));
}

/// Behind the seconds: ".322" or ",322".
Moment fraction_at(std::string_view text) {
  Moment fraction;
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !is_digit(text[1])) return fraction;
  for (std::size_t i = 1; i < text.size() && is_digit(text[i]); ++i) {
    fraction.quantum /= 10;
    fraction.at += fraction.quantum * (text[i] - '0');
  }
  return fraction;
}

}  // namespace

bool is_prefix(std::string_view before) {
  before = trim(before.substr(end_of_bar(before)));
  if (before.empty()) return true;
  if (before.size() > kLongest) return false;
  if (before.find_first_of("\"'`#{}$\\;") != std::string_view::npos) return false;
  if (!is_word(before.front()) && !is_opening(before.front())) return false;
  std::size_t plain = 0, structured = 0;
  const auto parts = parts_of(before);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const bool is_arrow = part == "=>";
    if (part.find('=') != std::string_view::npos && !is_arrow && !is_bracketed(part)) return false;
    const bool marked = i + 1 < parts.size() && is_mark(parts[i + 1]);
    if (is_plain_word(part) && !is_level(part) && !marked) {
      ++plain;
    } else {
      ++structured;
    }
  }
  return plain == 0 || (plain <= kMostPlainWords && structured > 0);
}

Speaker speaker_of(std::string_view before) {
  constexpr std::size_t kSecondsSince1970 = 9;  // digits, at least
  Speaker speaker;
  before = trim(before.substr(end_of_bar(before)));
  for (const std::string_view part : parts_of(before)) {
    if (is_bracketed(part)) {
      const Speaker inside = speaker_of(part.substr(1, part.size() - 2));
      if (!inside.name.empty()) speaker.name += '[' + inside.name + ']';
      speaker.is_rank = speaker.is_rank || inside.is_rank;
      continue;
    }
    if (is_mark(part) || is_time(part) || is_level(part) || is_place_in_code(part)) continue;
    const auto number = parse_number(part);
    if (number && (part.find('.') != std::string_view::npos || part.size() >= kSecondsSince1970))
      continue;
    speaker.name += ' ';
    speaker.name += part;
    speaker.is_rank = speaker.is_rank || has_digit(part);
  }
  return speaker;
}

namespace {

/// What follows the last "rank" of a text in small letters and its separators, where it has one.
std::optional<std::string_view> after_rank(std::string_view text) {
  constexpr std::string_view kRank = "rank";
  const auto rank = text.rfind(kRank);
  if (rank == std::string_view::npos) return std::nullopt;
  const auto rest = text.substr(rank + kRank.size());
  return rest.substr(std::min(rest.find_first_not_of(" :=#-_"), rest.size()));
}

std::string_view digits_at(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

}  // namespace

std::optional<std::int64_t> rank_in(std::string_view before) {
  const std::string text = lower(before);
  const auto rest = after_rank(text);
  return rest ? parse_integer(digits_at(*rest)) : std::nullopt;
}

std::optional<std::int64_t> ranks_in(std::string_view before) {
  const std::string text = lower(before);
  const auto rest = after_rank(text);
  if (!rest) return std::nullopt;
  const auto of_rank = digits_at(*rest);
  if (!rest->substr(of_rank.size()).starts_with('/')) return std::nullopt;
  const auto rank = parse_integer(of_rank);
  const auto ranks = parse_integer(digits_at(rest->substr(of_rank.size() + 1)));
  return rank && ranks && *rank < *ranks ? ranks : std::nullopt;
}

std::optional<Moment> moment_of(std::string_view before) {
  namespace chrono = std::chrono;
  constexpr std::string_view kTime = "dd:dd:dd";
  constexpr std::size_t kDate = 10;
  for (std::size_t at = 0; at + kDate + 1 + kTime.size() <= before.size(); ++at) {
    const auto text = before.substr(at);
    const bool year_first = has_shape(text, "dddd-dd-dd") || has_shape(text, "dddd/dd/dd");
    if (!year_first && !has_shape(text, "dd/dd/dddd")) continue;
    const auto time = text.substr(kDate + 1);
    if ((text[kDate] != ' ' && text[kDate] != 'T') || !has_shape(time, kTime)) continue;
    const int year = year_first ? number_in(text, 0, 4) : number_in(text, 6, 4);
    const int month = year_first ? number_in(text, 5, 2) : number_in(text, 0, 2);
    const int day = year_first ? number_in(text, 8, 2) : number_in(text, 3, 2);
    const chrono::year_month_day date{chrono::year(year),
                                      chrono::month(static_cast<unsigned>(month)),
                                      chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) continue;
    const auto moment = chrono::sys_days(date) + chrono::hours(number_in(time, 0, 2)) +
                        chrono::minutes(number_in(time, 3, 2)) +
                        chrono::seconds(number_in(time, 6, 2));
    const auto whole = chrono::duration_cast<chrono::seconds>(moment.time_since_epoch()).count();
    const Moment fraction = fraction_at(time.substr(kTime.size()));
    return Moment{static_cast<double>(whole) + fraction.at, fraction.quantum};
  }
  return std::nullopt;
}

std::optional<double> time_of(std::string_view before) {
  const auto moment = moment_of(before);
  return moment ? std::optional(moment->at) : std::nullopt;
}

}  // namespace pippin
