# SPDX-License-Identifier: Apache-2.0
# Sourced by benchmarks: makes the database of a large sweep in $folder.
folder=${folder:?}

# Step times: an allocation's level of 8 %, single steps of 4 %, and an end of their own for each run,
# so that runs differ in length as real ones do; a sum of three uniform numbers is nearly normal.
# iterations_of DATABASE STEPS: fills every run.
iterations_of() {
  sqlite3 -bail "$1" <<SQL
CREATE TEMP TABLE levels AS SELECT id,
  30000 * (1 + 0.08 * (abs(random() % 1000) + abs(random() % 1000) + abs(random() % 1000) - 1500) / 500.0) AS level_ms,
  $2 - 10 + abs(random() % 21) AS steps FROM runs;
$(lines_as_blocks "SELECT id AS run, value AS position, CAST(level_ms * 1000 *
         (1 + 0.04 * (abs(random() % 1000) + abs(random() % 1000) + abs(random() % 1000) - 1500) / 500.0) AS INTEGER)
         AS time_us FROM levels, generate_series(1, steps)")
SQL
}

# A file of this version with nothing in it.
empty_database() {
  rm -f "$1"
  build/pippin --db "$1" --quiet collect "$folder" # an empty folder, or one without logs
}

# sweep_database DATABASE ALLOCATIONS STEPS: 5,000 points, each once in each allocation.
sweep_database() {
  empty_database "$1"
  cat >"$folder/sweep.yaml" <<'YAML'
sweep: big
cluster: jean-zay-v100-32g
model: {size: 52B, seq: 1024}
grid:
  mbs: [1, 2, 3, 4, 6]
  gas: [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
  zero: [0, 1]
  recompute: [none, full]
  tp: [1, 2, 4, 8, 16]
  pp: [1, 2, 4, 8, 16]
gpus: 256
warmup: 3
YAML
  build/pippin plan "$folder/sweep.yaml" --format csv | sqlite3 "$1" ".import --csv /dev/stdin plan"
  sqlite3 -bail "$1" <<SQL
INSERT INTO sweeps (name) VALUES ('big');
INSERT INTO campaigns (sweep, number, started, cluster, run_order, seed, warmup)
  VALUES (1, 1, '2026-01-01T00:00:00Z', 'jean-zay-v100-32g', 'blocks', '1', 3);
INSERT INTO points (id, name, trainer, size, style, layers, hidden, heads, seq, vocab, params, tp, pp, dp, mbs, gas, gpus, gbs)
  SELECT printf('%016x', rowid), name, 'training', '52B', 'gpt2', 64, 8192, 32, 1024, 50257, 52000000000, tp, pp, dp, mbs, gas, gpus, gbs FROM plan;
INSERT INTO point_axes (point, position, name, text, number)
  SELECT printf('%016x', rowid), 1, 'zero', zero, zero FROM plan UNION ALL
  SELECT printf('%016x', rowid), 2, 'recompute', recompute, NULL FROM plan;
INSERT INTO campaign_points (campaign, position, point, state)
  SELECT 1, rowid, printf('%016x', rowid), 'planned' FROM plan;
INSERT INTO allocations (campaign, name, number)
  SELECT 1, 'big-a' || value, value FROM generate_series(1, $2);
INSERT INTO runs (name, point, allocation, repeat, position, state, recompute, started_at, scraper_version)
  SELECT name || '-a' || value, printf('%016x', plan.rowid), value, 1, plan.rowid, 'ok', recompute,
         1767225600 + value * 3600, 1
  FROM plan, generate_series(1, $2);
DROP TABLE plan;
SQL
  iterations_of "$1" "$3"
}
