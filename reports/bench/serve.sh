#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of 5,000 points in 20 allocations from `pippin serve`, asked for by 200 readers at a time, beside the same
# bytes from Python's http.server, which resets many connections. Fails where pippin leaves one unanswered.
# RUNS=N: rounds in turn (3, as Python's takes half a minute each); SECONDS_EACH=N: of one (5); READERS=N (200).
set -euo pipefail
source tests/support/bench.bash
folder=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -r "$folder"' EXIT
source reports/bench/big_sweep.bash
readers=${READERS:-200} seconds=${SECONDS_EACH:-5}

database=$folder/serve.db
sweep_database "$database" 20 20
build/pippin --db "$database" report --format csv >/dev/null # sums the runs up
c++ -std=c++20 -O2 -pthread reports/bench/readers.cpp -o "$folder/readers"

build/pippin --db "$database" serve >"$folder/said" &
pids+=($!)
until grep -q 'Ctrl-C ends it' "$folder/said"; do
  kill -0 "${pids[0]}"
  sleep 0.1
done
address=$(sed -n 's/^open //p' "$folder/said")
port=$(sed -E 's|.*:([0-9]+)/.*|\1|' <<<"$address")
cookie="Cookie: $(curl --silent --output /dev/null --dump-header - "$address" | sed -n 's/^Set-Cookie: \([^;]*\).*/\1/p')"
mkdir "$folder/files"
begin=$(date +%s%N)
curl --silent --fail --header "$cookie" "http://127.0.0.1:$port/report/big" >"$folder/files/big.html"
printf 'the first reader waits %d ms; the page has %.2f MB\n' $((($(date +%s%N) - begin) / 1000000)) \
  "$(stat -c %s "$folder/files/big.html" | awk '{print $1 / 1e6}')"

python3 -m http.server --bind 127.0.0.1 --directory "$folder/files" 8700 >"$folder/python.out" 2>&1 &
pids+=($!)
until curl --silent --fail http://127.0.0.1:8700/big.html >/dev/null; do
  kill -0 "${pids[1]}"
  sleep 0.1
done

row='%-28s %14s %14s %14s %14s\n'
# shellcheck disable=SC2059 # a format
printf "$row" "$readers readers, in turn" "answers/s" "median, ms" "99 %, ms" "not answered"
for ((i = 0; i < ${RUNS:-3}; ++i)); do
  pippin=$("$folder/readers" "$port" /report/big "$readers" "$seconds" "$cookie")
  python=$("$folder/readers" 8700 /big.html "$readers" "$seconds")
  # shellcheck disable=SC2059,SC2086 # a format, and four numbers each
  printf "$row" "pippin serve" $pippin "python3 -m http.server" $python
  [ "${pippin##* }" -eq 0 ]
  awk -v a="${pippin%% *}" -v b="${python%% *}" 'BEGIN {printf "%.3f\n", a / b}' >>"$folder/ratio"
done
printf 'ratio of answers/s, median: %.3f\n' "$(median <"$folder/ratio")"
