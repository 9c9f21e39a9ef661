#include "db/nodes.h"

#include <utility>
#include <vector>

#include "core/base/host_list.h"

namespace pippin::db {

void put_nodes(Connection& connection, std::int64_t run, const std::string& node_list) {
  connection.prepare("DELETE FROM run_nodes WHERE run = ?").run(run);
  const auto names = host_names(node_list);
  if (!names) return;
  Statement name = connection.prepare("INSERT INTO nodes (name) VALUES (?) ON CONFLICT DO NOTHING");
  Statement member = connection.prepare(
      "INSERT INTO run_nodes (run, node) SELECT ?, id FROM nodes WHERE name = ?");
  for (const auto& node : *names) {
    name.run(node);
    member.run(run, node);
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
  for (const auto& [run, list] : lists) put_nodes(connection, run, list);
}

}  // namespace pippin::db
