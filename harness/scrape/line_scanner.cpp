// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/line_scanner.h"

#include <algorithm>
#include <cstring>

#include "harness/scrape/lines.h"

namespace pippin {

namespace {

constexpr char kFeed = '\n', kReturn = '\r', kEscape = '\x1b';
constexpr std::size_t kLongestLine = std::size_t{4} << 20U;

/// Finds the first of a character at or behind a place that only moves on.
class NextOf {
 public:
  NextOf(std::string_view text, char c) : text_(text), c_(c), next_(text.find(c)) {}

  std::size_t from(std::size_t place) {
    if (next_ < place) next_ = text_.find(c_, place);
    return next_;
  }

 private:
  std::string_view text_;
  char c_;
  std::size_t next_;
};

/// Behind the last of a character; 0 where there is none.
std::size_t last_of(std::string_view text, char c) {
  if (text.empty()) return 0;  // an empty text may have no bytes to point to
  const void* last = ::memrchr(text.data(), c, text.size());
  if (last == nullptr) return 0;
  return static_cast<std::size_t>(static_cast<const char*>(last) - text.data()) + 1;
}

/// Behind the last line's end in `text`; 0 where there is none.
std::size_t end_of_lines(std::string_view text, bool has_returns = true) {
  const auto feed = last_of(text, kFeed);
  const auto back = has_returns ? last_of(text.substr(feed), kReturn) : 0;
  return back > 0 ? feed + back : feed;
}

}  // namespace

void LineScanner::add(std::string_view part) {
  const auto end = part.find_first_of("\n\r");
  const bool ends = end != std::string_view::npos;
  const auto rest = part.substr(0, ends ? end + 1 : end);
  // One byte more than is read of a line tells that it was longer.
  const std::size_t most = led_ + kLongestLine + 1;
  begun_ += rest.substr(0, most - std::min(begun_.size(), most));
  if (!ends) return;
  scan(begun_, led_);
  led_ = 1;
  part.remove_prefix(end);  // with a line's end a needle may begin
  const auto whole = end_of_lines(part);
  scan(part.substr(0, whole), led_);
  begun_ = part.substr(whole - led_, led_ + kLongestLine + 1);
}

void LineScanner::finish() {
  scan(begun_, led_);
  begun_.clear();
}

void LineScanner::finish_into(LineSink& sink) const {
  LineScanner rest(sink);
  rest.before_ = before_;
  rest.scan(begun_, led_);
}

char LineScanner::before(std::string_view lines, std::size_t place, std::size_t characters) const {
  if (place >= characters) return lines[place - characters];
  const std::size_t further = characters - place - 1;
  return further < before_.size() ? before_[further] : ' ';
}

bool LineScanner::is_behind_blank(std::string_view lines, std::size_t place) const {
  const std::size_t end = before(lines, place, 2) == kReturn ? 2 : 1;
  return before(lines, place, 1) == kFeed && before(lines, place, end + 1) == kFeed;
}

void LineScanner::scan(std::string_view lines, std::size_t begin) {
  const Needles* needles = &sink_.needles();
  Needles::Search search(*needles, lines);
  NextOf escapes(lines, kEscape), returns(lines, kReturn), feeds(lines, kFeed);
  const bool has_returns = returns.from(0) != std::string_view::npos;
  while (begin < lines.size()) {
    if (const auto length = sink_.take_alike(lines.substr(begin))) {
      begin += length;
      search.skip_to(&lines[begin - 1]);  // with a line's end a needle may begin
      continue;
    }
    // The first line of a log tells what it is.
    if (begin > 0 && !sink_.wants_next_line()) {
      std::size_t place = escapes.from(begin);
      if (search.any())
        place = std::min(place, static_cast<std::size_t>(search.next().at - lines.data()));
      if (place == std::string_view::npos) break;
      begin += end_of_lines(lines.substr(begin, place - begin), has_returns);
    }
    const auto end = std::min(feeds.from(begin), returns.from(begin));
    const bool terminated = end != std::string_view::npos;
    const auto raw = lines.substr(begin, terminated ? end - begin : end);
    const bool ends_return =
        raw.empty() && terminated && lines[end] == kFeed && before(lines, begin, 1) == kReturn;
    if (!ends_return) {  // "\r\n" is one end
      const bool after_feed = before(lines, begin, 1) == kFeed;
      pass_on({raw, raw, raw, after_feed, is_behind_blank(lines, begin), terminated, {}}, search);
    }
    begin = terminated ? end + 1 : lines.size();
    if (needles != &sink_.needles()) {
      needles = &sink_.needles();
      search = Needles::Search(*needles, lines.substr(begin - 1));  // a needle may begin there
    }
  }
  before_ = {before(lines, lines.size(), 2), before(lines, lines.size(), 3)};
}

void LineScanner::pass_on(FoundLine line, Needles::Search& search) {
  std::string_view& raw = line.raw;
  hits_.clear();
  for (; search.any() && search.next().at < raw.data() + raw.size(); search.take())
    hits_.push_back(search.next());
  if (raw.size() > kLongestLine) {
    raw = raw.substr(0, kLongestLine);
    line.labelled = raw;
    line.terminated = false;
    std::erase_if(hits_,
                  [&](const Needles::Hit& hit) { return hit.at >= raw.data() + raw.size(); });
  }
  if (raw.find(kEscape) != std::string_view::npos) {
    clean_ = without_escapes(raw);
    line.labelled = clean_;
    hits_.clear();
    for (Needles::Search again(sink_.needles(), clean_); again.any(); again.take())
      hits_.push_back(again.next());
  }
  line.text = without_labels(line.labelled);
  line.hits = hits_;
  sink_.take(line);
}

}  // namespace pippin
