#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What it costs to bring logs into a database, beside what else one would type: perl for each file, one perl, ripgrep
# (which count or average one number and keep nothing), and reading alone. Whole processes in turn with a warm cache;
# the median of RUNS=N runs (5) of user and system time. WORDS as arguments: only the rows that contain one of
# them. PARTS=N (1) divides the sizes, for a machine with little room in $TMPDIR. BASE=PROGRAM: another pippin, to be
# compared with in turn; its column is the median of TURNS=N ratios (21) of its time to this one's, and the ratio of the
# least times.
set -euo pipefail
source tests/support/bench.bash
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
runs=${RUNS:-5} parts=${PARTS:-1}
words=("$@")
make_logs=harness/scrape/bench/make_logs.pl
# shellcheck disable=SC2016 # perl expands it
perl_line='m|elapsed time per iteration .ms.: ([\d\.]+)| && do {$t += $1; $n++}; END {print $t / $n if $n}'
pippin=$PWD/build/pippin

# costs COMMAND [RESET]: "CPU_S KIB", the median of the time and the most memory; "- -" where there is no such program.
costs() {
  local i out=$folder/costs
  if [ -z "$1" ]; then echo "- -" && return; fi
  : >"$out"
  for ((i = 0; i < runs; ++i)); do
    bash -c "${2:-:}"
    command time -a -o "$out" -f '%U %S %M' bash -c "$1" >/dev/null
  done
  awk '{print $1 + $2}' "$out" | median | tr '\n' ' '
  awk '$3 > most {most = $3} END {print most}' "$out"
}

# cpu_ms COMMAND: user and system time of one run, in milliseconds
cpu_ms() {
  local TIMEFORMAT='%3U %3S'
  { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print ($1 + $2) * 1000}'
}

# base_ratio LOGS: "MEDIAN (LEAST)", or "-" without a base.
base_ratio() {
  local i now before
  if [ -z "${BASE:-}" ]; then echo '-' && return; fi
  for ((i = 0; i < ${TURNS:-21}; ++i)); do
    rm -f "$folder"/t.db*
    before=$(cpu_ms "$BASE" --quiet --db "$folder/t.db" collect "$1")
    rm -f "$folder"/t.db*
    now=$(cpu_ms "$pippin" --quiet --db "$folder/t.db" collect "$1")
    echo "$before $now $(awk "BEGIN {print $before / $now}")"
  done >"$folder/turns"
  printf '%.2f (%.2f)' "$(cut -d ' ' -f 3 "$folder/turns" | median)" \
    "$(awk 'NR == 1 || $1 < a {a = $1} NR == 1 || $2 < b {b = $2} END {print a / b}' "$folder/turns")"
}

# row WHAT LOGS [PERL_EACH]: pippin and its peers over a folder of logs. PERL_EACH: also perl for each file.
row() {
  local what=$1 logs=$2 each=${3:-} word wanted='' all
  for word in "${words[@]}"; do if [[ $what == *"$word"* ]]; then wanted=1; fi; done
  if [ "${#words[@]}" -gt 0 ] && [ -z "$wanted" ]; then return; fi
  eval "$logs"
  all="find $folder/logs -type f -print0 | xargs -0"
  local fresh again perl grep reads each_s='- -'
  fresh=$(costs "$pippin --quiet --db $folder/t.db collect $folder/logs" "rm -f $folder/t.db*")
  find "$folder/logs" -type f -exec touch -d '1 hour ago' {} +
  rm -f "$folder"/t.db*
  local base
  base=$(base_ratio "$folder/logs")
  $pippin --quiet --db "$folder/t.db" collect "$folder/logs"
  again=$(costs "$pippin --quiet --db $folder/t.db collect $folder/logs")
  perl=$(costs "$all perl -nle '$perl_line'")
  grep=$(costs "${rg:+$all rg --no-config -c 'elapsed time per iteration \\(ms\\)|saving checkpoint|out of memory|Error: '}")
  reads=$(costs "$all cat")
  [ -z "$each" ] || each_s=$(costs "find $folder/logs -type f -exec perl -nle '$perl_line' {} ';'")
  # shellcheck disable=SC2086 # words
  set -- $fresh $again $perl $grep $reads $each_s
  printf '| %s | %.2f (%.0f MB) | %.2f | %.2f | %s | %.2f | %s | %.1f | %.2f | %s |\n' "$what" "$1" "$(($2 / 1024))" "$3" \
    "$5" "$7" "$9" "${11}" "$(awk "BEGIN {print $5 / $1}")" "$(awk "BEGIN {print $9 / $1}")" "$base"
  rm -rf "$folder/logs" "$folder"/t.db*
}

# logs KIND COUNT BYTES
logs() {
  rm -rf "$folder/logs"
  mkdir "$folder/logs"
  perl "$make_logs" "$1" "$2" "$3" "$folder/logs"
  cat "$folder"/logs/* >/dev/null
}

rg=$(command -v rg || true)
echo "CPU, s:"
echo "| logs | pippin, new (memory) | pippin, again | one perl | rg | read | perl for each | perl / pippin | read / pippin | base / pippin |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
row "$((2000 / parts)) x 1 MB, noisy" "logs noisy $((2000 / parts)) 1000000"
row "one of $((2000 / parts)) MB, noisy" "logs noisy 1 $((2000 / parts))000000"
row "one of $((300 / parts)) MB, dense" "logs dense 1 $((300 / parts))000000"
row "one of $((300 / parts)) MB, with timers" "logs timed 1 $((300 / parts))000000"
for count in 1000 8000 64000; do
  each=''
  [ "$count" -gt 1000 ] || each=1
  row "$((count / parts)) x 2 KB" "logs small $((count / parts)) 2000" "$each"
done
row "$((8000 / parts)) x 2 KB that do not say their model" "logs unsaid $((8000 / parts)) 2000"
