// SPDX-License-Identifier: Apache-2.0
#include "db/names.h"

#include "core/base/error.h"
#include "db/sqlite.h"

namespace pippin {

namespace {

constexpr auto kPatience = std::chrono::milliseconds(50);

constexpr const char* kSweeps = "SELECT name, 'sweep' FROM sweeps";
constexpr const char* kCampaigns =
    "SELECT sweeps.name || '/' || number AS name, 'campaign of ' || substr(started, 1, 10) "
    "FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep";
constexpr const char* kTags =
    "SELECT tags.name, 'tag of ' || sweeps.name || '/' || number FROM tags "
    "JOIN campaigns ON campaigns.id = tags.campaign JOIN sweeps ON sweeps.id = campaigns.sweep";

std::vector<const char*> queries_of(NameKind kind) {
  switch (kind) {
    case NameKind::kSweeps:
      return {kSweeps};
    case NameKind::kCampaigns:
      return {kCampaigns};
    case NameKind::kTags:
      return {kTags};
    case NameKind::kSelections:
      return {kSweeps, kCampaigns, kTags};
    case NameKind::kRuns:
      return {"SELECT name, min(state) FROM runs GROUP BY name"};
    case NameKind::kPoints:
      return {"SELECT DISTINCT name, '' FROM points"};
    case NameKind::kNodes:
      return {"SELECT name, 'node' FROM nodes"};
    case NameKind::kAxes:
      return {"SELECT DISTINCT name, 'axis' FROM point_axes"};
  }
  return {};
}

void append_names(db::Connection& connection, const std::string& query, std::string_view prefix,
                  std::vector<KnownName>& names) {
  db::Statement rows = connection.prepare("SELECT * FROM (" + query +
                                          ") WHERE substr(name, 1, length(?1)) = ?1 "
                                          "ORDER BY name LIMIT 1000");
  rows.bind(prefix);
  while (rows.step()) names.push_back({rows.text(0), rows.text(1)});
}

}  // namespace

std::vector<KnownName> names_in(const fs::path& database, NameKind kind, std::string_view prefix) {
  std::vector<KnownName> names;
  std::error_code none;
  if (!fs::is_regular_file(database, none)) return names;
  for (const char* query : queries_of(kind)) {
    try {
      db::Connection connection(database, db::Connection::ReadOnly{}, kPatience);
      append_names(connection, query, prefix, names);
    } catch (const Error&) {
      continue;  // an older file has no tags, a locked one no names for now
    }
  }
  return names;
}

}  // namespace pippin
