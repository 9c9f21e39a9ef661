// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/lines.h"

#include <algorithm>

#include "harness/scrape/characters.h"

namespace pippin {

namespace {

constexpr char kEscape = '\x1b', kBell = '\a';

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_host_part(char c) {
  return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

std::size_t end_of_escape(std::string_view line, std::size_t begin) {
  std::size_t i = begin + 1;
  if (i >= line.size()) return i;
  const char kind = line[i++];
  if (kind == '[') {
    while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
    return std::min(i + 1, line.size());
  }
  if (kind == ']') {
    while (i < line.size() && line[i] != kBell && line[i] != kEscape) ++i;
    return i < line.size() && line[i] == kBell ? i + 1 : i;
  }
  return i;
}

/// Length of a "[default7]:" or "[1,7]<stdout>:"; 0 where there is none.
std::size_t bracket_tag(std::string_view text) {
  std::size_t i = 1;
  while (i < text.size() && is_lower(text[i])) ++i;
  const std::string_view word = text.substr(1, i - 1);
  if (!word.empty() && word != "default" && word != "rank") return 0;
  const std::size_t digits = i;
  while (i < text.size() && (is_digit(text[i]) || (text[i] == ',' && i > digits))) ++i;
  if (i == digits || i >= text.size() || text[i] != ']') return 0;
  ++i;
  for (const std::string_view stream : {"<stdout>", "<stderr>"}) {
    if (text.substr(i, stream.size()) == stream) i += stream.size();
  }
  return i < text.size() && text[i] == ':' ? i + 1 : i;
}

/// Length of what Open MPI's --tag-output puts before a line, "[1,7]<stdout>:", with what its newer
/// versions and SageMaker have in the bracket: "[1,mpirank:7,algo-1]<stdout>:". A note may indent
/// it. 0 where there is none.
std::size_t stream_tag(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  if (begin == text.size() || text[begin] != '[') return 0;
  const auto end = text.substr(0, begin + kLongest).find(']', begin);
  if (end == std::string_view::npos) return 0;
  for (const std::string_view stream : {"]<stdout>:", "]<stderr>:"}) {
    if (text.substr(end, stream.size()) == stream) return end + stream.size();
  }
  return 0;
}

/// Length of srun's "  7: "; 0 where there is none.
std::size_t number_tag(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && text[i] == ' ') ++i;
  const std::size_t digits = i;
  while (i < text.size() && is_digit(text[i])) ++i;
  const bool tag = i > digits && i + 1 < text.size() && text[i] == ':' && text[i + 1] == ' ';
  return tag ? i + 2 : 0;
}

/// Length of the "node-1: " that pdsh and clush put before each line; 0 where there is none. Host
/// names of clusters end with a digit, names of fields and errors do not.
std::size_t host_tag(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && is_host_part(text[i])) ++i;
  const bool numbered = i > 0 && is_digit(text[i - 1]);
  const bool named = numbered || text.substr(0, i) == "localhost";
  return named && text.substr(i, 2) == ": " ? i + 2 : 0;
}

}  // namespace

Lines::Lines(std::string_view log) : rest_(log), feed_(log.find('\n')), carriage_(log.find('\r')) {}

bool Lines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(feed_, carriage_);
  terminated_ = end != std::string_view::npos;
  line = rest_.substr(0, end);
  const std::size_t taken = terminated_ ? end + 1 : rest_.size();
  rest_.remove_prefix(taken);
  for (std::size_t* mark : {&feed_, &carriage_}) {
    if (*mark == std::string_view::npos) continue;
    *mark = *mark >= taken ? *mark - taken : rest_.find(mark == &feed_ ? '\n' : '\r');
  }
  if (line.find(kEscape) != std::string_view::npos) {
    clean_ = without_escapes(line);
    line = clean_;
  }
  line = without_labels(line);
  return true;
}

std::string_view LoggerPrefix::strip(std::string_view line) const {
  if (line.size() < shape_.size()) return line;
  const bool same = std::equal(shape_.begin(), shape_.end(), line.begin(), [](char a, char b) {
    return a == b || (is_digit(a) && is_digit(b));
  });
  return same ? line.substr(shape_.size()) : line;
}

std::string_view without_labels(std::string_view line) {
  line = without_tags(line);
  return without_tags(line.substr(host_tag(line)));
}

std::string_view without_tags(std::string_view text) {
  for (;;) {
    if (text.empty() || (text[0] != '[' && text[0] != ' ' && !is_digit(text[0]))) return text;
    std::size_t length = text[0] == '[' ? bracket_tag(text) : number_tag(text);
    if (length == 0 && !is_digit(text[0])) length = stream_tag(text);
    if (length == 0) return text;
    text.remove_prefix(length);
  }
}

std::string_view without_cut_word(std::string_view line) {
  constexpr std::string_view kEnds = ")]}>|%'\"", kBlanks = " \t";
  if (!line.empty() && kEnds.find(line.back()) != std::string_view::npos) return line;
  return line.substr(0, line.find_last_of(kBlanks) + 1);
}

std::string without_escapes(std::string_view line) {
  std::string clean;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == kEscape) {
      i = end_of_escape(line, i);
    } else {
      clean += line[i++];
    }
  }
  return clean;
}

}  // namespace pippin
