// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/run_batch.h"

#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

RunBatch::Taken RunBatch::add(const PlannedJob& job, const PlannedRun& run, const RunFate& fate) {
  std::optional<RunRecord> record;
  try {
    record = recorder_.read(job, run, fate);
  } catch (const Error& error) {
    note_trouble(run.name, error.what());
    return {true, {}, false};
  }
  if (!record) return {};
  const Taken taken{false, record->state, record->read.has_value()};
  lines_ += record->log ? record->log->iterations.size() : 0;
  runs_.push_back(*std::move(record));
  if (runs_.size() >= kMostRuns || lines_ >= kMostLines) store();
  return taken;
}

void RunBatch::store(const std::vector<ReadFile>& others) {
  recorder_.keep_refutations();
  if (runs_.empty() && others.empty()) return;
  try {
    put(runs_, others);
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kBadInput) throw;
    store_one_by_one();
  }
  runs_.clear();
  lines_ = 0;
}

/// A log that had to be read again has changed or is gone: its run is left out, and with it what
/// would say that all is stored.
void RunBatch::store_one_by_one() {
  for (const auto& run : runs_) {
    try {
      put({&run, 1}, {});
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kBadInput) throw;
      note_trouble(run.name, error.what());
    }
  }
}

void RunBatch::put(std::span<const RunRecord> runs, const std::vector<ReadFile>& others) {
  const Added added = database_.put_runs(runs, others);
  added_.logs += added.logs;
  added_.runs += added.runs;
  added_.iterations += added.iterations;
}

void RunBatch::note_trouble(const std::string& run, std::string_view why) {
  troubles_.push_back(fmt::format("{}: {}", printable(run), why));
}

void fail_for_troubles(const std::vector<std::string>& troubles) {
  if (troubles.empty()) return;
  const std::string others =
      troubles.size() > 1 ? fmt::format(" (and {} more)", troubles.size() - 1) : "";
  machine_failed("could not be recorded: {}{}; the others were; mend that, and repeat the command",
                 troubles.front(), others);
}

}  // namespace pippin
