// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/retable.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/edit_document.h"
#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "reports/notes/line_diff.h"
#include "reports/notes/marked_tables.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// Errors: Error (bad input) where there is nothing in the file that this is for.
Retabled retable_document(const std::string& document, const RetableOptions& options) {
  const std::string file = options.notes.string();
  if (tables_by_hand(document, file).empty())
    bad_input("{}: has no Markdown table that is kept by hand", file);
  Retabled result = retable(document, note_settings(options.set));
  if (result.tables > 0) return result;
  if (!result.doubts.empty()) {
    bad_input("{}:{}: {}", file, result.doubts[0].line, result.doubts[0].what);
  }
  bad_input("{}: no table has columns for all of size, GBS, step time, GPUs and TFLOPS", file);
}

std::string remarks_text(const fs::path& file, const std::vector<NoteRemark>& remarks) {
  std::string text;
  for (const auto& remark : remarks) {
    text += fmt::format("{}{}:{}: {}\n", remark.refused ? "pippin: " : "", printable(file.string()),
                        remark.line, remark.what);
  }
  return text;
}

std::string changes_text(const fs::path& file, const std::vector<CellChange>& changes) {
  std::string text;
  for (const auto& change : changes) {
    text += fmt::format("{}:{}: {} → {}\n", printable(file.string()), change.line, change.before,
                        change.after);
  }
  return text;
}

std::string summary_text(const Retabled& result, bool dry_run) {
  const std::size_t contradictions = result.contradictions.size();
  return fmt::format("{} of {} {}, {} {} {}", result.changes.size(),
                     counted(result.computable, "row"), dry_run ? "would change" : "changed",
                     contradictions, contradictions == 1 ? "contradicts" : "contradict",
                     contradictions == 1 ? "itself" : "themselves");
}

std::string edited_document(const std::string& document, const Retabled& result) {
  std::vector<TextEdit> edits;
  edits.reserve(result.changes.size());
  for (const auto& change : result.changes) edits.push_back(change.edit);
  return edited(document, edits);
}

}  // namespace

ExitCode retable(const Globals& globals, const RetableOptions& options) {
  Retabled result;
  if (options.dry_run) {
    const std::string document = read_input(options.notes);
    result = retable_document(document, options);
    const auto diff =
        line_diff(document, edited_document(document, result), options.notes.string());
    ::isatty(STDOUT_FILENO) ? write_text(diff) : write_output(diff);  // patch takes it as it is
    const std::string contradictions = remarks_text(options.notes, result.contradictions);
    if (!contradictions.empty()) remark(globals, std::string(trim(contradictions)));
  } else {
    // First the file: a reader of the lines that has gone away must not keep it from being mended.
    edit_document(options.notes, [&](const std::string& document) {
      result = retable_document(document, options);
      return edited_document(document, result);
    });
    write_text(changes_text(options.notes, result.changes) +
               remarks_text(options.notes, result.contradictions));
  }
  write_error(printable_lines(remarks_text(options.notes, result.doubts)));
  remark(globals, summary_text(result, options.dry_run));
  return result.doubts.empty() ? ExitCode::kDone : ExitCode::kBadInput;
}

}  // namespace pippin
