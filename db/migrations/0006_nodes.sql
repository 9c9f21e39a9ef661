-- SPDX-License-Identifier: Apache-2.0
-- Node by node, so that a slow one can be found. What runs.node_list holds is expanded once this
-- has run: see migrate.cpp.
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE run_nodes (
  run INTEGER NOT NULL REFERENCES runs(id),
  node INTEGER NOT NULL REFERENCES nodes(id),
  PRIMARY KEY (run, node)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_nodes_by_node ON run_nodes(node);
