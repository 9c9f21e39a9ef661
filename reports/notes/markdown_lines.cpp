// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/markdown_lines.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/base/text.h"

namespace pippin {

namespace {

using Kind = MarkdownLine::Kind;

constexpr std::size_t kCodeIndent = 4;  // columns; a tab goes to the next multiple of it
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// A place in a line: the byte, and the column it stands in.
struct Place {
  std::size_t byte = 0, column = 0;
};

Place after_blanks(std::string_view text, Place at) {
  for (; at.byte < text.size() && (text[at.byte] == ' ' || text[at.byte] == '\t'); ++at.byte) {
    at.column += text[at.byte] == '\t' ? kCodeIndent - at.column % kCodeIndent : 1;
  }
  return at;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// How often the first character stands at the beginning.
std::size_t run_length(std::string_view text) {
  return text.empty() ? 0 : std::min(text.find_first_not_of(text[0]), text.size());
}

std::size_t heading_level(std::string_view text) {
  if (text.empty() || text[0] != '#') return 0;
  const std::size_t level = run_length(text);
  return level <= 6 && (level == text.size() || is_blank(text[level])) ? level : 0;
}

/// The length of the fence that `text` opens with; 0: none.
std::size_t fence_length(std::string_view text) {
  constexpr std::size_t kShortest = 3;
  if (text.empty() || (text[0] != '`' && text[0] != '~')) return 0;
  const std::size_t length = run_length(text);
  const bool inline_code = text[0] == '`' && text.find('`', length) != std::string_view::npos;
  return length < kShortest || inline_code ? 0 : length;
}

/// "===" or "---" under a paragraph.
bool is_underline(std::string_view text) {
  return (text[0] == '=' || text[0] == '-') && run_length(text) == text.size();
}

/// "---", "* * *".
bool is_rule(std::string_view text) {
  constexpr std::ptrdiff_t kFewest = 3;
  if (std::string_view("-*_").find(text[0]) == std::string_view::npos) return false;
  const auto is_mark = [&](char c) { return c == text[0]; };
  return std::all_of(text.begin(), text.end(), [&](char c) { return is_mark(c) || is_blank(c); }) &&
         std::count_if(text.begin(), text.end(), is_mark) >= kFewest;
}

/// Length of "-" or "12." at the beginning; 0: no list marker.
std::size_t marker_length(std::string_view text) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t length = 0;
  if (std::string_view("-+*").find(text[0]) != std::string_view::npos) {
    length = 1;
  } else {
    while (length < text.size() && std::isdigit(static_cast<unsigned char>(text[length]))) ++length;
    const bool ends = length < text.size() && (text[length] == '.' || text[length] == ')');
    if (length == 0 || length > kMostDigits || !ends) return 0;
    ++length;
  }
  return length == text.size() || is_blank(text[length]) ? length : 0;
}

/// Reads line after line, and knows what is open.
class LineReader {
 public:
  /// `text` is the line without its end, of which `from` is the place in the document.
  MarkdownLine read(std::string_view text, std::size_t from) {
    MarkdownLine line;
    line.from = from;
    Place at = after_quotes(text, line);
    at = after_blanks(text, at);
    const std::string_view content = trim(text.substr(at.byte));
    line.kind = content.empty() ? Kind::kBlank : Kind::kText;
    if (in_comment_) {
      line.kind = Kind::kComment;
      in_comment_ = text.find("-->") == std::string_view::npos;
    } else if (in_fence(line, at, content)) {
      line.kind = Kind::kCode;
    } else if (!content.empty()) {
      at = read_content(text, at, line);
    }
    const std::string_view rest = trim(text.substr(at.byte));
    line.begin =
        from + (rest.empty() ? at.byte : static_cast<std::size_t>(rest.data() - text.data()));
    line.end = line.begin + rest.size();
    in_paragraph_ = line.kind == Kind::kText || line.kind == Kind::kListItem;
    return line;
  }

 private:
  struct Fence {
    char mark;
    std::size_t length, quotes, indent;
  };

