#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# valgrind.sh PROGRAM: memcheck of every rank of the smallest layouts; what it finds is ours, but for
# what Open MPI and PMIx say of themselves.
for tool in mpirun valgrind; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
here=$(dirname "$0")
theirs=/usr/share/openmpi/openmpi-valgrind.supp
[ -r "$theirs" ] || theirs=$here/valgrind.supp
for layout in "--tp 2 --sequence-parallel --recompute selective" "--pp 2 --gas 2 --recompute full" \
  "--dp 2 --zero 1 --style llama --kv-heads 1"; do
  echo "$layout"
  # shellcheck disable=SC2086 # words
  "$here/launch.sh" 2 valgrind -q --error-exitcode=99 --suppressions="$here/valgrind.supp" \
    --suppressions="$theirs" "$1" $layout --layers 2 --hidden 16 --heads 2 --seq 8 --vocab 64 \
    --iterations 2 || exit 1
done
