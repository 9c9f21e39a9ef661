// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/node_notes.h"

#include <utility>

#include "core/jobs/node_files.h"
#include "harness/commands/steps/newest_campaigns.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

void take_notes(NodeFiles files, std::vector<NodeNote>& notes) {
  for (const auto& history : files.histories()) {
    NodeNote note{history.node, 0, {}, {}};
    for (const auto& event : history.events) {
      note.failed_launches += event.failed() ? 1 : 0;
      note.lost_runs += event.kind == "lost" ? 1 : 0;
    }
    notes.push_back(std::move(note));
  }
  for (const auto& mark : files.marks())
    notes.push_back({mark.node, 0, mark.bad ? "bad" : "allowed", text_of(mark)});
}

}  // namespace

std::vector<fs::path> folders_of(const Globals& globals, const std::string& sweep) {
  if (sweep.empty()) return SweepFolders(globals.db, globals.for_readers).all();
  const auto found = find_campaign(globals, sweep);
  return found ? std::vector<fs::path>{found->first.root()} : std::vector<fs::path>();
}

std::vector<NodeNote> node_notes(const std::vector<fs::path>& folders) {
  std::vector<NodeNote> notes;
  for (const auto& folder : folders) take_notes(NodeFiles(disk_to_read(), folder), notes);
  return notes;
}

}  // namespace pippin
