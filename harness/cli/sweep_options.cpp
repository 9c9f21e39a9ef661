// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "harness/cli/command_line.h"

namespace pippin {

namespace {

/// One option, any number of times, without taking more words than its own.
CLI::Option* each_once(CLI::Option* option, const char* type) {
  return option->allow_extra_args(false)->type_name(type)->group(kInsteadOfFile);
}

void take_words(CLI::App& command, SweepWords& words) {
  each_once(command.add_option("-L,--parameter-list", words.axes,
                               "an axis and its values, split at commas: -L tp 1,2,4"),
            "NAME VALUES");
  each_once(command.add_option("--fixed", words.fixed, "an axis with one value"), "NAME=VALUE");
  each_once(command.add_option("--derive", words.derived,
                               "what follows of each point's axes: 'gas=64 / (mbs * dp)'"),
            "NAME=EXPRESSION");
  each_once(command.add_option("--where", words.where, "what must hold of a point: mbs*dp <= 4"),
            "EXPRESSION");
  each_once(command.add_option("--scrape", words.scrape,
                               "how the command's lines are read: 'step_time_ms=time ([0-9.]+)'; "
                               "see docs/your-own-trainer.md"),
            "FIELD=REGEX");
  for (const auto& word : sweep_words()) {
    command.add_option(word.option, words.*word.field, word.help)
        ->type_name(word.type)
        ->group(kInsteadOfFile);
  }
}

/// One word is bash as it stands; several are a program and its arguments.
std::string command_of(const std::vector<std::string>& words) {
  return words.size() == 1 ? words.front() : bash_command(words);
}

void refuse_both(const CLI::App& command, const fs::path& file, bool has_command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() != kInsteadOfFile || option->count() == 0) continue;
    bad_input("{} stands for a part of a sweep file: write it into {}, or leave that out",
              option->get_name(), printable(file.string()));
  }
  if (has_command) {
    bad_input(
        "a command behind '--' stands for a part of a sweep file: write it into {}, or leave that "
        "out",
        printable(file.string()));
  }
}

bool has_words(const SweepWords& words) { return !words.axes.empty() || !words.command.empty(); }

}  // namespace

void take_sweep(CommandLine& line, CLI::App& command, SweepSource& sweep) {
  command.add_option("SWEEP.yaml", sweep.file,
                     "sweep file, as sweeps/README.md describes it; or, instead of one, "
                     "-L NAME VALUES … -- COMMAND");
  command.add_flag("--keep-infeasible", sweep.keep_infeasible,
                   "keep points of Megatron that it would refuse, or that are said not to fit the "
                   "GPUs' memory");
  take_words(command, sweep.words);
  line.let_take_words(command, [&command, &sweep](const std::vector<std::string>& words) {
    sweep.words.command = command_of(words);
    if (!sweep.file.empty()) return refuse_both(command, sweep.file, !words.empty());
    if (!has_words(sweep.words)) {
      bad_input("SWEEP.yaml is required, or -L NAME VALUES -- COMMAND; see pippin {} --help",
                command.get_name());
    }
  });
}

}  // namespace pippin
