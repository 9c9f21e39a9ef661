// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <sstream>
#include <tuple>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/report.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/sides.h"
#include "reports/compare/comparison.h"

namespace pippin {

namespace {

/// "2 %", "2%" and "2" are 0.02.
double margin_of(const std::string& text) {
  constexpr double kPercent = 100;
  std::string_view number = trim(text);
  if (!number.empty() && number.back() == '%') number = trim(number.substr(0, number.size() - 1));
  const auto percent = parse_number(number);
  if (!percent || !(*percent > 0) || !(*percent < kPercent))
    bad_input("--margin {}: a percentage above 0 and below 100, such as 2 %", printable(text));
  return *percent / kPercent;
}

void check_fail_on(const std::string& text) {
  if (text.empty() || text == "slower" || text == "changed") return;
  bad_input("--fail-on {}: there is slower, changed{}", printable(text),
            did_you_mean(text, {"slower", "changed"}));
}

bool fails(Verdict verdict, const std::string& fail_on) {
  return verdict == Verdict::kSlower || (fail_on == "changed" && verdict == Verdict::kFaster);
}

/// A gate that is asked for does not open where the new side failed, or nothing is told.
ExitCode exit_code_of(const Comparison& comparison, const std::string& fail_on) {
  if (fail_on.empty()) return ExitCode::kDone;
  const bool failed = std::any_of(comparison.only_base.begin(), comparison.only_base.end(),
                                  [](const auto& point) { return !point.reason.empty(); });
  const bool common = comparison.common && fails(comparison.common->verdict, fail_on);
  const bool any = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                               [&](const auto& row) { return fails(row.verdict, fail_on); });
  return common || any || failed || comparison.rows.empty() ? ExitCode::kRunFailed
                                                            : ExitCode::kDone;
}

}  // namespace

ComparisonTable comparison_of(const Globals& globals, Database& database,
                              const CompareOptions& options) {
  Judgement judgement;
  judgement.margin = margin_of(options.margin);
  std::string base = options.base, other = options.other;
  if (other.empty()) std::tie(base, other) = default_sides(globals, database, options.base);
  const ComparisonSide before = side_named(globals, database, base);
  const ComparisonSide after = side_named(globals, database, other);
  ComparisonTable table;
  table.comparison = compare(before, after, judgement);
  table.command = fmt::format("{} compare {} {} --format html", program_words(globals), before.name,
                              after.name);
  table.made_at = std::time(nullptr);
  return table;
}

ExitCode compare(const Globals& globals, const CompareOptions& options) {
  margin_of(options.margin);
  check_fail_on(options.fail_on);
  const ComparisonFormat& format = comparison_format_named(options.format);
  Database database = existing_database(globals);
  ComparisonTable table = comparison_of(globals, database, options);
  table.width = terminal_width(STDOUT_FILENO);
  table.colours = wants_colours();
  std::ostringstream text;
  format.write(table, text);
  print_text(text.str(), options.format, options.output);
  return exit_code_of(table.comparison, options.fail_on);
}

}  // namespace pippin
