#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# provocation_test.bash CASE [--accounting]: what goes wrong on a real cluster, provoked on a real
# Slurm; afterwards every run is measured exactly once, or says why not. Exits 77 where there is none.
accounting=${2:-}
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"
# shellcheck source-path=SCRIPTDIR source=late_view.bash
. "$scripts/late_view.bash"
# shellcheck source-path=SCRIPTDIR source=hole.bash
. "$scripts/hole.bash"

# Two sweeps at once, in jobs of several runs and in an array, so that each is provoked both ways.
write_both() {
  write_sweep blocks
  write_sweep array
}

start_both() {
  start_run blocks
  start_run array
}

# both_end STATUS [STATE=COUNT...]
both_end() {
  local sweep
  for sweep in blocks array; do
    ended "$1" "$sweep"
    holds "$sweep" "${@:2}"
  done
}

# both_run ATTEMPTS: so many have begun, in each of the two sweeps.
both_run() { at_least "$1" attempts blocks && at_least "$1" attempts array; }
all_run() { both_run 1 && [ -z "$(squeue -h --all -t PD)" ]; }
both_wait() { [ "$(squeue -h --all --array -t PD -o %A | wc -l)" -ge 15 ]; }
node_is() { [ "$(sinfo -h -N -n "$1" -o %T)" = "$2" ]; }
log_has() { grep -qE "$1" c/log/slurmctld.log; }
like() { grep -qE -- "$2" <<<"$1" || failed "line ${BASH_LINENO[0]}: no '$2' in '$1'"; }
unlike() { ! grep -qE -- "$2" <<<"$1" || failed "line ${BASH_LINENO[0]}: '$2' in '$1'"; }
jobs_of_both() { squeue -h --all -t R,PD -o %F | sort -u; } # an array is one

# The cases, by what goes wrong.
for part in "$scripts"/provocations/*.bash; do
  # shellcheck source=/dev/null
  . "$part"
done

need_slurm
"$1"
