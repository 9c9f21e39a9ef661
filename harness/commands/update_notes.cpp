#include <algorithm>
#include <fmt/format.h>

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
    report = report_of(globals, database, read_options(table.words));
    if (report.rows.empty()) bad_input("no row is left of it");
  } catch (const Error& error) {
    throw Error(error.exit_code(), fmt::format("{}:{}: {}", file, table.line, error.what()));
  }
  const KeptLines kept = keep_notes(report, document, all, table, file);
  return {table.begin, table.end, marked_text(report, document, kept)};
}

}  // namespace

ExitCode update_notes(const Globals& globals, const fs::path& file,
                      const ReadReportOptions& read_options) {
  Database database = existing_database(globals);
  const std::string document = read_input(file);
  const auto tables = marked_tables(document, file.string());
  if (tables.empty()) {
    bad_input("{}: has no '<!-- pippin:begin SWEEP -->' and '<!-- pippin:end -->' to fill",
              file.string());
  }
  const auto all = markdown_tables(document);
  std::vector<TextEdit> edits;
  edits.reserve(tables.size());
  for (const auto& table : tables)
    edits.push_back(
        rewritten(globals, database, document, all, table, file.string(), read_options));
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
