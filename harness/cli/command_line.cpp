// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "db/long_wait.h"
#include "harness/cli/completion.h"
#include "harness/commands/steps/output.h"
#include "reports/csv_text.h"

namespace pippin {

namespace {

using Words = std::vector<std::string>;

std::vector<std::string> commands(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// Every word that the command line knows, for "did you mean".
std::vector<std::string> words(CLI::App& app) {
  std::vector<std::string> words = commands(app);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : command->get_options()) words.push_back(option->get_name());
  }
  for (const CLI::Option* option : app.get_options()) words.push_back(option->get_name());
  return words;
}

/// One line: what is wrong and where help is.
std::string usage_error(CLI::App& app, const std::string& message, const Words& typed) {
  for (const std::string& word : typed) {
    const auto known = words(app);
    const bool named =
        message.find(word) != std::string::npos || message.find("subcommand") != std::string::npos;
    if (!named || std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string meant = did_you_mean(word, known);
    if (!meant.empty()) return fmt::format("unknown word '{}'{}", printable(word), meant);
  }
  const bool no_command = message.find("subcommand") != std::string::npos;
  if (no_command && !typed.empty() && !typed.front().starts_with('-')) {
    return fmt::format("unknown command '{}'; there is {}", printable(typed.front()),
                       join(commands(app), ", "));
  }
  return printable(message) + "; see pippin --help";
}

/// What SQLite would take for something else than a file of that name; empty: nothing.
std::string refused_database(const std::string& name) {
  if (name.empty()) return "names no file";
  const bool is_special = name == ":memory:" || name.starts_with("file:");
  return is_special ? fmt::format("{} is no name of a file; ./{} would be one", name, name) : "";
}

}  // namespace

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>(
          "pippin: sweeps parallel layouts of LLM training and says which differences are real",
          "pippin")) {
  app_->set_version_flag("--version", "pippin " PIPPIN_VERSION);
  app_->require_subcommand(1);
  app_->fallthrough();
  app_->add_option("--db", globals_.db, "database file")
      ->capture_default_str()
      ->type_name("FILE")
      ->check(refused_database);
  app_->add_flag("--quiet", globals_.quiet, "no progress and no remarks on standard error");
  app_->add_flag("--yes", globals_.yes, "answer every question with yes");
  app_->add_flag_callback("--safe-csv", write_formulas_as_text,
                          "write CSV for spreadsheets: no text in it is a formula");
  app_->footer(
      "Exit status: 0 done; 1 a run failed; 2 bad usage or input; 3 the machine or a service "
      "failed; 130 interrupted, the jobs go on.");
}

CommandLine::~CommandLine() = default;

CLI::App& CommandLine::add(const std::string& name, const std::string& help,
                           const std::string& example, Work work) {
  CLI::App* command = app_->add_subcommand(name, help);
  command->footer("Example: " + example);
  command->callback([this, work = std::move(work)] { work_ = work; });
  return *command;
}

void CommandLine::let_take_words(const CLI::App& command, TakeWords take) {
  take_words_[&command] = std::move(take);
}

void CommandLine::parse(Words words) {
  // CLI11 would give them to positionals, and take a word in brackets for a list.
  const auto names_taker = [&](const std::string& word) {
    return std::any_of(take_words_.begin(), take_words_.end(),
                       [&](const auto& taker) { return taker.first->get_name() == word; });
  };
  const auto dashes = std::find(words.begin(), words.end(), "--");
  Words behind;
  if (dashes != words.end() && std::any_of(words.begin(), dashes, names_taker)) {
    behind.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  std::reverse(words.begin(), words.end());
  app_->parse(std::move(words));
  const CLI::App* command = app_->get_subcommands().front();
  const auto taker = take_words_.find(command);
  if (taker != take_words_.end()) {
    taker->second(behind);
  } else if (!behind.empty()) {
    bad_input("{} takes no command behind '--'; see pippin --help", command->get_name());
  }
}

void check_range(CLI::Option& option, double low, double high) {
  const auto refusal = [low, high](const std::string& text) {
    const auto number = parse_number(text);
    const bool is_within = number && *number >= low && *number <= high;
    return is_within ? ""
                     : fmt::format("'{}' is no number from {:.10g} to {:.10g}", text, low, high);
  };
  option.check(refusal,
               fmt::format("{} in [{:.10g} - {:.10g}]", option.get_type_name(), low, high));
}

void check_positive(CLI::Option& option) {
  const auto refusal = [](const std::string& text) {
    const auto number = parse_number(text);
    const bool is_positive = number && std::isfinite(*number) && *number > 0;
    return is_positive ? "" : fmt::format("'{}' is no number above 0", text);
  };
  option.check(refusal);
}

void check_count(CLI::Option& option, std::int64_t least) {
  const auto refusal = [least](const std::string& text) {
    constexpr std::int64_t kMost = 1'000'000'000;
    const auto number = parse_integer(text);
    const bool is_count = number && *number >= least && *number <= kMost;
    return is_count ? "" : fmt::format("'{}' is no whole number from {} to {}", text, least, kMost);
  };
  option.check(refusal);
}

void CommandLine::complete(const Words& words) {
  // In the middle of a line that a person types: nothing to say is better than an error.
  try {
    std::string text;
    for (const auto& [word, what] : completion(*app_, words))
      text += fmt::format("{}{}{}\n", word, what.empty() ? "" : "\t", printable(what));
    write_output(text);
  } catch (const std::exception&) {
    return;
  }
}

ExitCode CommandLine::run(int argc, char** argv) {
  const Words words(argv + std::min(argc, 1), argv + argc);
  if (words.size() >= 2 && words[0] == "--complete" && words[1] == "--") {
    complete(Words(words.begin() + 2, words.end()));
    return ExitCode::kDone;
  }
  try {
    parse(words);
  } catch (const CLI::Success& help) {
    const auto code = static_cast<ExitCode>(app_->exit(help));
    end_output();
    return code;
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::kBadInput, usage_error(*app_, error.what(), words));
  }
  db::on_long_wait([this](const fs::path& file, std::chrono::seconds patience) {
    remark(globals_, fmt::format("{}: another process has locked it; waiting for that, up to {} s",
                                 printable(file.string()), patience.count()));
  });
  return work_();
}

}  // namespace pippin
