// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/sweep_names.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::size_t kLongestPart = 40;   // of a name; later words are left out
constexpr std::size_t kLongestLabel = 48;  // a longer line before a colon is a sentence

/// "max-model-size" of "Max model size"; "" where there is no letter or digit.
std::string slug(std::string_view text) {
  std::string result;
  for (const char c : lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  if (result.size() > kLongestPart) {
    const auto end = result.rfind('-', kLongestPart);
    result.resize(end == std::string::npos ? kLongestPart : end);
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

bool is_item(std::string_view line) { return line.substr(0, 2) == "- "; }

/// What stands before the first colon of "16GB nodes:" or "Experiment 2: HD=8192".
std::optional<std::string> label_in(std::string_view line) {
  const auto colon = line.find(':');
  if (colon > kLongestLabel) return std::nullopt;  // also where there is none
  const bool ends = colon + 1 == line.size() || line[colon + 1] == ' ';
  return ends ? std::optional(std::string(line.substr(0, colon))) : std::nullopt;
}

/// The label of the lines right above a table: the last of their block; of a list, what introduces
/// it.
std::string label_of(std::vector<std::string> above) {
  const auto drop_blanks = [&] {
    while (!above.empty() && above.back().empty()) above.pop_back();
  };
  drop_blanks();
  const bool list = !above.empty() && is_item(above.back());
  for (; !above.empty() && !above.back().empty(); above.pop_back()) {
    if (is_item(above.back())) continue;
    if (const auto label = label_in(above.back())) return *label;
  }
  drop_blanks();
  const bool introduces = list && !above.empty() && above.back().back() == ':';
  return introduces ? label_in(above.back()).value_or("") : "";
}

/// One more part of a name, unless it has no words; one that begins with the name takes its place.
void append(std::string& name, std::string_view text) {
  const std::string part = slug(text);
  if (part.empty() || part == name) return;
  name = part.substr(0, name.size() + 1) == name + "-" ? part : name + "-" + part;
}

std::string name_of(const MarkdownTable& table, std::string_view file) {
  std::string name = slug(file.substr(0, file.rfind('.')));
  if (name.empty()) name = "notes";
  if (!table.headings.empty()) append(name, table.headings.back());
  for (const auto& caption : table.captions) append(name, caption);
  append(name, label_of(table.above));
  return name;
}

}  // namespace

std::vector<std::string> sweep_names(const std::vector<const MarkdownTable*>& tables,
                                     std::string_view file) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  std::map<std::string, int> last_number;  // smaller ones are taken
  for (const MarkdownTable* table : tables) {
    const std::string wanted = name_of(*table, file);
    int& number = last_number.try_emplace(wanted, 1).first->second;
    std::string name = wanted;
    while (!taken.insert(name).second) name = fmt::format("{}-{}", wanted, ++number);
    names.push_back(name);
  }
  return names;
}

}  // namespace pippin
