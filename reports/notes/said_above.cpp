// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/said_above.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "core/base/text.h"
#include "core/records/fields.h"
#include "reports/column_names.h"
#include "reports/notes/quantities.h"

namespace pippin {

namespace {

using Said = std::map<std::string, Count, std::less<>>;  ///< nothing: said in more than one way

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Words in lower case; "=", ":", "," and brackets stand alone, but for a comma between digits.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool open = false;
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_number = c == ',' && i > 0 && is_digit(i - 1) && is_digit(i + 1);
    if (c == ' ' || c == '\t' || c == '`') {
      open = false;
    } else if (!in_number && std::string_view("=:,;()[]").find(c) != std::string_view::npos) {
      words.emplace_back(1, c);
      open = false;
    } else {
      if (!open) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      open = true;
    }
  }
  for (auto& word : words) {
    while (word.size() > 1 && std::string_view(".*_!").find(word.back()) != std::string_view::npos)
      word.pop_back();
    while (word.size() > 1 && (word.front() == '*' || word.front() == '_')) word.erase(0, 1);
  }
  return words;
}

/// The count that a title means; empty where none.
std::string count_name(const std::string& title) {
  if (is_any(title, {"gpus per node", "gpus/node", "gpus_per_node", "gpu per node"}))
    return "gpus_per_node";
  const ColumnName* column = find_column_name(title);
  if (!column) return "";
  return column->name == "nodes" || find_count(Point(), column->name) ? column->name : "";
}

/// Looks for counts in one text.
class Reader {
 public:
  Reader(std::string_view text, Said& said) : words_(words_of(text)), said_(said) {}

  void read() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (number_at(i) || looks_like_number(word(i))) take(i);
    }
  }

 private:
  std::string_view word(std::size_t i) const {
    return i < words_.size() ? std::string_view(words_[i]) : std::string_view();
  }
  Count number_at(std::size_t i) const {
    const Count count = i < words_.size() ? count_in(words_[i]) : Count();
    return count && *count > 0 ? count : Count();
  }
  static bool looks_like_number(std::string_view word) {
    return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
  }

  /// The name of one to four words that end before `end`.
  std::string name_before(std::size_t end) const {
    constexpr std::size_t kMostWords = 4;
    for (std::size_t length = std::min(kMostWords, end); length > 0; --length) {
      std::string title = words_[end - length];
      for (std::size_t i = end - length + 1; i < end; ++i) title.append(" ").append(words_[i]);
      std::string name = count_name(title);
      if (!name.empty()) return name;
    }
    return "";
  }

  /// Whether a number is one of several: "2 or 4", "8 to 64", "4 x 8", "up to 64".
  bool is_one_of_several(std::size_t i) const {
    const auto links = [](std::string_view word) {
      return is_any(word, {"and", "or", "to", "vs", "x", "×", "*", "-", "–", "/", "+", ".."});
    };
    const bool after = links(word(i + 1)) && looks_like_number(word(i + 2));
    const bool listed = word(i + 1) == "," && looks_like_number(word(i + 2)) &&
                        count_name(std::string(word(i + 3))).empty();
    const bool before = i > 0 && (links(word(i - 1)) || is_any(word(i - 1), {"over", "under"}));
    return after || listed || before;
  }

  /// "seq = 2048", "seq length is 2048", "seq 2048": the name before a number.
  std::string said_before(std::size_t i) const {
    if (i == 0) return "";
    const bool linked = is_any(word(i - 1), {"=", ":", "is", "of"});
    const std::string name = name_before(linked ? i - 1 : i);
    const bool of_machine = is_any(name, {"gpus", "nodes", "gpus_per_node"});
    return linked || !of_machine ? name : "";  // "GPU 3" is one of them
  }

  /// "64 GPUs", "8 GPUs per node", "16 nodes".
  std::string said_behind(std::size_t i) const {
    const std::string_view noun = word(i + 1);
    if (noun == "gpus/node") return "gpus_per_node";
    if (noun == "nodes" || noun == "node") return word(i + 2) == ":" ? "" : "nodes";
    if (noun != "gpus" && noun != "gpu") return "";
    const bool each = word(i + 2) == "each" ||
                      (is_any(word(i + 2), {"per", "a"}) && word(i + 3) == "node") ||
                      word(i + 2) == "/node";
    return each ? "gpus_per_node" : "gpus";
  }

  void take(std::size_t i) {
    std::string name = said_before(i);
    if (name.empty()) name = said_behind(i);
    if (name.empty()) return;
    const Count count = is_one_of_several(i) ? Count() : number_at(i);
    const auto [known, is_new] = said_.try_emplace(name, count);
    if (!is_new && known->second != count) known->second.reset();
  }

  std::vector<std::string> words_;
  Said& said_;
};

/// The lines right above a table, up to a blank one.
std::vector<std::string> last_paragraph(const std::vector<std::string>& above) {
  std::vector<std::string> lines = above;
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  const auto blank = std::find(lines.rbegin(), lines.rend(), std::string());
  return {blank.base(), lines.end()};
}

Said said_in(const std::vector<std::string>& texts) {
  Said said;
  for (const auto& text : texts) Reader(text, said).read();
  return said;
}

}  // namespace

std::map<std::string, Count, std::less<>> said_above(const MarkdownTable& table) {
  Said said = said_in(last_paragraph(table.above));
  said.merge(said_in(table.captions));
  for (auto heading = table.headings.rbegin(); heading != table.headings.rend(); ++heading)
    said.merge(said_in({*heading}));
  for (auto at = said.begin(); at != said.end();) at = at->second ? std::next(at) : said.erase(at);
  return said;
}

}  // namespace pippin
