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
source reports/bench/big_sweep.bash

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
  case $kind in sweep) sweep_database "$database" 5 400 ;; logs) logs_database "$database" ;; esac
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
