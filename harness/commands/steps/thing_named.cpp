// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/thing_named.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/names.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/node_notes.h"
#include "harness/commands/steps/selections.h"

namespace pippin {

namespace {

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> kKinds{"run", "point", "sweep", "node"};
  return kKinds;
}

/// All that has the name.
struct Candidates {
  std::vector<RunName> runs;
  std::vector<Point> points;
  std::optional<SampleFilter> selection;
  bool is_node = false;

  std::vector<std::string> kinds() const {
    std::vector<std::string> found;
    if (!runs.empty()) found.emplace_back("run");
    if (!points.empty()) found.emplace_back("point");
    if (selection) found.emplace_back("sweep");
    if (is_node) found.emplace_back("node");
    return found;
  }
};

/// A name that came from elsewhere is never that of a file.
std::optional<SampleFilter> selection_of(const Globals& globals, Database& database,
                                         const std::string& name) {
  if (!globals.for_readers) return find_selection_itself(database, name);
  const auto selection = database.selection(name);
  return !selection && name == kCollected ? SampleFilter{"", {}} : selection;
}

/// Of a node on which every launch failed, and was repeated elsewhere, the database knows no run.
bool has_notes(const Globals& globals, const std::string& node) {
  const auto notes = node_notes(folders_of(globals, ""));
  return std::any_of(notes.begin(), notes.end(), [&](const auto& one) { return one.node == node; });
}

Candidates candidates(const Globals& globals, Database& database, const std::string& name,
                      const std::string& as) {
  const auto wanted = [&](const char* kind) { return as.empty() || as == kind; };
  Candidates found;
  if (wanted("run")) found.runs = runs_called(database, name);
  if (wanted("point")) found.points = database.points_named(name);
  if (wanted("sweep")) found.selection = selection_of(globals, database, name);
  if (wanted("node")) found.is_node = database.has_node(name);
  if (wanted("node") && found.kinds().empty()) found.is_node = has_notes(globals, name);
  return found;
}

[[noreturn]] void fail_unknown(const Globals& globals, const std::string& name,
                               const std::string& as) {
  std::vector<std::string> names;
  for (const NameKind kind :
       {NameKind::kRuns, NameKind::kPoints, NameKind::kSelections, NameKind::kNodes}) {
    for (const auto& known : names_in(globals.db, kind, "")) names.push_back(known.name);
  }
  bad_input("{}: no {} is named '{}'{}", printable(globals.db.string()),
            as.empty() ? "run, point, sweep, tag or node" : as, printable(name),
            did_you_mean(name, names));
}

Point only_point(const Globals& globals, std::vector<Point> points, const std::string& name) {
  constexpr std::size_t kMost = 8, kDigits = 8;
  if (points.size() == 1) return std::move(points.front());
  std::vector<std::string> ids;
  for (const auto& point : points) {
    if (ids.size() == kMost) break;
    ids.push_back(point.id.substr(0, kDigits));
  }
  bad_input("{}: {} points are named '{}'; name one by its id: {}{}",
            printable(globals.db.string()), points.size(), printable(name), join(ids, ", "),
            points.size() > kMost ? ", …" : "");
}

}  // namespace

Thing thing_named(const Globals& globals, Database& database, const std::string& name,
                  const std::string& as) {
  if (!as.empty() && std::find(kinds().begin(), kinds().end(), as) == kinds().end())
    bad_input("--as {}: there is {}{}", printable(as), join(kinds(), ", "),
              did_you_mean(as, kinds()));
  Candidates found = candidates(globals, database, name, as);
  const auto found_kinds = found.kinds();
  if (found_kinds.empty()) fail_unknown(globals, name, as);
  if (found_kinds.size() > 1)
    bad_input("{}: '{}' is a {}; say which: --as {}", printable(globals.db.string()),
              printable(name), join(found_kinds, " and a "), join(found_kinds, " or --as "));
  Thing thing;
  if (!found.runs.empty()) thing.run = only_one(globals, found.runs, name).id;
  if (!found.points.empty()) thing.point = only_point(globals, std::move(found.points), name);
  thing.selection = found.selection;
  if (found.is_node) thing.node = name;
  return thing;
}

}  // namespace pippin
