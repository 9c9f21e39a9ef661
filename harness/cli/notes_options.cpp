// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/command_line.h"

namespace pippin {

namespace {

/// The words of before: each is one or two of --set.
struct ShortWords {
  std::optional<std::int64_t> seq;
  std::optional<int> factor;

  std::vector<std::string> with(std::vector<std::string> set) const {
    if (seq) set.push_back(fmt::format("seq={}", *seq));
    if (factor) set.emplace_back("formula=params");
    if (factor) set.emplace_back(*factor == 4 ? "recompute=full" : "recompute=none");
    return set;
  }
};

void take_said(CLI::App& command, std::vector<std::string>& set, ShortWords& words) {
  constexpr double kLongestSequence = 1e9;
  command
      .add_option("--set", set,
                  "what the tables do not say: --set seq=2048 --set gpus_per_node=8; without it "
                  "nothing is assumed")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  check_range(*command.add_option("--seq", words.seq, "short for --set seq=N"), 1,
              kLongestSequence);
  command
      .add_option("--factor", words.factor,
                  "short for --set formula=params and --set recompute=full (4) or none (3)")
      ->check(CLI::IsMember({3, 4}));
}

void add_retable(CommandLine& line) {
  const auto options = std::make_shared<RetableOptions>();
  const auto words = std::make_shared<ShortWords>();
  CLI::App& retable =
      line.add("retable", "recompute the TFLOPS of Markdown tables kept by hand, in place",
               "pippin retable gpt2.md --seq 1024 --factor 4 --dry-run", [&line, options, words] {
                 options->set = words->with(options->set);
                 return pippin::retable(line.globals(), *options);
               });
  retable.add_option("NOTES.md", options->notes, "Markdown file with tables")->required();
  retable.add_flag("--dry-run", options->dry_run, "print the differences and write nothing");
  take_said(retable, options->set, *words);
}

void add_import(CommandLine& line) {
  const auto options = std::make_shared<ImportOptions>();
  const auto words = std::make_shared<ShortWords>();
  CLI::App& import =
      line.add("import", "read Markdown tables of results, noted by hand, into the database",
               "pippin --db notes.db import gpt2.md --set seq=1024", [&line, options, words] {
                 options->set = words->with(options->set);
                 return import_notes(line.globals(), *options);
               });
  import.add_option("NOTES.md", options->notes, "Markdown files with tables")->required();
  take_said(import, options->set, *words);
}

}  // namespace

void add_notes_commands(CommandLine& line) {
  add_retable(line);
  add_import(line);
}

}  // namespace pippin
