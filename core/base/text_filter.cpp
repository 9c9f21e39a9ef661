// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_filter.h"

#include <algorithm>
#include <cstring>

namespace pippin {

namespace {

constexpr char kNul = '\0';

bool has_nul(std::string_view text) { return text.find(kNul) != std::string_view::npos; }

/// Behind the last of a character; 0 where there is none.
std::size_t behind_last(std::string_view text, char c) {
  if (text.empty()) return 0;  // an empty text may have no bytes to point to
  const void* last = ::memrchr(text.data(), c, text.size());
  return last ? static_cast<std::size_t>(static_cast<const char*>(last) - text.data()) + 1 : 0;
}

/// Behind the last line's end.
std::size_t end_of_lines(std::string_view text) {
  const std::size_t feed = behind_last(text, '\n');
  return feed + behind_last(text.substr(feed), '\r');
}

/// Behind the first line's end; npos where it has none.
std::size_t end_of_line(std::string_view text) {
  const std::size_t end = text.find_first_of("\n\r");
  return end == std::string_view::npos ? end : end + 1;
}

void append_utf8(std::string& text, unsigned character) {
  constexpr unsigned kOne = 0x80, kTwo = 0x800, kThree = 0x10000, kBits = 6, kRest = 0x3f;
  const auto put = [&](unsigned byte) { text += static_cast<char>(byte); };
  const auto put_rest = [&](unsigned shift) { put(0x80U | ((character >> shift) & kRest)); };
  if (character < kOne) return put(character);
  if (character < kTwo) {
    put(0xc0U | (character >> kBits));
  } else if (character < kThree) {
    put(0xe0U | (character >> 2 * kBits));
    put_rest(kBits);
  } else {
    put(0xf0U | (character >> 3 * kBits));
    put_rest(2 * kBits);
    put_rest(kBits);
  }
  put_rest(0);
}

}  // namespace

bool WholeLines::hold(std::string_view part) {
  // So long a line is none to any reader; its end still ends it.
  constexpr std::size_t kMost = std::size_t{8} << 20U;
  held_ += part;
  if (held_.size() <= kMost) return true;
  const bool more = take_(held_);
  held_.clear();
  begun_ = true;
  return more;
}

bool WholeLines::add_without_nul(std::string_view part) {
  if (!held_.empty()) {
    const std::size_t end = end_of_line(part);
    if (end == std::string_view::npos) return hold(part);
    held_ += part.substr(0, end);
    if (!take_(held_)) return false;
    held_.clear();
    part.remove_prefix(end);
  }
  const std::size_t end = end_of_lines(part);
  if (end > 0 && !take_(part.substr(0, end))) return false;
  if (end > 0) begun_ = false;
  return hold(part.substr(end));
}

bool WholeLines::add(std::string_view part) {
  if (!leaving_out_ && !has_nul(part)) return add_without_nul(part);
  has_holes_ = true;
  while (!part.empty()) {
    const std::size_t end = std::min(end_of_line(part), part.size());
    const std::string_view line = part.substr(0, end);
    const bool ends = line.ends_with('\n') || line.ends_with('\r');
    leaving_out_ = leaving_out_ || has_nul(line);
    if (leaving_out_) held_.clear();
    if (!leaving_out_ && !add_without_nul(line)) return false;
    if (ends && leaving_out_ && begun_ && !take_(line.substr(line.size() - 1))) return false;
    if (ends) leaving_out_ = begun_ = false;
    part.remove_prefix(end);
  }
  return true;
}

bool WholeLines::finish() {
  const bool more = held_.empty() || take_(held_);
  held_.clear();
  return more;
}

void Utf16::add_unit(unsigned unit) {
  constexpr unsigned kReplacement = 0xfffd, kPairs = 0x10000, kTenBits = 10;
  const unsigned first = surrogate_;
  surrogate_ = 0;
  if (first != 0 && unit >= 0xdc00 && unit <= 0xdfff)
    return append_utf8(text_, kPairs + ((first & 0x3ffU) << kTenBits) + (unit & 0x3ffU));
  if (first != 0) append_utf8(text_, kReplacement);
  if (unit >= 0xd800 && unit <= 0xdbff) {
    surrogate_ = unit;
  } else {
    append_utf8(text_, unit >= 0xdc00 && unit <= 0xdfff ? kReplacement : unit);
  }
}

std::string_view Utf16::add(std::string_view part) {
  text_.clear();
  const auto unit_of = [&](char one, char two) {
    if (order_ == Order::kLittle) std::swap(one, two);
    return static_cast<unsigned>(static_cast<unsigned char>(one)) << 8U |
           static_cast<unsigned char>(two);
  };
  if (!half_.empty() && !part.empty()) {
    add_unit(unit_of(half_[0], part[0]));
    half_.clear();
    part.remove_prefix(1);
  }
  for (; part.size() >= 2; part.remove_prefix(2)) add_unit(unit_of(part[0], part[1]));
  half_ += part;
  return text_;
}

std::string_view Utf16::finish() {
  constexpr unsigned kReplacement = 0xfffd;
  text_.clear();
  if (surrogate_ != 0) append_utf8(text_, kReplacement);
  surrogate_ = 0;
  return text_;
}

namespace {

/// Of a character that is no NUL: whether logs do not have it. They have bells, tabs, line ends,
/// shifts and escapes.
bool is_of_binaries(char c) {
  constexpr unsigned kBell = 7, kShiftIn = 15, kEscape = 27, kSpace = ' ', kDelete = 127;
  const unsigned byte = static_cast<unsigned char>(c);
  return byte < kBell || (byte > kShiftIn && byte < kSpace && byte != kEscape) || byte == kDelete;
}

}  // namespace

void BinaryWatch::see(std::string_view part) {
  constexpr std::int64_t kMostNuls = std::int64_t{1} << 30;
  constexpr std::size_t kNumber = 8;
  while (!part.empty() && others_.size() < kBytes && !binary_) {
    const std::size_t text = std::min(part.find_first_not_of(kNul), part.size());
    const auto nuls = static_cast<std::int64_t>(text);
    binary_ = nuls > 0 && nuls_ == 0 && !others_.empty() && others_.size() < kNumber;
    nuls_ += nuls;
    part.remove_prefix(text);
    const auto others = part.substr(0, kBytes - others_.size());
    const auto seen = others.substr(0, others.find(kNul));
    others_ += seen;
    part.remove_prefix(seen.size());
    const bool has_controls =
        nuls_ > 0 && std::any_of(others_.begin(), others_.end(), is_of_binaries);
    binary_ = binary_ || has_controls || (others_.empty() && nuls_ > kMostNuls);
  }
}

}  // namespace pippin
