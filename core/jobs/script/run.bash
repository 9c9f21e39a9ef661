# SPDX-License-Identifier: Apache-2.0
# One run: skipped where an attempt is done, claimed by its record, over when that says so. A machine
# that cannot even note the start (a full disk) is no failure of the run, nor is what ends it from
# outside: it stays open, and pippin asks the scheduler why.
# shellcheck disable=SC2015,SC2034,SC2154 # an empty marker counts as none; variables of the other parts

pippin_ended='' pippin_child='' pippin_suspended='' pippin_longest=0 pippin_asked_at=0
pippin_end=${SLURM_JOB_END_TIME:-} # as the job began, where Slurm says so
exec {pippin_table}</dev/null # a file of tasks, where there is one
pippin_stop() { # SIGNAL
  pippin_signalled=1 pippin_ended=$1
  if [ -n "$pippin_child" ]; then kill -TERM -- "-$pippin_child" 2>/dev/null; fi
}

pippin_note() { printf '%(%FT%T%z)T %s\n' -1 "$*"; }

pippin_suspects=$'\n' pippin_fails='' # earlier.bash

pippin_is_done() { # RUN: a failure counts where this submission has it, others were for repair
  local folder attempt
  for folder in "$pippin_root/$1"/*-*; do
    if [ ! -s "$folder/run" ] && [ ! -s "$folder/done" ] || [ "$folder/run" = "${pippin_claim:-}" ]; then continue; fi
    pippin_need
    pippin_read_end "$folder" || continue
    attempt=${folder##*/}
    [ "$pippin_code" = 0 ] && ! pippin_is_refuted "$1" "$attempt" && return
    [[ $attempt == "$pippin_submission-"* ]] || continue
    [[ $pippin_suspects == *$'\n'"$1"$'\n'* ]] || return 0
  done
  return 1
}

pippin_has_time() { # [CANARY]: for one more run: as long as it may take, else as the longest so far
  [ "$pippin_longest" -gt 0 ] || return 0
  [ -z "$pippin_time_up" ] || return
  [ -z "$pippin_job" ] || { pippin_need && pippin_ends_late "${1:-}"; }
}

pippin_wait() { # for the child; what a signal does meanwhile is done in its trap
  local code
  while :; do
    pippin_signalled=
    wait "$pippin_child"
    code=$?
    [ -n "$pippin_signalled" ] || return "$code"
  done
}

pippin_launch() { # LOG FUNCTION SECONDS STALLED [RECORD]: what it leaves behind would disturb the next
  local code pippin_watcher=
  pippin_stopped='' pippin_suspended=''
  [ -z "$pippin_ended" ] || return 143
  set -m # one that ends its process group is not the end of the job
  "$2" >>"$1" 2>&1 </dev/null {pippin_table}<&- &
  pippin_child=$!
  if [ -n "$3$4" ]; then
    pippin_watch "$1" "$3" "$4" "${5:-}" >/dev/null 2>&1 </dev/null &
    pippin_watcher=$!
    disown "$pippin_watcher"
  fi
  set +m # else wait would return when the child is suspended
  if [ -n "$pippin_ended" ]; then pippin_stop "$pippin_ended"; fi # before there was a child
  pippin_wait
  code=$?
  if [ -n "$pippin_watcher" ]; then kill -KILL -- "-$pippin_watcher" 2>/dev/null; fi
  # What ends the job may reach the run a moment before it reaches this script.
  if [ "$code" -ne 0 ] && [ -n "$pippin_job" ]; then sleep 0.3; fi
  if [ -n "$pippin_watcher" ] && pippin_read_stop "${5:-}"; then
    pippin_end_leftovers
    code=124 # as timeout has it: what a program leaves that is told to end says nothing
  fi
  kill -KILL -- "-$pippin_child" 2>/dev/null
  pippin_launched=$pippin_child pippin_child=
  return "$code"
}

# Readings of the canary: where the last good one lies, if nothing has run since, and what took it.
pippin_reading='' pippin_reading_by='' pippin_readings=0 pippin_in_readings=0
pippin_canary_time=${pippin_canary_time:-0} pippin_canary_off='' pippin_canary_told=''

pippin_done() { # RUN RECORD CODE ENDED STARTED STOPPED SUSPENDED
  local outcome=ok
  if [ ! -e "$2" ]; then
    pippin_need
    pippin_put_back "$2" "$5" "$3" || return
    if [ "$3" -eq 0 ]; then set -- "$1" "$2" 1 "${@:4}"; fi
  fi
  if [ "$3" -ne 0 ]; then
    outcome=failed
    pippin_need
    pippin_can_note "$1" "${2%/*}" || return
  fi
  if [ -n "$7" ]; then echo "pippin: suspended=1 started=$5" >>"$2" || return; fi
  printf 'pippin: exit=%d ended=%d started=%d%s\n' "$3" "$4" "$5" "${6:+ stopped=$6}" >>"$2" || return
  if [ "$outcome" = failed ]; then
    pippin_fails=1
    printf 'pippin: failing=%s\n' "$1" >>"$pippin_claim"
  elif [ -n "$pippin_fails" ]; then
    pippin_fails=''
    echo 'pippin: failing=' >>"$pippin_claim"
  fi
  LC_ALL=C sync "${2%/*}/log" "$2" # a power cut must not take what is told
  pippin_tell "$1" "$outcome"
}

