// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pippin::probes {

/// What an option accepts, for a program that asks.
struct OptionValues {
  std::string kind;                       ///< "choice", "whole", "number", "size", "share", "word"
  std::vector<std::string> choices = {};  ///< of a choice
  std::string least = {}, most = {};      ///< of numbers, as JSON has them; a size's are bytes
};

/// One row of a probe's option table: it parses, it is the help, it says what it accepts.
struct Option {
  std::string name;      ///< "--mbs"
  std::string standard;  ///< the value without the option, as text
  std::string help;
  std::function<void(const std::string& value)> set;  ///< throws Error (bad input)
  OptionValues values;
  std::string bare = {};  ///< the value of the option alone; empty where it wants one
};

using OptionTable = std::vector<Option>;

// Rows by the kind of value; each shows the value that `target` has now as its default.
// `target` must outlive the table.
Option whole_option(std::string name, std::int64_t& target, std::int64_t low, std::int64_t high,
                    std::string help);
Option number_option(std::string name, double& target, double low, double high, std::string help);
/// A size in bytes: "4096", or with K, M, G (2^10, 2^20, 2^30) as nccl-tests has them: "1.5M".
Option size_option(std::string name, std::int64_t& target, std::int64_t low, std::int64_t high,
                   std::string help);
/// A fraction: "0.08" or "8%". A bare number above 1 is refused, so that 8 cannot pass for 8 %.
Option share_option(std::string name, double& target, std::string help);
Option choice_option(std::string name, std::string& target, std::vector<std::string> choices,
                     std::string help);
Option word_option(std::string name, std::string& target, std::string help);
/// The same row; the option may stand alone and then means `value`.
Option bare_option(Option option, std::string value);

/// Reads "--name value" and "--name=value" into the targets. False where --help was asked for.
/// Errors: Error (bad input) for an unknown option (with the likely meant one), one given twice, a
/// missing or bad value, and anything that is no option.
bool parse_options(const OptionTable& table, const std::vector<std::string>& arguments);

/// The table for a person.
std::string help_text(const std::string& intro, const OptionTable& table);

}  // namespace pippin::probes