  /// Counts the quote marks; in a fence no more than it lies in, as the rest is code.
  Place after_quotes(std::string_view text, MarkdownLine& line) const {
    Place at;
    const std::size_t most = fence_ ? fence_->quotes : text.size();
    while (line.quotes < most) {
      Place mark = after_blanks(text, at);
      if (mark.column - at.column >= kCodeIndent || mark.byte >= text.size()) break;
      if (text[mark.byte] != '>') break;
      at = {mark.byte + 1, mark.column + 1};
      if (at.byte < text.size() && text[at.byte] == ' ') at = {at.byte + 1, at.column + 1};
      ++line.quotes;
    }
    at.column = 0;
    return at;
  }

  /// Whether the line is a fenced block's; closes the block that it ends.
  bool in_fence(const MarkdownLine& line, Place at, std::string_view content) {
    if (!fence_) return false;
    const bool left =
        line.quotes < fence_->quotes || (!content.empty() && at.column < fence_->indent);
    const bool closing =
        !content.empty() && content[0] == fence_->mark && run_length(content) == content.size() &&
        content.size() >= fence_->length && at.column < fence_->indent + kCodeIndent;
    if (left || closing) fence_.reset();
    return !left;
  }

  /// What the line is where it has content and is not inside a block. Returns where that begins.
  Place read_content(std::string_view text, Place at, MarkdownLine& line) {
    if (line.quotes != quotes_) items_.clear();
    quotes_ = line.quotes;
    while (!items_.empty() && at.column < items_.back()) items_.pop_back();
    for (;;) {
      const std::string_view content = trim(text.substr(at.byte));
      line.indent = items_.empty() ? 0 : items_.back();
      if (content.empty()) return at;
      if (at.column - line.indent >= kCodeIndent) {
        line.kind = Kind::kCode;
        return at;
      }
      if (is_block(content, line)) return at;
      const std::size_t marker = marker_length(content);
      if (marker == 0) return at;
      line.kind = Kind::kListItem;
      at = after_marker(text, {at.byte + marker, at.column + marker});
    }
  }

  /// Notes the list item that begins. Five blanks and more are one, and then indented code.
  Place after_marker(std::string_view text, Place marker_end) {
    Place at = after_blanks(text, marker_end);
    const bool is_code = at.column - marker_end.column > kCodeIndent || at.byte >= text.size();
    items_.push_back(is_code ? marker_end.column + 1 : at.column);
    return at;
  }

  /// Whether `content` is something else than text; opens what it opens.
  bool is_block(std::string_view content, MarkdownLine& line) {
    if (const std::size_t level = heading_level(content)) {
      line.kind = Kind::kHeading;
      line.level = level;
    } else if (const std::size_t length = fence_length(content)) {
      line.kind = Kind::kCode;
      fence_ = Fence{content[0], length, line.quotes, line.indent};
    } else if (content.substr(0, 4) == "<!--") {
      line.kind = Kind::kComment;
      in_comment_ = content.find("-->", 4) == std::string_view::npos;
    } else if (in_paragraph_ && line.kind == Kind::kText && is_underline(content)) {
      line.kind = Kind::kUnderline;
      line.level = content[0] == '=' ? 1 : 2;
    } else if (is_rule(content)) {
      line.kind = Kind::kRule;
    } else {
      return false;
    }
    return true;
  }

  std::optional<Fence> fence_;
  bool in_comment_ = false, in_paragraph_ = false;
  std::size_t quotes_ = 0;
  std::vector<std::size_t> items_;  // columns at which the content of the open list items begins
};

}  // namespace

std::vector<MarkdownLine> markdown_lines(std::string_view document) {
  std::vector<MarkdownLine> lines;
  LineReader reader;
  std::size_t from =
      document.substr(0, kByteOrderMark.size()) == kByteOrderMark ? kByteOrderMark.size() : 0;
  while (from < document.size()) {
    const std::size_t newline = std::min(document.find('\n', from), document.size());
    std::string_view text = document.substr(from, newline - from);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    lines.push_back(reader.read(text, from));
    from = newline + 1;
  }
  return lines;
}

}  // namespace pippin
