#!/usr/bin/env bash
# A Megatron log of 200,000 iterations (about 80 MB), collected into a database of its own; beside it the
# perl line of the BigScience notes, which averages the elapsed time and keeps nothing.
set -euo pipefail
source tests/support/bench.bash
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
build/probes/replay --iterations 200000 --sleep-factor 0 --iteration-sd 4% >"$folder/log"
echo "$(($(stat -c %s "$folder/log") / 1000000)) MB"
compare 7 "pippin collect" "rm -f $folder/t.db*; build/pippin --quiet --db $folder/t.db collect $folder/log" \
  "perl one-liner" "perl -nle 'm|elapsed time per iteration .ms.: ([\\d\\.]+)| && do {\$t += \$1; \$n++}; END {print \$t / \$n}' $folder/log"
