#!/usr/bin/env bash
# A report over 5,000 points, five allocations each, and ten million iterations; beside it what one
# would ask SQLite for by hand, the mean step time of each point, which knows no intervals.
# The database is made once a run of this script; the first report, which sums the runs up, is timed
# apart.
set -euo pipefail
source tests/support/bench.bash
folder=$(mktemp -d)
[ -n "${KEEP:-}" ] || trap 'rm -r "$folder"' EXIT; echo "$folder" >&2
database=$folder/big.db
# A file of this version with the sweep's campaign and points in it, made by the program itself.
cat >"$folder/sweep.yaml" <<'YAML'
sweep: big
cluster: jean-zay-v100-32g
model: {size: 52B, seq: 1024}
grid:
  mbs: [1, 2, 3, 4, 6]
  gas: [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
  zero: [0, 1]
  recompute: [none, full]
  pp: [1, 2, 4, 8, 16]
  tp: [1, 2, 4, 8, 16]
gpus: 256
warmup: 3
YAML
build/pippin --db "$database" collect probes/LOG_FORMAT.md 2>/dev/null || true # an empty database
build/pippin plan "$folder/sweep.yaml" --format csv |
  sqlite3 "$database" ".import --csv /dev/stdin plan" ".quit"
# Step times: an allocation's level of 8 %, single steps of 4 %, and an end of their own for each run,
# so that runs differ in length as real ones do; a sum of twelve uniform numbers is nearly normal.
sqlite3 -bail "$database" <<'SQL'
BEGIN;
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
CREATE TEMP TABLE levels AS SELECT id,
  30000 * (1 + 0.08 * (abs(random() % 1000) + abs(random() % 1000) + abs(random() % 1000) - 1500) / 500.0) AS level_ms,
  390 + abs(random() % 21) AS steps FROM runs;
INSERT INTO iterations (run, position, iteration, step_time_ms, interval, flags)
  SELECT id, value, value, level_ms * (1 + 0.04 * (abs(random() % 1000) + abs(random() % 1000) + abs(random() % 1000) - 1500) / 500.0),
         1, value = 1 FROM levels, generate_series(1, steps);
DROP TABLE plan;
COMMIT;
SQL
sqlite3 "$database" "SELECT count(*) || ' points' FROM points; SELECT count(*) || ' runs' FROM runs;
  SELECT count(*) || ' iterations' FROM iterations"
du -h "$database" | sed 's/\t.*/ in the file/'
printf 'the first report, which sums the runs up: %d ms\n' \
  "$(($(wall_us "build/pippin --db $database report --format csv") / 1000))"
for format in csv terminal; do
  echo
  compare ${RUNS:-11} "pippin report --format $format" "build/pippin --db $database report --format $format" \
    "sqlite3, mean by point" "sqlite3 $database 'SELECT runs.point, avg(step_time_ms) FROM iterations JOIN runs ON runs.id = iterations.run WHERE flags = 0 GROUP BY runs.point'"
done
