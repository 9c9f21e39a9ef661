// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "db/operations.h"

namespace pippin::db {

bool has_node(Connection& connection, const std::string& name) {
  Statement row = connection.prepare(
      "SELECT 1 WHERE EXISTS (SELECT 1 FROM nodes WHERE name = ?1) OR EXISTS (SELECT 1 FROM "
      "canary_nodes WHERE node = ?1)");
  return row.bind(name).step();
}

std::vector<NodeReading> node_readings(Connection& connection, const std::string& node) {
  Statement rows = connection.prepare(
      "SELECT r.taken_at, campaigns.cluster, n.gemm_min_tflops, n.gemm_median_tflops "
      "FROM canary_nodes AS n JOIN canary_readings AS r ON r.id = n.reading "
      "LEFT JOIN allocations ON allocations.id = r.allocation "
      "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
      "WHERE n.node = ? ORDER BY r.taken_at, r.id");
  std::vector<NodeReading> readings;
  for (rows.bind(node); rows.step();)
    readings.push_back({rows.integer(0), rows.text(1), rows.maybe_real(2), rows.maybe_real(3)});
  return readings;
}

std::vector<NodeLink> node_links(Connection& connection, const std::string& node) {
  Statement rows = connection.prepare(
      "SELECT CASE node_a WHEN ?1 THEN node_b ELSE node_a END, bandwidth_gb_per_s "
      "FROM canary_pairs JOIN canary_readings AS r ON r.id = reading "
      "WHERE node_a = ?1 OR node_b = ?1 ORDER BY r.taken_at, r.id");
  std::map<std::string, NodeLink> links;
  for (rows.bind(node); rows.step();) {
    NodeLink& link = links[rows.text(0)];
    link.to = rows.text(0);
    link.gb_per_s.push_back(rows.real(1));
  }
  std::vector<NodeLink> found;
  found.reserve(links.size());
  for (auto& entry : links) found.push_back(std::move(entry.second));
  return found;
}

}  // namespace pippin::db
