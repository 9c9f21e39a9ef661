// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/quoted_lines.h"

#include <string>

namespace pippin {

namespace {

/// Takes the marks off the lines of a text as it comes.
class MarkRemover {
 public:
  std::string take_off(std::string_view part) {
    std::string text;
    text.reserve(part.size());
    for (const char c : part) {
      const bool is_mark = at_start_ && c == kQuoteMark, is_its_blank = behind_mark_ && c == ' ';
      marks_ += is_mark ? 1 : 0;
      if (at_start_ && !is_mark && c != '\n' && c != '\r') are_all_marked_ = false;
      at_start_ = c == '\n';
      behind_mark_ = is_mark;
      if (!is_mark && !is_its_blank) text += c;
    }
    return text;
  }
  /// A single line says nothing of all.
  bool are_all_marked() const { return are_all_marked_ && marks_ > 1; }

 private:
  bool at_start_ = true, behind_mark_ = false, are_all_marked_ = true;
  std::size_t marks_ = 0;
};

}  // namespace

ReadParts without_marks(const ReadParts& read, bool* are_all_marked) {
  return [read, are_all_marked](const auto& take) {
    MarkRemover remover;
    read([&](std::string_view part) { take(remover.take_off(part)); });
    if (are_all_marked) *are_all_marked = remover.are_all_marked();
  };
}

}  // namespace pippin
