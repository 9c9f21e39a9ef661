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

void import_file(const Globals& globals, Database& database, const fs::path& file,
                 const NoteSettings& settings) {
  NotedDocument document = noted(read_input(file), file.filename().string(), settings);
  if (document.tables.empty())
    bad_input("{}: no table has a column of step times and one of GPUs or batch sizes",
              printable(file.string()));
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
  for (const auto& left : document.remarks)
    remark(globals, fmt::format("{}:{}: {}", printable(file.string()), left.line, left.what));
  remark(globals, fmt::format("{}: {} of {} noted", printable(file.string()), counted(runs, "run"),
                              counted(document.tables.size(), "table")));
}

}  // namespace

ExitCode import_notes(const Globals& globals, const ImportOptions& options) {
  Database database(globals.db);
  database.sum_up_by(digester());
  for (const auto& file : options.notes)
    import_file(globals, database, file, {options.seq, options.factor == 4});
  keep_sums(globals, database);
  return ExitCode::kDone;
}

}  // namespace pippin
