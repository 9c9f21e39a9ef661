// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "db/operations.h"
#include "db/points.h"
#include "db/selected.h"

namespace pippin::db {

std::vector<NodeRuns> node_runs(Connection& connection, const SampleFilter& filter) {
  std::map<std::string, NodeRuns> nodes;
  Statement rows = selected(connection, filter,
                            "nodes.name, runs.state, count(*), "
                            "max(coalesce(runs.ended_at, runs.started_at))",
                            "JOIN run_nodes ON run_nodes.run = runs.id "
                            "JOIN nodes ON nodes.id = run_nodes.node",
                            " GROUP BY 1, 2");
  while (rows.step()) {
    NodeRuns& node = nodes[rows.text(0)];
    node.runs.at(static_cast<std::size_t>(state_in(rows, 1))) = rows.integer(2);
    node.last_run = std::max(node.last_run, rows.maybe_integer(3));
  }
  std::vector<NodeRuns> found;
  found.reserve(nodes.size());
  for (auto& [name, node] : nodes) {
    node.node = name;
    found.push_back(std::move(node));
  }
  return found;
}

}  // namespace pippin::db
