// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/document.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/characters.h"

namespace pippin {

namespace {

bool is_fence(std::string_view line) {
  const auto text = trim(line);
  return text.starts_with("```") || text.starts_with("~~~");
}

/// "```text": one that has a word opens. "```text```" is no fence at all.
bool opens_fence(std::string_view line) {
  const auto text = trim(line);
  const auto word = text.substr(std::min(text.find_first_not_of("`~"), text.size()));
  return is_fence(line) && !word.empty() && word.find('`') == std::string_view::npos;
}

/// "|---|:--:|", the rule under the head of a Markdown table.
bool is_table_rule(std::string_view line) {
  const auto text = trim(line);
  return text.starts_with("|") && text.find_first_not_of("|-: ") == std::string_view::npos &&
         std::count(text.begin(), text.end(), '-') >= 2 &&
         std::count(text.begin(), text.end(), '|') >= 2;
}

/// "### Response:", of the prompts that models are trained on. Source: Stanford Alpaca and what
/// follows it.
bool is_of_prompt(std::string_view line) {
  constexpr std::string_view kParts[] = {
      "### Instruction", "### Input", "### Response", "### Output",    "### Question",
      "### Answer",      "### Human", "### User",     "### Assistant", "### System"};
  return trim(line).ends_with(':') &&
         std::any_of(std::begin(kParts), std::end(kParts),
                     [&](const auto part) { return line.starts_with(part); });
}

/// How many marks a heading has, "## Speed" two; 0: it is none.
std::size_t heading_level(std::string_view line) {
  const auto mark = line.substr(0, line.find_first_not_of('#'));
  if (is_of_prompt(line)) return 0;
  const bool title = line.size() > mark.size() + 1 && line[mark.size()] == ' ' &&
                     std::isalpha(static_cast<unsigned char>(line[mark.size() + 1]));
  return title ? mark.size() : 0;
}

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The word that ends the here-document which `line` opens; empty where it opens none.
std::string_view here_document_end(std::string_view line) {
  const auto mark = line.find("<<");
  if (mark == std::string_view::npos || line.substr(mark).starts_with("<<<")) return {};
  auto word = line.substr(mark + 2);
  if (word.starts_with('-')) word.remove_prefix(1);
  word.remove_prefix(std::min(word.find_first_not_of(" '\"\\"), word.size()));
  const auto end = std::find_if_not(word.begin(), word.end(), is_word_part);
  return word.substr(0, static_cast<std::size_t>(end - word.begin()));
}

}  // namespace

bool is_directive(std::string_view line) {
  return line.starts_with("#SBATCH ") || line.starts_with("#PBS ") || line.starts_with("#BSUB ");
}

std::vector<std::string_view> DocumentWatch::texts() {
  return {"#SBATCH ", "#PBS ", "#BSUB ", "\n## ", "\n###", "\n```", " ```", "\t```", "\n~~~",
          " ~~~", "\t~~~",
          // how a table's rule begins
          "|---", "|--|", "|--:", "|-- ", "|-|-", "|-:|", "|:--", "|:-:", "|:-|", "| --", "| :-",
          "| - |", "| -:", "|  -", "|- |", "|:- |"};
}

bool DocumentWatch::is_marked(std::string_view line) {
  line = left_trim(line);
  const char mark = line.empty() ? ' ' : line.front();
  return mark == '#' || mark == '`' || mark == '~' || mark == '|';
}

void DocumentWatch::see(std::string_view line, std::size_t steps, bool after_blank) {
  const auto words = left_trim(line);
  see_below_fence(words.empty(), steps);
  if (words.empty()) return;
  see_mark(words.front(), line, steps, after_blank);
  first_ = false;
}

void DocumentWatch::see_mark(char mark, std::string_view line, std::size_t steps,
                             bool after_blank) {
  const bool in_log = steps > 0;
  if (mark == '#') {
    signs_.script = signs_.script || is_directive(line) || (first_ && line.starts_with("#!"));
    signs_.note = signs_.note || (!in_log && heading_level(line) >= 2);
    signs_.titled = signs_.titled || (first_ && heading_level(line) == 1);
  } else if (mark == '`' || mark == '~') {
    if (is_fence(line)) see_fence(line, steps);
    if (is_fence(line) && in_log) see_fence_in_log(line, steps, after_blank);
  } else if (mark == '|') {
    signs_.note = signs_.note || (!in_log && is_table_rule(line));
  }
}

void DocumentWatch::see_fence(std::string_view line, std::size_t steps) {
  const bool is_open = fences_ % 2 == 1, in_log = steps > 0;
  if (fences_ == 1 && !signs_.torn && opens_fence(line)) {
    signs_.torn = true;  // the one before has closed what stands above it
    return;
  }
  if (!is_open && signs_.torn && in_log && !steps_at_more_) steps_at_more_ = steps;
  fences_ += !in_log || is_open ? 1 : 0;
}

/// A fence without a word closes one that is open. Else it opens one, unless an empty line below it
/// says that it closes what stands above.
void DocumentWatch::see_fence_in_log(std::string_view line, std::size_t steps, bool after_blank) {
  const bool has_word = opens_fence(line);
  if (in_fence_ && !has_word) {
    in_fence_ = false;
    return;
  }
  in_fence_ = true;
  fence_ = {has_word || after_blank, steps, false};
}

void DocumentWatch::see_below_fence(bool is_blank, std::size_t steps) {
  if (!fence_) return;
  if (!fence_->has_line) {
    fence_->has_line = true;
    if (is_blank && !fence_->opens) in_fence_ = false;
    if (is_blank) fence_.reset();
    return;
  }
  more_logs_ += fence_->opens && steps > fence_->steps ? 1 : 0;
  fence_.reset();
}

DocumentSigns DocumentWatch::signs(std::size_t steps) const {
  DocumentSigns signs = signs_;
  // A single fence is generated text or a torn file, not a quotation.
  signs.fenced = fences_ >= 2 && fences_ % 2 == 0 && !signs.torn;
  const bool quotes_last = fence_ && fence_->has_line && fence_->opens && steps > fence_->steps;
  const bool quotes_several = steps_at_more_ && steps > *steps_at_more_;
  signs.more_logs = more_logs_ + (quotes_last ? 1 : 0);
  signs.note = signs.note || signs.fenced || quotes_several;
  return signs;
}

void Quotation::see(std::string_view line) {
  constexpr std::size_t kLongestWord = 40;
  const auto word = trim(line.substr(0, kLongestWord));
  if (std::all_of(word.begin(), word.end(), is_word_part)) words_.emplace(word);
}

bool Quotation::covers(std::string_view line) {
  if (signs_.fenced && is_fence(line)) {
    in_fence_ = !in_fence_;
    return true;
  }
  if (in_fence_) return true;
  if (!signs_.script) return false;
  if (!here_document_end_.empty()) {
    if (trim(line) == here_document_end_) here_document_end_.clear();
    return true;
  }
  // "1 << 20" opens none: nothing ends it.
  const auto end = here_document_end(line);
  if (!end.empty() && words_.contains(end)) here_document_end_ = end;
  return false;
}

/// A shift has a number or a name of small letters behind it: "1 << 20".
bool Quotation::misses_end(std::string_view line) const {
  const auto end = here_document_end(line);
  return !end.empty() && std::isalpha(static_cast<unsigned char>(end.front())) &&
         !words_.contains(end);
}

}  // namespace pippin
