// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/wrapped_lines.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/scrape/characters.h"

namespace pippin {

namespace {

constexpr std::size_t kNarrowest = 40, kWidest = 300;  // of terminals

bool begins_character(char c) { return (static_cast<std::uint8_t>(c) & 0xc0U) != 0x80U; }

/// Characters, not bytes.
std::size_t width_of(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins_character));
}

/// Gives the lines of a text that comes in parts, without their ends; the last one may have none.
class Lines {
 public:
  template <typename Take>
  void add(std::string_view part, Take take) {
    for (auto end = part.find('\n'); end != std::string_view::npos; end = part.find('\n')) {
      begun_ += part.substr(0, end);
      give(take);
      part.remove_prefix(end + 1);
    }
    // A line that is too long for a terminal need not be kept: it shows that there was none.
    constexpr std::size_t kMostBytes = 4 * kWidest + 8;
    begun_ += part.substr(0, kMostBytes - std::min(begun_.size(), kMostBytes));
  }

  /// Whether a line's end is yet to come.
  bool is_open() const { return !begun_.empty(); }

  template <typename Take>
  void finish(Take take) {
    if (is_open()) give(take);
  }

 private:
  template <typename Take>
  void give(Take take) {
    if (begun_.ends_with('\r')) begun_.pop_back();
    take(std::string_view(begun_));
    begun_.clear();
  }

  std::string begun_;
};

}  // namespace

namespace {

/// "[dddd-": what a line begins with, whatever the numbers are. Empty: with nothing of its own.
std::string shape_of(std::string_view line) {
  constexpr std::size_t kLooked = 6;
  std::string shape(line.substr(0, kLooked));
  for (char& c : shape) c = is_digit(c) ? 'd' : c;
  const bool has_own = std::any_of(shape.begin(), shape.end(),
                                   [](char c) { return c != ' ' && c != 'd' && c != '.'; });
  return has_own ? shape : "";
}

/// Looks at the lines of a text for its longest, and for how lines begin.
class WidthFinder {
 public:
  void see(std::string_view line) {
    const std::size_t width = width_of(line);
    if (width > longest_) {
      longest_ = width;
      count_ = 0;
    }
    if (width == longest_) ++count_;
    constexpr std::size_t kMostShapes = 10000;
    if (auto shape = shape_of(line); behind_.size() < kMostShapes) {
      Behind& behind = behind_.try_emplace(std::move(shape), Behind{before_, {}}).first->second;
      behind.shortest = std::min(behind.shortest, before_);
      ++behind.lines[before_];
    }
    before_ = width;
  }

  bool may_be_wrapped() const { return longest_ <= kWidest; }

  std::optional<Wrapping> wrapping() const {
    constexpr std::size_t kFewest = 2;
    if (longest_ < kNarrowest || !may_be_wrapped() || count_ < kFewest) return std::nullopt;
    if (behind_longest().own == 0) return std::nullopt;
    Wrapping wrapping{longest_, {}};
    for (const auto& [shape, behind] : behind_) {
      if (!shape.empty() && behind.shortest + 1 < longest_) wrapping.starts.insert(shape);
    }
    return wrapping;
  }

  /// Whether most lines behind the longest begin as no others do.
  bool looks_wrapped() const {
    const auto [own, others] = behind_longest();
    return wrapping() && own > others;
  }

 private:
  struct Counts {
    std::size_t own = 0, others = 0;
  };
  /// Of lines behind the longest: which begin as no others do.
  Counts behind_longest() const {
    Counts counts;
    for (const auto& [shape, behind] : behind_) {
      const auto found = behind.lines.find(longest_);
      if (found == behind.lines.end()) continue;
      (behind.shortest == longest_ ? counts.own : counts.others) += found->second;
    }
    return counts;
  }

  std::size_t longest_ = 0, count_ = 0, before_ = 0;
  /// What stands before lines that begin alike.
  struct Behind {
    std::size_t shortest = 0;
    std::map<std::size_t, std::size_t> lines;  ///< by width
  };
  std::map<std::string, Behind> behind_;
};

}  // namespace

std::optional<Wrapping> wrapping_of(const ReadParts& read) {
  WidthFinder finder;
  const auto see = [&](std::string_view line) { finder.see(line); };
  Lines lines;
  read([&](std::string_view part) {
    if (finder.may_be_wrapped()) lines.add(part, see);
  });
  lines.finish(see);
  return finder.wrapping();
}

namespace {

/// Whether no line is longer than a terminal's, and several are as long as the longest; in bytes.
bool may_be_terminals(std::string_view text) {
  std::size_t longest = 0, count = 0;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (end > kWidest) return false;
    if (end > longest) count = 0;
    longest = std::max(longest, end);
    if (end == longest) ++count;
    text.remove_prefix(end + 1);
  }
  return longest >= kNarrowest && count > 1;
}

}  // namespace

bool looks_wrapped(std::string_view beginning) {
  if (!may_be_terminals(beginning)) return false;
  WidthFinder finder;
  Lines lines;
  lines.add(beginning, [&](std::string_view line) { finder.see(line); });
  return finder.looks_wrapped();
}

ReadParts unwrapped(const ReadParts& read, const Wrapping& wrapping) {
  return [read, wrapping](const std::function<void(std::string_view part)>& take) {
    std::string joined;
    std::string_view glue = "\n";  // what stands before the next line, where that goes on
    bool is_first = true;
    const auto add = [&](std::string_view line) {
      const bool begins = glue == "\n" || wrapping.starts.contains(shape_of(line));
      if (!is_first) joined += begins ? "\n" : glue;
      if (begins) {
        take(joined);
        joined.clear();
      }
      joined += line;
      is_first = false;
      const std::size_t width = width_of(line);
      glue = "\n";
      if (width == wrapping.width) glue = "";
      if (width + 1 == wrapping.width) glue = " ";
    };
    Lines lines;
    read([&](std::string_view part) { lines.add(part, add); });
    const bool is_open = lines.is_open();
    lines.finish(add);
    if (!is_open) joined += '\n';
    take(joined);
  };
}

}  // namespace pippin
