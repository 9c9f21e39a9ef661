#include "harness/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "harness/base/text.h"

namespace pippin {

namespace {

/// Every word that the command line knows, for "did you mean".
std::vector<std::string> words(CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(command->get_name());
    for (const CLI::Option* option : command->get_options()) words.push_back(option->get_name());
  }
  for (const CLI::Option* option : app.get_options()) words.push_back(option->get_name());
  return words;
}

/// One line: what is wrong and where help is.
std::string usage_error(CLI::App& app, const std::string& message, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto known = words(app);
    const bool named =
        message.find(word) != std::string::npos || message.find("subcommand") != std::string::npos;
    if (!named || std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string meant = did_you_mean(word, known);
    if (!meant.empty()) return fmt::format("unknown word '{}'{}", printable(word), meant);
  }
  return printable(message) + "; see pippin --help";
}

}  // namespace

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>(
          "pippin: sweeps parallel layouts of LLM training and says which differences are real",
          "pippin")) {
  app_->set_version_flag("--version", "pippin " PIPPIN_VERSION);
  app_->require_subcommand(1);
  app_->fallthrough();
  app_->add_option("--db", globals_.db, "database file")->capture_default_str()->type_name("FILE");
  app_->add_flag("--quiet", globals_.quiet, "no progress and no remarks on standard error");
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

ExitCode CommandLine::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& help) {
    return static_cast<ExitCode>(app_->exit(help));
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::kBadInput, usage_error(*app_, error.what(), argc, argv));
  }
  return work_();
}

}  // namespace pippin
