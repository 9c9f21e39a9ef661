#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of 5,000 points and 100,000 runs: its size, how long pippin takes to write it, beside its CSV of the same
# runs, and how long Chromium takes to show and to sort it. KEEP=FOLDER leaves database and page there. RUNS=N: how
# often each is timed.
set -euo pipefail
source tests/support/bench.bash
folder=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -r "$folder"' EXIT
source reports/bench/big_sweep.bash

database=$folder/html.db page=$folder/page.html
[ -e "$database" ] || sweep_database "$database" 20 20
build/pippin --db "$database" report --format csv >/dev/null # sums the runs up
compare "${RUNS:-11}" "pippin report --format html" "build/pippin --db $database report --format html -o $page" \
  "pippin report --by run --format csv" "build/pippin --db $database report --by run --format csv"
printf '\nthe page has %.2f MB\n' "$(stat -c %s "$page" | awk '{print $1 / 1e6}')"
if [ -d build/reports/page/node_modules ] && command -v chromium >/dev/null; then
  cp -r reports/page/test build/reports/page/
  node build/reports/page/test/speed.mjs "$(command -v chromium)" "$page"
else
  echo "shown and sorted: not measured, without chromium or npm"
fi
