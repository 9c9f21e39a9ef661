#include "db/nodes.h"

#include <utility>
#include <vector>

#include "core/base/host_list.h"

namespace pippin::db {

void put_nodes(Connection& connection, std::int64_t run, const std::vector<RunNode>& nodes) {
  connection.prepare("DELETE FROM run_nodes WHERE run = ?").run(run);
  Statement name = connection.prepare("INSERT INTO nodes (name) VALUES (?) ON CONFLICT DO NOTHING");
  Statement member = connection.prepare(
      "INSERT INTO run_nodes (run, node, ranks) SELECT ?, id, ? FROM nodes WHERE name = ?");
  for (const auto& node : nodes) {
    name.run(node.name);
    member.run(run, known(node.ranks), node.name);
  }
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
