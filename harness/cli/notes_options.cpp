#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command_line.h"

namespace pippin {

namespace {

void take_formula_options(CLI::App& command, std::int64_t& seq, int& factor) {
  constexpr double kLongestSequence = 1e9;
  check_range(
      *command.add_option("--seq", seq, "sequence length, where a table has no column of it")
           ->capture_default_str(),
      1, kLongestSequence);
  command.add_option("--factor", factor, "4 with activation recomputation, 3 without")
      ->capture_default_str()
      ->check(CLI::IsMember({3, 4}));
}

void add_retable(CommandLine& line) {
  const auto options = std::make_shared<RetableOptions>();
  CLI::App& retable =
      line.add("retable", "recompute the TFLOPS of Markdown tables kept by hand, in place",
               "pippin retable gpt2.md --dry-run",
               [&line, options] { return pippin::retable(line.globals(), *options); });
  retable.add_option("NOTES.md", options->notes, "Markdown file with tables")->required();
  retable.add_flag("--dry-run", options->dry_run, "print the differences and write nothing");
  take_formula_options(retable, options->seq, options->factor);
}

void add_import(CommandLine& line) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App& import =
      line.add("import", "read Markdown tables of results, noted by hand, into the database",
               "pippin --db notes.db import gpt2.md",
               [&line, options] { return import_notes(line.globals(), *options); });
  import.add_option("NOTES.md", options->notes, "Markdown files with tables")->required();
  take_formula_options(import, options->seq, options->factor);
}

}  // namespace

void add_notes_commands(CommandLine& line) {
  add_retable(line);
  add_import(line);
}

}  // namespace pippin
