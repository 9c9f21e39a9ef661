// SPDX-License-Identifier: Apache-2.0
// Notes in Markdown: what `pippin retable`, `report --update` and `import` make of them.
//
// Shape: a byte that chooses what a person says of the tables and which of the three reads them,
// then the document.
#include <algorithm>
#include <string>
#include <vector>

#include "reports/column_names.h"
#include "reports/columns.h"
#include "reports/notes/line_diff.h"
#include "reports/notes/marked_tables.h"
#include "reports/notes/noted.h"
#include "reports/notes/retable.h"
#include "tests/fuzz/input.h"

using namespace pippin;

namespace {

NoteSettings settings_of(std::uint8_t choice) {
  switch (choice % 3) {
    case 0:
      return {};
    case 1:
      return note_settings({"seq=1024", "formula=params", "recompute=full"});
    default:
      return note_settings({"size=52B", "seq=2048", "vocab=50257", "gpus=64", "gbs=1024",
                            "formula=params", "recompute=none", "step_time=Speed"});
  }
}

std::string retabled(const std::string& document, const NoteSettings& settings) {
  std::vector<TextEdit> edits;
  for (const auto& change : retable(document, settings).changes) edits.push_back(change.edit);
  return edited(document, edits);
}

void check_retable(const std::string& document, const NoteSettings& settings) {
  tables_by_hand(document, "notes.md");
  const std::string once = retabled(document, settings);
  line_diff(document, once, "notes.md");
  fuzz::expect_same(once, retabled(once, settings), "retable changes nothing that it has written");
}

Summary row_of(std::int64_t tp, double seconds) {
  Summary row;
  row.sweep = "gpt-52b";
  row.point.name = "52b-tp" + std::to_string(tp);
  row.point.layout.tp = tp;
  row.point.layout.gpus = 64;
  row.state = RunState::kOk;
  row.step_time_s = Interval{seconds, {}, {}, {}, "iteration", "one allocation"};
  row.allocations = row.runs = row.iterations = 1;
  return row;
}

Report report_of(std::uint8_t choice) {
  Report report{{row_of(2, 3.25), row_of(4, 1), row_of(8, 2)}};
  report.rows[0].notes = {"the first"};
  const char* const columns[] = {"GPUs,TP,Speed,Notes", "TP,Speed", "GPUs,TP,Notes"};
  report.columns = columns_named(columns[choice % 3], report.rows);
  return report;
}

std::string updated(const std::string& document, std::uint8_t choice) {
  const auto all = markdown_tables(document);
  std::vector<TextEdit> edits;
  for (const auto& table : marked_tables(document, "notes.md")) {
    Report report = report_of(choice);
    const KeptLines kept = keep_notes(report, document, all, table, "notes.md");
    edits.push_back({table.begin, table.end, marked_text(report, document, kept)});
  }
  return edited(document, edits);
}

/// What stands outside of the markers, and they themselves.
std::string outside(const std::string& document) {
  std::vector<TextEdit> edits;
  for (const auto& table : marked_tables(document, "notes.md"))
    edits.push_back({table.begin, table.end, ""});
  return edited(document, edits);
}

void check_update(const std::string& document, std::uint8_t choice) {
  const std::string once = updated(document, choice);
  fuzz::expect_same(outside(document), outside(once),
                    "an update changes nothing outside of its markers");
  fuzz::expect_same(once, updated(once, choice), "an update changes nothing that it has written");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint8_t choice = input.byte();
  const std::string document(input.rest());
  const NoteSettings settings = settings_of(choice);
  switch (choice / 9 % 3) {
    case 0:
      fuzz::refusable([&] { check_retable(document, settings); });
      break;
    case 1:
      fuzz::refusable([&] { check_update(document, choice / 3); });
      break;
    default:
      fuzz::refusable([&] { noted(document, "notes.md", settings); });
  }
  return 0;
}
