// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "harness/commands/commands.h"

namespace pippin {

namespace {

const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_name(name)) return option;
  }
  return nullptr;
}

/// How many words an option takes each time; 0 for a flag.
std::size_t words_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return 0;
  return static_cast<std::size_t>(std::max(1, option.get_type_size()));
}

/// A positional is typed by its own name where it says no type.
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return option.get_positional() && type == "TEXT" ? option.get_name() : type;
}

/// Reads the words of a command line one by one.
class Reader {
 public:
  explicit Reader(const CLI::App& app) : app_(app) {}

  void read(const std::string& word) {
    if (behind_dashes_) return;
    if (option_ && part_ < words_of(*option_)) return take_value(word);
    if (word == "--") {
      behind_dashes_ = true;
    } else if (word.starts_with('-') && word.size() > 1) {
      take_option(word);
    } else if (!command_) {
      command_ = find_command(word);
    } else {
      if (positionals_++ == 0) value_.sweep_file = word;
    }
  }

  std::vector<Candidate> complete(const std::string& word) {
    if (behind_dashes_) return {};
    if (option_ && part_ < words_of(*option_)) return values(*option_, word);
    if (word.starts_with('-'))
      return word.find('=') == std::string::npos ? options() : joined(word);
    return command_ ? positional(word) : commands();
  }

 private:
  void take_value(const std::string& word) {
    if (option_->check_name("--db")) value_.database = word;
    ++part_;
  }

  void take_option(const std::string& word) {
    const auto equals = word.find('=');
    option_ = option_named(word.substr(0, equals));
    part_ = 0;
    if (option_ && equals != std::string::npos) take_value(word.substr(equals + 1));
  }

  const CLI::Option* option_named(const std::string& name) const {
    const CLI::Option* option = command_ ? find_option(*command_, name) : nullptr;
    return option ? option : find_option(app_, name);
  }

  const CLI::App* find_command(const std::string& name) const {
    for (const CLI::App* command : app_.get_subcommands(nullptr)) {
      if (command->check_name(name)) return command;
    }
    return nullptr;
  }

  std::vector<Candidate> commands() const {
    std::vector<Candidate> all;
    for (const CLI::App* command : app_.get_subcommands(nullptr))
      all.push_back({command->get_name(), command->get_description()});
    return all;
  }

  std::vector<Candidate> options() const {
    std::vector<Candidate> all;
    for (const CLI::App* app : {command_, &app_}) {
      if (!app) continue;
      for (const CLI::Option* option : app->get_options()) {
        if (option->get_group().empty()) continue;
        for (const auto& name : option->get_snames())
          all.push_back({"-" + name, option->get_description()});
        for (const auto& name : option->get_lnames())
          all.push_back({"--" + name, option->get_description()});
      }
    }
    return all;
  }

  /// --option=value, in one word.
  std::vector<Candidate> joined(const std::string& word) {
    const auto equals = word.find('=');
    const CLI::Option* option = option_named(word.substr(0, equals));
    if (!option || words_of(*option) == 0) return {};
    part_ = 0;
    auto all = values(*option, word.substr(equals + 1));
    for (auto& candidate : all) candidate.word = word.substr(0, equals + 1) + candidate.word;
    return all;
  }

  /// The positional that stands here; the last one may take any number of words.
  std::vector<Candidate> positional(const std::string& word) {
    const auto all =
        command_->get_options([](const CLI::Option* o) { return o->get_positional(); });
    if (all.empty()) return {};
    const std::size_t here = std::min(positionals_, all.size() - 1);
    if (positionals_ > here && all[here]->get_items_expected_max() == 1) return {};
    part_ = 0;
    return values(*all[here], word);
  }

  std::vector<Candidate> values(const CLI::Option& option, const std::string& word) {
    value_.command = command_ ? command_->get_name() : "";
    value_.type = type_of(option);
    value_.part = part_;
    value_.word = word;
    return candidates(value_);
  }

  const CLI::App& app_;
  const CLI::App* command_ = nullptr;
  const CLI::Option* option_ = nullptr;  ///< the last one
  std::size_t part_ = 0;                 ///< words that it has already
  std::size_t positionals_ = 0;
  bool behind_dashes_ = false;
  TypedValue value_{{}, {}, 0, {}, Globals().db, {}};
};

}  // namespace

std::vector<Candidate> completion(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  Reader reader(app);
  for (auto word = words.begin(); word + 1 != words.end(); ++word) reader.read(*word);
  std::vector<Candidate> all;
  std::set<std::string> seen;
  for (auto& candidate : reader.complete(words.back())) {
    const bool is_line = printable(candidate.word) == candidate.word;
    const bool fits = is_line && candidate.word.starts_with(words.back());
    if (fits && seen.insert(candidate.word).second) all.push_back(std::move(candidate));
  }
  return all;
}

}  // namespace pippin
