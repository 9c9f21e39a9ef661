// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "core/base/text.h"
#include "harness/cli/command_line.h"

namespace pippin {

ReportOptions options_in_marker(const std::vector<std::string>& words) {
  ReportOptions options;
  CLI::App parser;
  parser.set_help_flag();
  add_table_options(parser, options);
  try {
    parser.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
  } catch (const CLI::ParseError& error) {
    bad_input("{}", printable(error.what()));
  }
  if (options.selections.empty())
    bad_input("the marker names no sweep: '<!-- pippin:begin SWEEP [options of report] -->'");
  return options;
}

}  // namespace pippin
