#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command_line.h"

namespace pippin {

namespace {

void add_retable(CommandLine& line) {
  constexpr std::int64_t kLongestSequence = 1'000'000'000;
  const auto options = std::make_shared<RetableOptions>();
  CLI::App& retable =
      line.add("retable", "recompute the TFLOPS of Markdown tables kept by hand, in place",
               "pippin retable gpt2.md --dry-run",
               [&line, options] { return pippin::retable(line.globals(), *options); });
  retable.add_option("NOTES.md", options->notes, "Markdown file with tables")->required();
  retable.add_flag("--dry-run", options->dry_run, "print the differences and write nothing");
  retable.add_option("--seq", options->seq, "sequence length, where a table has no column of it")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, kLongestSequence));
  retable.add_option("--factor", options->factor, "4 with activation recomputation, 3 without")
      ->capture_default_str()
      ->check(CLI::IsMember({3, 4}));
}

}  // namespace

void add_notes_commands(CommandLine& line) { add_retable(line); }

}  // namespace pippin
