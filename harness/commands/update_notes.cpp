// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/edit_document.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/report.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/report_rows.h"
#include "reports/notes/markdown.h"
#include "reports/notes/marked_tables.h"
#include "reports/values.h"

namespace pippin {

namespace {

TextEdit rewritten(const Globals& globals, Database& database, const std::string& document,
                   const std::vector<MarkdownTable>& all, const MarkedTable& table,
                   const std::string& file, const ReadReportOptions& read_options) {
  Report report;
  try {
    const ReportOptions options = read_options(table.words);
    report = report_of(globals, database, options);
    cut_to_limit(report, options.limit);
    if (report.rows.empty()) bad_input("no row is left of it");
  } catch (const Error& error) {
    throw Error(error.exit_code(), fmt::format("{}:{}: {}", file, table.line, error.what()));
  }
  const KeptLines kept = keep_notes(report, document, all, table, file);
  return {table.begin, table.end, marked_text(report, document, kept)};
}

std::vector<TextEdit> rewritten_tables(const Globals& globals, Database& database,
                                       const std::string& document, const std::string& file,
                                       const ReadReportOptions& read_options) {
  const auto tables = marked_tables(document, file);
  if (tables.empty()) {
    bad_input("{}: has no '<!-- pippin:begin SWEEP -->' and '<!-- pippin:end -->' to fill", file);
  }
  const auto all = markdown_tables(document);
  std::vector<TextEdit> edits;
  edits.reserve(tables.size());
  for (const auto& table : tables)
    edits.push_back(rewritten(globals, database, document, all, table, file, read_options));
  return edits;
}

std::size_t changed_by(const std::vector<TextEdit>& edits, const std::string& document) {
  return static_cast<std::size_t>(
      std::count_if(edits.begin(), edits.end(), [&](const TextEdit& edit) {
        return document.compare(edit.begin, edit.end - edit.begin, edit.text) != 0;
      }));
}

}  // namespace

ExitCode update_notes(const Globals& globals, const fs::path& file,
                      const ReadReportOptions& read_options) {
  Database database = existing_database(globals);
  std::size_t changed = 0, count = 0;
  edit_document(file, [&](const std::string& document) {
    const auto edits = rewritten_tables(globals, database, document, file.string(), read_options);
    count = edits.size();
    changed = changed_by(edits, document);
    return edited(document, edits);
  });
  remark(globals, fmt::format("{}: {} of {} changed", printable(file.string()), changed,
                              counted(count, "table")));
  return ExitCode::kDone;
}

}  // namespace pippin
