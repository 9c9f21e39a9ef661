// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unordered_set>

#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/report_rows.h"
#include "reports/notes/noted.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// Each row a run of its own, in an allocation of its own: nobody noted which shared one. They are
/// taken out of the table.
std::vector<NotedRecord> records_of(NotedTable& table) {
  std::vector<NotedRecord> records;
  records.reserve(table.runs.size());
  for (auto& noted : table.runs) {
    NotedRecord& record = records.emplace_back();
    const auto place = static_cast<std::int64_t>(records.size());
    record.run.place = {table.sweep, 1, noted.name, place, 1, place};
    record.run.name = noted.name;
    record.run.point_id = noted.record.point.id;
    record.run.state = noted.state;
    record.run.log = std::move(noted.record);
    record.note = std::move(noted.note);
  }
  return records;
}

CampaignRecord campaign_of(const NotedTable& table) {
  CampaignRecord campaign;
  campaign.sweep = table.sweep;
  campaign.started = fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::now()));
  campaign.warmup = 0;
  std::unordered_set<std::string> known;
  for (const auto& noted : table.runs) {
    if (known.insert(noted.record.point.id).second)
      campaign.points.push_back({noted.record.point, false, {}});
  }
  return campaign;
}

/// Errors: Error (bad input) where no table can be read.
NotedDocument read_notes(const fs::path& file, const NoteSettings& settings) {
  NotedDocument document = noted(read_input(file), file.filename().string(), settings);
  if (!document.tables.empty()) return document;
  const std::string name = printable(file.string());
  const auto first = std::find_if(document.remarks.begin(), document.remarks.end(),
                                  [](const NoteRemark& remark) { return remark.refused; });
  if (first != document.remarks.end()) bad_input("{}:{}: {}", name, first->line, first->what);
  if (!document.remarks.empty())
    bad_input("{}:{}: {}", name, document.remarks[0].line, document.remarks[0].what);
  bad_input("{}: no table has a column of step times and one of GPUs or batch sizes", name);
}

/// Whether all was read: what is left out because it is bad is no success.
bool is_whole(const NotedDocument& document) {
  return std::none_of(document.remarks.begin(), document.remarks.end(),
                      [](const NoteRemark& remark) { return remark.refused; });
}

ExitCode import_file(const Globals& globals, Database& database, const fs::path& file,
                     const NoteSettings& settings) {
  NotedDocument document = read_notes(file, settings);
  std::vector<NotedSweep> sweeps;
  sweeps.reserve(document.tables.size());
  for (auto& table : document.tables) {
    CampaignRecord campaign = campaign_of(table);
    sweeps.push_back({std::move(campaign), records_of(table)});
  }
  database.put_noted(sweeps);
  std::size_t runs = 0;
  for (const auto& table : document.tables) {
    runs += table.runs.size();
    remark(globals, fmt::format("{}:{}: {} in sweep {}", printable(file.string()), table.line,
                                counted(table.runs.size(), "run"), printable(table.sweep)));
  }
  for (const auto& left : document.remarks) {
    const std::string text =
        fmt::format("{}:{}: {}", printable(file.string()), left.line, left.what);
    if (left.refused) write_error(fmt::format("pippin: {}\n", printable_lines(text)));
    if (!left.refused) remark(globals, text);
  }
  remark(globals, fmt::format("{}: {} of {} noted", printable(file.string()), counted(runs, "run"),
                              counted(document.tables.size(), "table")));
  return is_whole(document) ? ExitCode::kDone : ExitCode::kBadInput;
}

}  // namespace

ExitCode import_notes(const Globals& globals, const ImportOptions& options) {
  const NoteSettings settings = note_settings(options.set);
  Database database(globals.db);
  database.sum_up_by(digester());
  ExitCode code = ExitCode::kDone;
  for (const auto& file : options.notes)
    code = std::max(code, import_file(globals, database, file, settings));
  keep_sums(globals, database);
  return code;
}

}  // namespace pippin
