// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/sides.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/names.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/days.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/unread.h"

namespace pippin {

namespace {

/// Keeps the runs of some days; points keep their place, and are then without runs.
void keep_days(std::vector<PointSamples>& points, const Days& days) {
  for (auto& point : points) {
    auto& runs = point.runs;
    const auto is_other = [&](const RunSamples& run) {
      return run.day.empty() || run.day < days.first || run.day > days.last;
    };
    runs.erase(std::remove_if(runs.begin(), runs.end(), is_other), runs.end());
  }
  const auto without = [](const auto& point) { return point.runs.empty(); };
  points.erase(std::remove_if(points.begin(), points.end(), without), points.end());
}

bool has_run(const std::vector<PointSamples>& points) {
  return std::any_of(points.begin(), points.end(),
                     [](const auto& point) { return !point.runs.empty(); });
}

ComparisonSide side_of_campaign(const Globals& globals, Database& database,
                                const SampleFilter& filter) {
  const CampaignName name{*filter.sweep, filter.campaign};
  return {text_of(name), digested_points(globals, database, filter),
          dropped_text(database.dropped(filter))};
}

/// A sweep stands for its newest campaign; one without any (imported notes) for all it has.
ComparisonSide side_of_selection(const Globals& globals, Database& database, SampleFilter filter) {
  if (!filter.campaign) {
    const auto campaigns = database.campaigns(filter.sweep);
    if (!campaigns.empty()) filter.campaign = campaigns.back().number;
  }
  return side_of_campaign(globals, database, filter);
}

std::vector<PointSamples> points_named(std::vector<PointSamples> points, const std::string& name) {
  const auto is_other = [&](const auto& point) { return point.point.name != name; };
  points.erase(std::remove_if(points.begin(), points.end(), is_other), points.end());
  return points;
}

std::vector<std::string> known_names(const fs::path& file) {
  std::vector<std::string> names{"today", "yesterday"};
  names.insert(names.end(), weekdays().begin(), weekdays().end());
  for (const NameKind kind : {NameKind::kSelections, NameKind::kPoints}) {
    for (const auto& known : names_in(file, kind, "")) names.push_back(known.name);
  }
  return names;
}

std::chrono::sys_days today() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

/// Which days and points the dropped ones are of is not looked for.
std::string words_on_all_dropped(Database& database) {
  const std::string text = dropped_text(database.dropped({}));
  return text.empty() ? "" : "in the whole database " + text;
}

ComparisonSide side_in(const Globals& globals, Database& database, const fs::path& file,
                       const std::string& name) {
  if (const auto filter = database.selection(name))
    return side_of_selection(globals, database, *filter);
  auto points = digested_points(globals, database, {});
  const std::string set_aside = words_on_all_dropped(database);
  if (auto named = points_named(points, name); !named.empty())
    return {name, std::move(named), set_aside};
  if (const auto days = days_named(name, today())) {
    keep_days(points, *days);
    return {text_of(*days), std::move(points), set_aside};
  }
  bad_input("{}: no sweep, campaign, tag, point or day is named '{}'{}", printable(file.string()),
            printable(name), did_you_mean(name, known_names(file)));
}

/// "other.db", and what stands behind its colon.
struct OtherFile {
  fs::path file;
  std::string name;  ///< empty: all of it
};

std::optional<OtherFile> other_file(const std::string& text) {
  std::error_code none;
  if (fs::is_regular_file(text, none)) return OtherFile{text, ""};
  for (auto colon = text.rfind(':'); colon != std::string::npos && colon > 0;
       colon = text.rfind(':', colon - 1)) {
    const std::string file = text.substr(0, colon);
    if (fs::is_regular_file(file, none)) return OtherFile{file, text.substr(colon + 1)};
  }
  return std::nullopt;
}

/// Another file's jobs are no allocations of this one's, whatever they are called.
void tell_apart(ComparisonSide& side, const fs::path& file, const fs::path& own) {
  std::error_code none;
  if (fs::equivalent(file, own, none)) return;
  const std::string path = fs::absolute(file, none).string();
  for (auto& point : side.points) {
    for (auto& run : point.runs) run.allocation = path + "/" + run.allocation;
  }
}

ComparisonSide side_of_file(const Globals& globals, const OtherFile& other) {
  Globals there = globals;
  there.db = other.file;
  Database database = existing_database(there);
  ComparisonSide side = other.name.empty()
                            ? ComparisonSide{"", digested_points(there, database, {}),
                                             dropped_text(database.dropped({}))}
                            : side_in(there, database, other.file, other.name);
  side.name = other.file.string() + (other.name.empty() ? "" : ":" + side.name);
  tell_apart(side, other.file, globals.db);
  return side;
}

}  // namespace

ComparisonSide side_named(const Globals& globals, Database& database, const std::string& name) {
  const bool known = globals.for_readers || database.selection(name).has_value();
  const auto file = known ? std::nullopt : other_file(name);
  ComparisonSide side =
      file ? side_of_file(globals, *file) : side_in(globals, database, globals.db, name);
  if (!has_run(side.points) && known)
    say_what_is_unread(globals, database, *database.selection(name));
  if (!has_run(side.points))
    bad_input("{}: '{}' has no runs{}", printable(globals.db.string()), printable(side.name),
              side.set_aside.empty() ? "" : "; " + side.set_aside);
  return side;
}

std::pair<std::string, std::string> default_sides(const Globals& globals, Database& database,
                                                  const std::string& base) {
  std::optional<std::string> sweep;
  const auto filter = database.selection(base);
  if (filter) sweep = filter->sweep;
  const auto all = database.campaigns(sweep);
  if (all.empty())
    bad_input("{}: no campaign to compare with; name BASE and NEW", printable(globals.db.string()));
  const std::string newest = text_of(all.back());
  const bool names_sweep = base.empty() || (filter && !filter->campaign);
  if (!names_sweep) return {base, newest};
  const auto before = std::find_if(all.rbegin() + 1, all.rend(), [&](const auto& campaign) {
    return campaign.sweep == all.back().sweep;
  });
  if (before == all.rend())
    bad_input(
        "{}: {} is the only campaign of its sweep; name BASE and NEW, or begin another: "
        "pippin run … --again",
        printable(globals.db.string()), printable(newest));
  return {text_of(*before), newest};
}

}  // namespace pippin
