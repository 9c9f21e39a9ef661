#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reports over 5,000 points and ten million iterations, beside what one would ask SQLite for by hand:
# the mean step time of each point, which knows no intervals. Twice: a sweep of five allocations a
# point, and foreign logs, one a point, with sixty arguments each.
# The databases are made anew each time; the first report, which sums the runs up, is timed apart.
# KEEP=FOLDER leaves them there. RUNS=N: how often each is timed.
set -euo pipefail
source tests/support/bench.bash
folder=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -r "$folder"' EXIT

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
  sqlite3 -bail "$1" <<'SQL'
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
  SELECT 1, 'big-a' || value, value FROM generate_series(1, 5);
INSERT INTO runs (name, point, allocation, repeat, position, state, recompute, started_at, scraper_version)
  SELECT name || '-a' || value, printf('%016x', plan.rowid), value, 1, plan.rowid, 'ok', recompute,
         1767225600 + value * 3600, 1
  FROM plan, generate_series(1, 5);
DROP TABLE plan;
SQL
  iterations_of "$1" 400
}

logs_database() {
  empty_database "$1"
  sqlite3 -bail "$1" <<'SQL'
INSERT INTO points (id, name, trainer, style, layers, hidden, heads, seq, params, tp, pp, dp, mbs, gas, gpus, gbs)
  SELECT printf('%016x', value), 'l64-h8192-tp4-pp16-dp1-mbs4-gas' || value, 'megatron', 'gpt2', 64, 8192, 32, 1024,
         52000000000, 4, 16, 1, 4, value, 64, 4 * value FROM generate_series(1, 5000);
INSERT INTO point_axes (point, position, name, text, number)
  SELECT printf('%016x', point.value), axis.value, 'argument_number_' || axis.value,
         CASE axis.value WHEN 7 THEN point.value ELSE 'some value' END, NULL
  FROM generate_series(1, 5000) AS point, generate_series(1, 60) AS axis;
INSERT INTO allocations (name) SELECT 'log-' || value FROM generate_series(1, 5000);
INSERT INTO runs (name, point, allocation, position, state, recompute, scraper_version)
  SELECT 'log-' || value, printf('%016x', value), value, 1, 'ok', 'full', 1 FROM generate_series(1, 5000);
SQL
  iterations_of "$1" 2000
}

for kind in sweep logs; do
  database=$folder/$kind.db
  "${kind}_database" "$database"
  sqlite3 "$database" "SELECT '$kind: ' || count(*) || ' points, ' || (SELECT count(*) FROM runs) || ' runs, ' ||
    (SELECT count(*) FROM iterations) || ' iterations' FROM points"
  printf 'the first report, which sums the runs up: %d ms\n' \
    "$(($(wall_us "build/pippin --db $database report --format csv") / 1000))"
  for format in csv terminal; do
    echo
    compare "${RUNS:-11}" "pippin report --format $format" "build/pippin --db $database report --format $format" \
      "sqlite3, mean by point" "sqlite3 $database 'SELECT runs.point, avg(step_time_ms) FROM iterations JOIN runs ON runs.id = iterations.run WHERE flags = 0 GROUP BY runs.point'"
  done
  echo
done
