# SPDX-License-Identifier: Apache-2.0
# For bench scripts: times whole processes in turn, so that a machine that drifts drifts for all.
# Source it, then: compare RUNS NAME_A 'command a' NAME_B 'command b'

# wall_us COMMAND: microseconds that it takes; its output goes nowhere, its failure ends the script.
wall_us() {
  local begin end
  begin=$(date +%s%N)
  bash -c "$1" >/dev/null
  end=$(date +%s%N)
  echo $(((end - begin) / 1000))
}

median() { sort -n | awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2}'; }

compare() { # RUNS NAME_A COMMAND_A NAME_B COMMAND_B
  local runs=$1 name_a=$2 a=$3 name_b=$4 b=$5 i us_a us_b
  local folder
  folder=$(mktemp -d)
  wall_us "$a" >/dev/null # both once for warm caches
  wall_us "$b" >/dev/null
  for ((i = 0; i < runs; ++i)); do
    us_a=$(wall_us "$a") us_b=$(wall_us "$b")
    echo "$us_a" >>"$folder/a"
    echo "$us_b" >>"$folder/b"
    awk "BEGIN {print $us_a / $us_b}" >>"$folder/ratio"
  done
  printf '%-40s %10s %10s %10s\n' "whole process, $runs runs in turn, ms" min median max
  for i in a b; do
    [ "$i" = a ] && printf '%-40s' "$name_a" || printf '%-40s' "$name_b"
    awk '{print $1 / 1000}' "$folder/$i" | sort -n >"$folder/sorted"
    printf ' %10.1f %10.1f %10.1f\n' "$(head -n 1 "$folder/sorted")" "$(median <"$folder/sorted")" "$(tail -n 1 "$folder/sorted")"
  done
  printf '%-40s %10s %10.3f\n' "ratio, first / second" "" "$(median <"$folder/ratio")"
  rm -r "$folder"
}

# lines_as_blocks LINES: the SQL that stores lines of runs. LINES is a query for run, position and time_us.
lines_as_blocks() {
  cat <<SQL
INSERT INTO iteration_blocks (run, before, lines, iteration_base, iteration_width, iteration_offsets, interval_base,
    flags_base, flags_width, flags_offsets, step_time_ms_base, step_time_ms_width, step_time_ms_scale,
    step_time_ms_offsets)
  SELECT run, min(position) - 1, count(*), min(position), 0, 1, 1,
         0, 1, CAST(group_concat(position = 1, '') AS BLOB), 0, 9, 1000,
         CAST(group_concat(printf('%09d', time_us), '') AS BLOB)
  FROM (SELECT * FROM ($1) ORDER BY run, position) GROUP BY run, (position - 1) / 350;
SQL
}
