#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/cli/report.h"
#include "harness/cli/samples.h"
#include "reports/notes/markdown.h"
#include "reports/notes/marked_tables.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// The options in a marker are those of the command line. Errors: Error (bad input) with the place.
ReportOptions options_of(const MarkedTable& table) {
  ReportOptions options;
  CLI::App parser;
  parser.set_help_flag();
  add_table_options(parser, options);
  std::vector<std::string> words(table.words.rbegin(), table.words.rend());  // as CLI11 wants them
  try {
    parser.parse(words);
  } catch (const CLI::ParseError& error) {
    bad_input("{}", printable(error.what()));
  }
  if (options.sweep.empty())
    bad_input("the marker names no sweep: '<!-- pippin:begin SWEEP [options of report] -->'");
  return options;
}

TextEdit rewritten(const Globals& globals, Database& database, const std::string& document,
                   const MarkedTable& table, const std::string& file) {
  Report report;
  try {
    report = report_of(globals, database, options_of(table));
    if (report.rows.empty()) bad_input("no row is left of it");
  } catch (const Error& error) {
    throw Error(error.exit_code(), fmt::format("{}:{}: {}", file, table.line, error.what()));
  }
  keep_notes(report, document, table, file);
  return {table.begin, table.end, marked_text(report, document)};
}

}  // namespace

ExitCode update_notes(const Globals& globals, const fs::path& file) {
  Database database = existing_database(globals);
  const std::string document = read_input(file);
  const auto tables = marked_tables(document, file.string());
  if (tables.empty()) {
    bad_input("{}: has no '<!-- pippin:begin SWEEP -->' and '<!-- pippin:end -->' to fill",
              file.string());
  }
  std::vector<TextEdit> edits;
  edits.reserve(tables.size());
  for (const auto& table : tables)
    edits.push_back(rewritten(globals, database, document, table, file.string()));
  const std::size_t changed =
      static_cast<std::size_t>(std::count_if(edits.begin(), edits.end(), [&](const TextEdit& edit) {
        return document.compare(edit.begin, edit.end - edit.begin, edit.text) != 0;
      }));
  if (changed > 0) replace_document(file, edited(document, edits));
  remark(globals, fmt::format("{}: {} of {} changed", printable(file.string()), changed,
                              counted(tables.size(), "table")));
  return ExitCode::kDone;
}

}  // namespace pippin
