#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# launch.sh RANKS PROGRAM …: the ranks on this machine, however few cores it has.
if ! command -v mpirun >/dev/null; then
  echo "skipped: no mpirun"
  exit 77
fi
ranks=$1
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_tcp_if_include=lo
# Open MPI leaks from plugins that it has closed; what leaks of ours shows in the tests of one rank.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
exec mpirun -n "$ranks" --oversubscribe "$@" </dev/null
