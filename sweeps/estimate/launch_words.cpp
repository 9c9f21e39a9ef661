// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/launch_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/megatron_given.h"
#include "sweeps/estimate/unknown_arguments.h"

namespace pippin {

namespace {

/// "'8'" without its quotes.
std::string_view unquoted(std::string_view word) {
  const bool has_quotes = word.size() > 1 && word.front() == word.back() &&
                          (word.front() == '"' || word.front() == '\'');
  return has_quotes ? word.substr(1, word.size() - 2) : word;
}

/// "&", "|", "2>&1", ">log".
bool ends_command(std::string_view word) {
  constexpr std::array<std::string_view, 5> kEnds{"&", "&&", "|", "||", ";"};
  for (const std::string_view end : kEnds)
    if (word == end) return true;
  const std::string_view rest = word.substr(std::min(word.find_first_not_of("012&"), word.size()));
  return rest.starts_with('>');
}

bool is_option(std::string_view word) { return word.size() > 2 && word.starts_with("--"); }

/// "-m", and not "-1".
bool is_short_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1]));
}

class Reader {
 public:
  /// False where the command ends.
  bool take(std::string_view word) {
    if (ends_command(word)) return false;
    if (word.ends_with(".py"))
      take_program(word.substr(word.rfind('/') + 1));
    else if (is_option(word))
      take_option(word);
    else if (is_short_option(word))
      is_foreign_ = true;
    else if (word.starts_with('$'))
      take_variable(word);
    else if (!is_foreign_ && !all_.empty())
      take_value(word);
    return true;
  }
  NamedValues all() && { return std::move(all_); }

 private:
  /// What stands before the first one is its launcher's, of which torchrun's counts are known.
  void take_program(std::string_view program) {
    const auto is_launchers = [](const auto& one) {
      return !is_estimated_by(one.first) || one.first == "nproc_per_node" || one.first == "nnodes";
    };
    if (!has_program_ && std::all_of(all_.begin(), all_.end(), is_launchers))
      std::erase_if(all_, [](const auto& one) { return !is_estimated_by(one.first); });
    has_program_ = true;
    if (is_other_model(program)) all_.emplace_back(program, value_of("True"));
  }

  void take_option(std::string_view word) {
    const auto equals = word.find('=');
    is_foreign_ = false;
    all_.emplace_back(names_.take(word.substr(2, equals - 2)),
                      value_of(equals == std::string_view::npos
                                   ? "True"
                                   : std::string(unquoted(word.substr(equals + 1)))));
  }

  /// The value of an option that says nothing, "--save $RUN", says nothing either.
  void take_variable(std::string_view word) {
    const bool is_value = !is_foreign_ && !all_.empty() && all_.back().second.text == "True";
    const Value some = value_of("x");
    if (!is_value || is_estimated_by(current_name(all_.back().first)) ||
        is_unknown_to_memory(all_.back().first, some) ||
        is_unknown_to_time(all_.back().first, some))
      bad_input("estimate: '{}' is a variable: let the shell put its value there", word);
    take_value(word);
  }

  /// Behind the name of an argument, or one more.
  void take_value(std::string_view word) {
    Value& value = all_.back().second;
    value =
        value_of(value.text == "True" ? std::string(word) : value.text + ' ' + std::string(word));
  }

  NamedValues all_;
  TypedNames names_;
  bool has_program_ = false;
  bool is_foreign_ = false;  ///< behind an option of another program
};

}  // namespace

NamedValues arguments_of_words(const std::vector<std::string>& words) {
  Reader reader;
  for (const std::string& one : words) {
    for (const std::string_view part : split(one, ' ')) {
      const std::string_view word = unquoted(trim(part));
      if (!word.empty() && word != "\\" && !reader.take(word)) return std::move(reader).all();
    }
  }
  return std::move(reader).all();
}

}  // namespace pippin
