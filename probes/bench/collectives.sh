#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench collectives [ROUNDS]: the collective probe's timed loop beside a plain loop of the same
# MPI calls, in turn in the same processes, on 2 and on 4 ranks. The bar: within 3 %.
set -euo pipefail
rounds=${1:-21}
cmake --build build --target bench_collectives >&2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for ranks in 2 4; do
  echo "$ranks ranks on $(nproc) cores, median of $rounds rounds in turn"
  mpirun -n "$ranks" --oversubscribe build/probes/bench_collectives "$rounds" </dev/null
done
