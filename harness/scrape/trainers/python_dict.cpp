#include "harness/scrape/trainers/python_dict.h"

namespace pippin {

std::vector<std::pair<std::string_view, std::string_view>> entries_in(std::string_view text) {
  constexpr std::string_view kColon = "': ", kBetween = ", ";
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  while (text.starts_with('\'')) {
    const auto colon = text.find(kColon);
    if (colon == std::string_view::npos) break;
    const auto name = text.substr(1, colon - 1);
    text.remove_prefix(colon + kColon.size());
    const bool is_quoted = text.starts_with('\'');
    text.remove_prefix(is_quoted ? 1 : 0);
    const auto value = text.substr(0, text.find_first_of(is_quoted ? "'" : ",}"));
    if (value.size() == text.size()) break;
    entries.emplace_back(name, value);
    text.remove_prefix(value.size() + (is_quoted ? 1 : 0));
    text.remove_prefix(text.starts_with(kBetween) ? kBetween.size() : 0);
  }
  return entries;
}

}  // namespace pippin
