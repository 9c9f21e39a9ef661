#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The training probe's step beside PyTorch's, eager, fp32, same model, in turn; how much of it BLAS
# is; and what its timers cost. ./dev bench probes calls it with the folder of the built probes and
# the rounds.
set -euo pipefail
probes=$1 rounds=${2:-3}
bench=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# What a shell says of BLAS would decide for both: each takes the best that it finds here.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS OMP_NUM_THREADS
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cc -O2 -shared -fPIC -o "$folder/blas_share.so" "$bench/blas_share.c" -ldl

median() { sort -g | awk '{x[NR] = $1} END {print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2}'; }
# The steps of a log, without the first two.
steps() { sed -n 's/.*elapsed time per iteration (ms): \([0-9.]*\).*/\1/p' | tail -n +3; }

compare() { # NAME MODEL…
  local name=$1 threads round
  shift
  for threads in 1 2; do
    rm -f "$folder/ours" "$folder/theirs"
    for ((round = 0; round < rounds; ++round)); do
      # Its BLAS counts threads for itself, and both pools' spinning would steal each other's cores.
      OPENBLAS_NUM_THREADS=$threads OMP_WAIT_POLICY=passive \
        /usr/bin/python3 "$bench/pytorch_step.py" "$@" --threads $threads --iterations 8 |
        tail -n +3 | cut -d' ' -f1 | median >>"$folder/theirs"
      "$probes/training" "$@" --threads $threads --iterations 8 | steps | median >>"$folder/ours"
    done
    LD_PRELOAD=$folder/blas_share.so "$probes/training" "$@" --threads $threads --iterations 8 \
      2>"$folder/blas" | sed -n 's/.*elapsed time per iteration (ms): \([0-9.]*\).*/\1/p' >"$folder/all"
    awk -v name="$name" -v threads=$threads -v ours="$(median <"$folder/ours")" \
      -v theirs="$(median <"$folder/theirs")" -v blas="$(cut -d' ' -f2 "$folder/blas")" '
      { all += $1 }
      END {
        printf "%s, %d thread%s: pippin %.1f ms, PyTorch %.1f ms: %.2f of PyTorch; BLAS %.0f %% of it\n",
               name, threads, (threads > 1 ? "s" : ""), ours, theirs, ours / theirs,
               100 * blas / (all * threads)
      }' "$folder/all"
  done
}

# The same run with and without timers, in turn; the median of the pairs' ratios.
overhead() { # NAME RANKS OPTIONS…
  local name=$1 ranks=$2 level round
  shift 2
  : >"$folder/ratios"
  for ((round = 0; round < 10 * rounds; ++round)); do
    for level in 0 1; do
      mpirun -n "$ranks" --oversubscribe "$probes/training" "$@" --timing-log-level $level \
        </dev/null | steps | median >"$folder/$level"
    done
    awk 'NR == 1 {off = $1} NR == 2 {print $1 / off}' "$folder/0" "$folder/1" >>"$folder/ratios"
  done
  awk -v name="$name" -v ratio="$(median <"$folder/ratios")" -v ms="$(cat "$folder/0")" \
    'BEGIN {printf "timers, %s: %+.2f %% of %.1f ms\n", name, 100 * (ratio - 1), ms}'
}

compare "h 256, l 4, s 256, MBS 4" --layers 4 --hidden 256 --heads 8 --seq 256 --vocab 8192 --mbs 4 --gas 1
compare "h 768, l 4, s 512, MBS 2" --layers 4 --hidden 768 --heads 12 --seq 512 --vocab 16384 --mbs 2 --gas 1
for interval in 1 10; do
  options=(--layers 4 --hidden 128 --mbs 4 --iterations 100 --log-interval "$interval")
  overhead "1 rank, a report every $interval" 1 "${options[@]}"
  overhead "2 ranks, TP 2, a report every $interval" 2 --tp 2 "${options[@]}"
done
