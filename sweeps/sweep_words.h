// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/records/sweep.h"

namespace pippin {

/// A sweep as words of the command line say it, instead of a file; nothing is checked yet.
struct SweepWords {
  std::string command;                                    ///< bash, with {tp}, {mbs} …
  std::vector<std::pair<std::string, std::string>> axes;  ///< "tp", "1,2,4"
  std::vector<std::string> fixed;                         ///< "zero=1"
  std::vector<std::string> derived;                       ///< "gas=64 / (mbs * dp)"
  std::vector<std::string> where;                         ///< expressions
  std::vector<std::string> scrape;                        ///< "loss=loss ([0-9.]+)"
  std::optional<std::string> name, cluster, model, gpus, iterations, warmup, repeats, pack,
      run_time, stalled, log;
  bool is_typed_plainly = false;  ///< axes as NAME=VALUES, not behind -L
};

/// An option that gives one key of a sweep file its value.
struct SweepWord {
  const char* option;  ///< "--gpus"
  const char* type;    ///< of its value, for help: "NUMBER"
  const char* help;
  std::optional<std::string> SweepWords::*field;
  std::vector<const char*> keys;  ///< where a file has it: {"repeats", "allocations"}
};
const std::vector<SweepWord>& sweep_words();

/// Works out the points of the sweep, as of a file that holds sweep_text(). Values are split at
/// commas; `\,` is a comma and `\\` a backslash. The name, where none is given, is the program's
/// and a hash of the command: the same command goes on with its sweep.
/// Errors: Error (bad input), one line that names the option.
Sweep load_sweep(const SweepWords& words);

/// The sweep file that says the same.
std::string sweep_text(const SweepWords& words);

}  // namespace pippin