pippin_tell() { # RUN OUTCOME
  printf '%s\t%s\n' "$1" "$2" 2>/dev/null >>"$pippin_outcomes" ||
    { mkdir -p "${pippin_outcomes%/*}" && printf '%s\t%s\n' "$1" "$2" >>"$pippin_outcomes"; }
}

pippin_begin() { # RUN RECORD: claims the attempt, and says in the record that it starts, at begun_at
  printf -v begun_at '%(%s)T' -1
  if [ "$2" = "$pippin_claim" ]; then
    echo "pippin: started=$begun_at" >>"$2" || return
  else
    { [ -d "${2%/*}" ] || LC_ALL=C mkdir -p "${2%/*}"; } && pippin_take "$2" "pippin: started=$begun_at" || return
  fi
  { echo 'pippin: command' && declare -f pippin_command && echo 'pippin: end of command'; } >>"$2"
}

pippin_was_cut_short() { # CODE SECONDS SINCE LOG: it was ended from outside
  if [ "$1" -ne 0 ] && [ -n "$pippin_ended" ]; then return; fi
  if [ "$1" -eq 0 ] && [ "$2" -lt 10 ] || [ -z "$pippin_job" ] || [ -n "$pippin_pbs" ]; then return 1; fi
  pippin_need
  pippin_gives_way "$1" "$3" "$4"
}

pippin_run() { # NAME [CANARY]: launches pippin_command
  local run=$1 begun_at launched_at ended_at length directory="$pippin_root/$1/$pippin_submission-$pippin_id" code begun=$SECONDS
  local record="$directory/run" stopped suspended pippin_earlier=$pippin_in_readings strays=''
  if pippin_is_done "$run"; then
    pippin_note "$run is done already"
    return
  fi
  if pippin_given_up; then
    if [ -z "$pippin_gave_up" ]; then pippin_note "given up by another job: see $pippin_root/given-up"; fi
    pippin_gave_up=1
    return 1
  fi
  if pippin_leaves_node; then return 0; fi
  if [ -n "$pippin_ended" ] || ! pippin_has_time "${2:-}"; then
    pippin_note "$run is left for another job: the time of this one is up"
    return
  fi
  pippin_begin "$run" "$record" || return
  export PIPPIN_RUN_DIR=$directory
  pippin_begins_on_node
  if [ -n "${2:-}" ]; then pippin_canary_before "$2" "$directory/canary-before"; fi
  pippin_note "$run starts"
  launched_at=$SECONDS
  pippin_launch "$directory/log" pippin_command "${pippin_run_time:-}" "${pippin_stalled:-}" "$record"
  code=$? stopped=$pippin_stopped suspended=$pippin_suspended
  if [ $((SECONDS - launched_at)) -gt 1 ] && [ -z "$stopped" ]; then strays=1; fi # shorter: no training
  if [ -n "$stopped" ]; then
    pippin_note "$run is stopped: $stopped s"
  elif pippin_was_cut_short "$code" $((SECONDS - begun)) "$begun_at" "$directory/log"; then
    pippin_note "$run is interrupted by $pippin_ended"
    echo "pippin: signal=$pippin_ended time_up=${pippin_time_up:-0} started=$begun_at" >>"$record"
    if [ -n "${pippin_gave_way:-}" ]; then pippin_wait_again; fi
    return
  fi
  pippin_note "$run exits $code"
  printf -v ended_at '%(%s)T' -1
  if [ -n "${2:-}" ]; then
    if [ -n "$strays" ]; then pippin_need && pippin_end_strays "$run"; fi
    strays=''
    pippin_canary "$2" "$directory/canary-after"
  fi
  pippin_done "$run" "$record" "$code" "$ended_at" "$begun_at" "$stopped" "$suspended" || return
  length=$((SECONDS - begun + 1 - (pippin_in_readings - pippin_earlier)))
  if [ -n "$strays" ]; then pippin_need && pippin_end_strays "$run"; fi
  if [ "$length" -gt "$pippin_longest" ] && [ -z "$suspended" ]; then pippin_longest=$length; fi
  pippin_blame_node "$run" "$code" "$length" "$directory/log" || pippin_weigh "$run" "$code" "$length" "$directory/log"
}
