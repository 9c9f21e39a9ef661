// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"
#include "reports/notes/note_settings.h"

namespace pippin {

/// A row of a table as a run: one noted mean, or how it failed.
struct NotedRun {
  std::string name;  ///< "gpt2.md:77": its allocation's too, as nobody noted which rows shared one
  std::size_t line = 0;
  RunState state = RunState::kOk;
  std::string note;  ///< what the row says of itself
  LogRun record;     ///< trainer and format "noted"; its arguments are the row as it was written
};

/// A table as a sweep.
struct NotedTable {
  std::string sweep;
  std::size_t line = 0;  ///< of its header
  std::vector<NotedRun> runs;
};

struct NotedDocument {
  std::vector<NotedTable> tables;   ///< those with a column of times, one of GPUs or batch
                                    ///< sizes, and at least one run
  std::vector<NoteRemark> remarks;  ///< what was left out, and rows that contradict themselves
};

/// Reads the results in a document of notes; `file` is its name, without folders.
/// Shape: model and layout are what the row says, seq where it does not is of the settings; every
/// other column is an axis. A time is one iteration, flagged kNoted, with number 0. A row without
/// time is a run where a word says why ("OOM", "failed", "timeout", "n/a"), else it is left out.
NotedDocument noted(std::string_view document, const std::string& file,
                    const NoteSettings& settings);

}  // namespace pippin
