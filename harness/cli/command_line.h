// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "harness/commands/commands.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pippin {

/// The command line: its parser, filled with commands, and what the user asked for.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  using Work = std::function<ExitCode()>;
  /// Adds a command; `work` is what it does once its options are parsed.
  CLI::App& add(const std::string& name, const std::string& help, const std::string& example,
                Work work);
  /// Lets a command take the words behind `--`, none where there is no `--`: `take` is called with
  /// them once its options are parsed.
  using TakeWords = std::function<void(const std::vector<std::string>&)>;
  void let_take_words(const CLI::App& command, TakeWords take);
  const Globals& globals() const { return globals_; }

  /// Parses and does what was asked; prints help or a usage error instead where that was asked or
  /// is due. `--complete -- WORDS…` prints what can stand for the last word, one candidate a line,
  /// a tab and a few words on it behind: packaging/completions ask it.
  /// Errors: those of the commands.
  ExitCode run(int argc, char** argv);

 private:
  void complete(const std::vector<std::string>& words);
  void parse(std::vector<std::string> words);

  std::unique_ptr<CLI::App> app_;
  std::map<const CLI::App*, TakeWords> take_words_;
  Globals globals_;
  Work work_;
};

/// The options of what to sweep: SWEEP.yaml, or words that stand for one.
inline constexpr const char* kInsteadOfFile = "Instead of SWEEP.yaml";
void take_sweep(CommandLine& line, CLI::App& command, SweepSource& sweep);

/// Adds the options of a report that say what its table is: all but --update.
void add_table_options(CLI::App& command, ReportOptions& options);
/// The options that a document's marker says, in the words of the command line.
/// Errors: Error (bad input).
ReportOptions options_in_marker(const std::vector<std::string>& words);

/// --format and -o of what can be a page.
void add_page_format(CLI::App& command, std::string& format, fs::path& output);

/// Lets an option take numbers from `low` to `high` only; CLI11's versions word that differently.
void check_range(CLI::Option& option, double low, double high);
/// Adds --node-gb-per-s.
CLI::Option* add_network_option(CLI::App& command, std::optional<double>& node_gb_per_s);
/// Refuses what is no number above 0, and what is infinite.
void check_positive(CLI::Option& option);
/// Refuses what is no whole number from `least` to 1e9.
void check_count(CLI::Option& option, std::int64_t least = 0);

/// Each group of commands with its options.
void add_campaign_commands(CommandLine& line);
void add_database_commands(CommandLine& line);
void add_notes_commands(CommandLine& line);
void add_doctor_command(CommandLine& line);
void add_probes_command(CommandLine& line);
void add_estimate_command(CommandLine& line);
void add_calibrate_command(CommandLine& line);
void add_search_command(CommandLine& line);

}  // namespace pippin
