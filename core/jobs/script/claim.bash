# SPDX-License-Identifier: Apache-2.0
# What every job begins with. It claims itself before anything else: of two processes that run the
# same script, one gets to make the claim's owner. Names are long so that no prolog means another
# thing by them; what needs no process of its own uses none, as arrays have thousands of tasks.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

unset SLURM_JWT # is for who submits: sruns of a job would use it in munge's place

pippin_time_up='' pippin_signalled=''
trap 'pippin_signalled=1 pippin_time_up=1' USR1 # which may come a minute early

pippin_take() { # FILE TEXT: true for the one process that makes the file
  local taken
  set -C # O_EXCL
  printf '%s\n' "$2" 2>/dev/null >"$1"
  taken=$?
  set +C
  return "$taken"
} 2>/dev/null

# A node that may not write where others do is to blame, and not what would run there: as if it had died.
pippin_cannot_write() { # FILE
  echo "cannot write $1 on $HOSTNAME; is the disk full?"
  until [ -e "${1:-/}" ]; do set -- "${1%/*}"; done
  if [ -n "$pippin_job" ] && [ ! -w "${1:-/}" ]; then kill -KILL $$; fi
  exit 3
}

# A job of one run has its claim in that run's record, others beside their script.
pippin_place_claim() {
  pippin_claim="$pippin_jobs/claim-$pippin_id"
  [ -n "${pippin_only:-}" ] || return 0
  if pippin_is_done "$pippin_only"; then
    pippin_note "$pippin_only is done already"
    exit 0
  fi
  pippin_claim="$pippin_root/$pippin_only/$pippin_submission-$pippin_id/run"
  [ -d "${pippin_claim%/*}" ] && return
  LC_ALL=C mkdir -p "${pippin_claim%/*}" || pippin_cannot_write "${pippin_claim%/*}" # LC_ALL: no look for translations
}

# Which kernel runs here, and its number of the mount that this job's files are on: mount.h has the same.
pippin_view_of() { # FOLDER: in pippin_view
  local boot='' name number
  read -r boot </proc/sys/kernel/random/boot_id
  while read -r name number; do
    if [ "$name" = mnt_id: ]; then pippin_view=$boot/$number; fi
  done 9<"$1" </proc/self/fdinfo/9
} 2>/dev/null

if [ -n "$pippin_job" ] && [ -e "$pippin_jobs/cancelled" ]; then
  echo "cancelled before it began"
  exit 0
fi
if pippin_given_up; then
  echo "given up before it began: see $pippin_root/given-up"
  exit 1
fi
if [ -n "$pippin_pbs" ]; then pippin_only_one && pippin_count_starts; fi
pippin_id="${pippin_job:-local}-$pippin_restart"
if [ -n "${pippin_single_runs:-}" ]; then pippin_find_run; fi
if [ "$pippin_restart" -gt 0 ]; then pippin_need && pippin_find_suspects; fi
pippin_place_claim
pippin_view=''
pippin_view_of "${pippin_claim%/*}"
pippin_claimed="pippin: claim host=$HOSTNAME pid=$$ task=${pippin_task:-1} view=$pippin_view"
if ! pippin_take "$pippin_claim" "$pippin_claimed"; then
  if [ -s "$pippin_claim" ]; then
    echo "another process has begun this job: $pippin_claim"
    exit 0
  fi
  pippin_cannot_write "$pippin_claim"
fi
pippin_outcomes="$pippin_root/outcomes/$HOSTNAME-${pippin_view%%/*}"
# What a task of an array prints has its place there, too.
if [ "$pippin_suspects" != $'\n' ]; then pippin_keep_suspects; fi
if [ -n "$pippin_task" ]; then exec >>"$pippin_claim" 2>&1; fi

if pippin_leaves_node; then exit 0; fi

pippin_first_node() { # of a list such as rack[0-1]n[01-16],login1
  local list=$1 name=
  while [[ $list =~ ^([^][,]*)\[([^],-]*)[^]]*\](.*)$ ]]; do
    name+=${BASH_REMATCH[1]}${BASH_REMATCH[2]} list=${BASH_REMATCH[3]}
  done
  MASTER_ADDR=$name${list%%,*}
}
export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + pippin_number % 10000))
if [ -n "$pippin_nodes" ]; then pippin_first_node "$pippin_nodes"; fi
