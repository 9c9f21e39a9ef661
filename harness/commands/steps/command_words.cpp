// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/command_words.h"

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "sweeps/estimate/megatron_given.h"

namespace pippin {

namespace {

constexpr std::string_view kLayers = "--num-layers", kBatch = "--micro-batch-size";
constexpr std::string_view kArguments[] = {"arg", "opt", "flag", "extra", "param"};

bool has_option(const ShellWords& words, std::string_view option) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return word.substr(0, word.find('=')) == option;
  });
}

/// What is handed to a shell, "srun bash -c TEXT"; null where nothing is.
const std::string* text_for_shell(const ShellWords& words) {
  const auto is_shell = [](std::string_view word) {
    const std::string_view name = word.substr(word.rfind('/') + 1);
    return name == "bash" || name == "sh";
  };
  auto at = std::find_if(words.begin(), words.end(), is_shell);
  while (at != words.end() && ++at != words.end() && at->starts_with('-'))
    if (!at->starts_with("--") && at->ends_with('c'))
      return std::next(at) == words.end() ? nullptr : &*std::next(at);
  return nullptr;
}

/// As shell_commands(), and those of shells that it starts in their place.
std::vector<ShellWords> all_commands(const std::string& text, const Environment& env,
                                     int most_shells = 3) {
  std::vector<ShellWords> all;
  for (ShellWords& words : shell_commands(text, env)) {
    const std::string* inner = most_shells > 0 ? text_for_shell(words) : nullptr;
    if (!inner) {
      all.push_back(std::move(words));
      continue;
    }
    auto commands = all_commands(*inner, env, most_shells - 1);
    all.insert(all.end(), std::make_move_iterator(commands.begin()),
               std::make_move_iterator(commands.end()));
  }
  return all;
}

/// Errors: Error (bad input) where nobody knows which one trains.
ShellWords trainer_in(std::vector<ShellWords> commands) {
  const auto keep = [&](std::string_view option) {
    std::erase_if(commands, [&](const ShellWords& one) { return !has_option(one, option); });
  };
  keep(kLayers);
  if (commands.empty()) bad_input("no program of its command is seen to have {}", kLayers);
  if (commands.size() > 1) keep(kBatch);
  if (commands.size() != 1) bad_input("several programs of its command have {}", kLayers);
  return commands.front();
}

std::string name_in(std::string_view option) {
  std::string name(option.substr(2));
  std::replace(name.begin(), name.end(), '-', '_');
  return std::string(current_name(name));
}

/// As a person calls what holds further arguments.
bool sounds_like_arguments(std::string_view variable) {
  const std::string name = lower(variable);
  return std::any_of(std::begin(kArguments), std::end(kArguments),
                     [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace

std::vector<std::string> megatron_words(const std::string& command, const Environment& env) {
  ShellWords words = trainer_in(all_commands(command, env));
  std::string option;  // that was read last
  bool has_value = false;
  for (std::string& word : words) {
    if (word.starts_with("--")) {
      const auto equals = word.find('=');
      option = name_in(std::string_view(word).substr(0, equals));
      has_value = equals != std::string::npos;
      if (has_value && has_unknown(word) && is_estimated_by(option))
        bad_input("what {} is, is not known", printable(word));
      continue;
    }
    if (!has_unknown(word)) {
      has_value = true;
      continue;
    }
    const bool counts = is_estimated_by(option);
    const bool takes_more = counts ? !has_value && !is_flag(option) : !option.empty();
    const bool is_bare = word.starts_with('$') || word.starts_with('`');
    if (is_bare && (sounds_like_arguments(word) || (!option.empty() && !takes_more)))
      bad_input("what {} holds is not known", printable(word));
    if (counts) bad_input("what {} {} is, is not known", typed_argument(option), printable(word));
    word.assign(1, '?');
    has_value = true;
  }
  return words;
}

}  // namespace pippin
