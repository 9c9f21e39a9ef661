// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_command.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "harness/scrape/characters.h"

namespace pippin {

namespace {

std::string_view without_quotes(std::string_view word) {
  constexpr std::string_view kQuotes = "'\"";
  while (!word.empty() && kQuotes.find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  while (!word.empty() && kQuotes.find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return word;
}

/// A value behind the name of an argument, or one more.
void add_word(Value& value, std::string_view word) {
  const bool is_first = value.text == "True";
  value = value_of(is_first ? std::string(word) : value.text + ' ' + std::string(word));
}

}  // namespace

NamedValues arguments_of_command(std::string_view line) {
  NamedValues arguments;
  // Of a comment, of a script before its variables have values, and of a line that goes on below.
  if (trim(line).starts_with('#') || line.find_first_of("$`") != std::string_view::npos ||
      trim(line).ends_with('\\'))
    return {};
  bool is_script = false;
  for (const std::string_view part : split(line, ' ')) {
    const std::string_view word = without_quotes(trim(part));
    if (word.empty()) continue;
    is_script = is_script || word.ends_with(".py");
    if (!is_script || word.ends_with(".py")) continue;
    if (word.starts_with("--") && word.size() > 2 && is_letter(word[2])) {
      const auto equals = word.find('=');
      std::string name(word.substr(2, equals - 2));
      std::replace(name.begin(), name.end(), '-', '_');
      const bool has_value = equals != std::string_view::npos;
      arguments.emplace_back(name,
                             value_of(std::string(has_value ? word.substr(equals + 1) : "True")));
    } else if (!arguments.empty()) {
      add_word(arguments.back().second, word);
    }
  }
  const bool is_whole = find_value(arguments, "num_layers") && find_value(arguments, "hidden_size");
  return is_whole ? arguments : NamedValues();
}

}  // namespace pippin
