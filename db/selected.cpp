// SPDX-License-Identifier: Apache-2.0
#include "db/selected.h"

#include <fmt/format.h>

#include "db/drops.h"

namespace pippin::db {

namespace {

constexpr const char* kSelected =
    "FROM runs JOIN allocations ON allocations.id = runs.allocation "
    "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
    "LEFT JOIN sweeps ON sweeps.id = campaigns.sweep {} "
    "WHERE (?1 IS NULL OR coalesce(sweeps.name, '') = ?1) "
    "AND (?2 IS NULL OR campaigns.number = ?2) AND {} ";

}  // namespace

Statement selected(Connection& connection, const SampleFilter& filter, const std::string& columns,
                   const std::string& joins, const std::string& order) {
  Statement rows = connection.prepare(
      "SELECT " + columns + " " +
      fmt::format(fmt::runtime(kSelected), joins,
                  filter.dropped ? fmt::format("NOT ({})", kKeptRuns) : kKeptRuns) +
      order);
  rows.bind(filter.sweep, filter.campaign);
  return rows;
}

}  // namespace pippin::db
