// SPDX-License-Identifier: Apache-2.0
#include "db/nodes.h"

#include <utility>
#include <vector>

#include "core/base/host_list.h"

namespace pippin::db {

void add_nodes(Batch& batch, std::int64_t run, const std::vector<RunNode>& nodes) {
  for (const auto& node : nodes) {
    const std::int64_t id = batch.node_of(node.name);
    batch.connection()
        .prepare("INSERT INTO run_nodes (run, node, ranks) VALUES (?, ?, ?)")
        .run(run, id, known(node.ranks));
  }
}

void put_nodes(Batch& batch, std::int64_t run, const std::vector<RunNode>& nodes) {
  batch.connection().prepare("DELETE FROM run_nodes WHERE run = ?").run(run);
  add_nodes(batch, run, nodes);
}

void put_all_nodes(Connection& connection) {
  std::vector<std::pair<std::int64_t, std::string>> lists;
  {
    Statement runs = connection.prepare(
        "SELECT id, node_list FROM runs WHERE node_list IS NOT NULL "
        "AND NOT EXISTS (SELECT * FROM run_nodes WHERE run = runs.id)");
    while (runs.step()) lists.emplace_back(runs.integer(0), runs.text(1));
  }
  // As the table was when this was asked for: without ranks.
  Statement name = connection.prepare("INSERT INTO nodes (name) VALUES (?) ON CONFLICT DO NOTHING");
  Statement member = connection.prepare(
      "INSERT INTO run_nodes (run, node) SELECT ?, id FROM nodes WHERE name = ?");
  for (const auto& [run, list] : lists) {
    for (const auto& node : host_names(list).value_or(std::vector<std::string>())) {
      name.run(node);
      member.run(run, node);
    }
  }
}

}  // namespace pippin::db
