# One run: skipped where an attempt is done, claimed by its `started`, over when `done` has its
# name. A machine that cannot even note the start (a full disk) is no failure of the run, nor is
# what ends it from outside: it stays open, and pippin asks the scheduler why.
# shellcheck disable=SC2015,SC2034,SC2154 # an empty marker counts as none; variables of the other parts

pippin_ended='' pippin_child='' pippin_longest=0 pippin_asked_at=0
pippin_end=${SLURM_JOB_END_TIME:-} # as the job began, where Slurm says so
exec {pippin_table}</dev/null # tasks.sh, where there is one
pippin_stop() { # SIGNAL
  pippin_signalled=1 pippin_ended=$1
  if [ -n "$pippin_child" ]; then kill -TERM -- "-$pippin_child" 2>/dev/null; fi
}

pippin_note() { TZ=UTC0 printf '%(%FT%TZ)T %s\n' -1 "$*"; }

# A job that is begun again under its id, as its node died, finds here what failed last of all
# before: that may have been the node's doing.
pippin_suspects=$'\n'
if [ "$pippin_restart" -gt 0 ]; then
  pippin_before="$pippin_jobs/claim-${pippin_job:-local}-$((pippin_restart - 1))/failing"
  if [ -s "$pippin_before" ]; then
    cp "$pippin_before" "$pippin_claim/failing"
    pippin_suspects+=$(<"$pippin_before")$'\n'
  fi
fi

pippin_is_done() { # RUN: a failure counts where this submission has it, others were for repair
  local file words refuted='' attempt
  if [ -s "$pippin_root/refuted/$1" ]; then refuted=$(<"$pippin_root/refuted/$1"); fi
  for file in "$pippin_root/$1"/*/done; do
    [ -s "$file" ] && read -r words <"$file" || continue
    [[ $words =~ ^exit=([0-9]+)\ ended=[0-9]+(\ stopped=[a-z_]+\ after=[0-9]+)?$ ]] || continue
    attempt=${file%/done} attempt=${attempt##*/}
    [ "${BASH_REMATCH[1]}" = 0 ] && [[ $'\n'$refuted != *$'\n'"$attempt"$'\t'* ]] && return
    [[ $file == "$pippin_root/$1/$pippin_submission-"* ]] || continue
    [[ $pippin_suspects == *$'\n'"$1"$'\n'* ]] || return 0
  done
  return 1
}

pippin_end_of_job() { # seconds since 1970; "never", or nothing where nobody answers
  if [ -n "$pippin_pbs" ]; then pippin_end_of_pbs_job; return; fi
  local id=$SLURM_JOB_ID
  # The last task of an array has the array's own id, by which squeue lists all.
  if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then id=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID; fi
  pippin_end=$(SLURM_TIME_FORMAT=%s squeue --noheader --jobs="$id" --format=%e)
  if [ -n "$pippin_end" ] && [[ ! $pippin_end =~ ^[0-9]+$ ]]; then pippin_end=never; fi
}

pippin_has_time() { # [CANARY]: for one more run: as long as it may take, else as the longest so far
  local now needed=${pippin_run_time:-$pippin_longest}
  if [ -n "${1:-}" ]; then
    needed=$((needed + pippin_canary_time))
    if [ "$pippin_reading_by" != "$1" ]; then needed=$((needed + pippin_canary_time)); fi
  fi
  [ "$pippin_longest" -gt 0 ] || return 0
  [ -z "$pippin_time_up" ] || return
  [ -n "$pippin_job" ] || return 0
  printf -v now '%(%s)T' -1
  pippin_ends_behind $((now + needed)) && return
  if [ $((now - pippin_asked_at)) -ge 60 ]; then # it may have been given more
    pippin_end_of_job
    pippin_asked_at=$now
  fi
  [ -z "$pippin_end" ] || pippin_ends_behind $((now + needed))
}

pippin_ends_behind() { # SECONDS since 1970: surely
  [ "$pippin_end" = never ] || { [ -n "$pippin_end" ] && [ "$1" -lt "$pippin_end" ]; }
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

pippin_launch() { # LOG FUNCTION SECONDS STALLED [FILE]: what it leaves behind would disturb the next
  local code pippin_watcher=
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
  kill -KILL -- "-$pippin_child" 2>/dev/null
  pippin_child=
  if [ -s "${5:-}" ]; then
    pippin_end_leftovers
    code=124 # as timeout has it: what a program leaves that is told to end says nothing
  fi
  return "$code"
}

# Readings of the canary: where the last good one lies, if nothing has run since, and what took it.
pippin_reading='' pippin_reading_by='' pippin_readings=0 pippin_in_readings=0
pippin_canary_time=${pippin_canary_time:-0} pippin_canary_off='' pippin_canary_told=''
pippin_canary() { # FUNCTION FILE: whatever comes of it, the run goes on
  local code begun=$SECONDS spent
  pippin_reading_by=''
  [ -z "$pippin_ended$pippin_time_up$pippin_canary_off" ] || return
  pippin_readings=$((pippin_readings + 1))
  printf 'canary=%d taken=%(%s)T\n' "$pippin_readings" -1 >"$2"
  pippin_launch "$2" "$1" "${pippin_canary_limit:-}" ''
  code=$?
  spent=$((SECONDS - begun))
  if [ "$pippin_canary_time" -gt 0 ]; then
    pippin_in_readings=$((pippin_in_readings + spent))
    if [ "$spent" -gt "$pippin_canary_time" ]; then pippin_canary_time=$spent; fi
  fi
  if [ "$code" -eq 0 ]; then
    pippin_reading=$2 pippin_reading_by=$1
    return
  fi
  printf '\nexit=%d\n' "$code" >>"$2"
  [ -z "$pippin_ended" ] || return
  if [ -z "$pippin_canary_told" ]; then
    pippin_note "a canary exits $code, which its runs do not mind: see $2"
    pippin_canary_told=1
  fi
  if [ -n "${pippin_canary_limit:-}" ] && [ "$spent" -ge "$pippin_canary_limit" ]; then
    pippin_note "no more canaries in this job: one took $spent s"
    pippin_canary_off=1 pippin_canary_time=0
  fi
}

pippin_canary_before() { # FUNCTION FILE: one reading between two runs serves both
  if [ "$pippin_reading_by" = "$1" ]; then
    ln "$pippin_reading" "$2" 2>/dev/null || cp "$pippin_reading" "$2"
  else
    pippin_canary "$1" "$2"
  fi
  pippin_reading_by=''
}

pippin_done() { # RUN DIRECTORY CODE ENDED WHY
  local outcome=succeeded
  if [ "$3" -eq 0 ]; then
    if [ -e "$pippin_claim/failing" ]; then rm "$pippin_claim/failing"; fi
  else
    outcome=failed
    echo "$1" >>"$pippin_claim/failing"
  fi
  printf 'exit=%d ended=%d%s\n' "$3" "$4" "$5" >"$2/done.new" || return
  sync "$2/log" "$2/done.new" # a power cut must not leave an empty one
  mv "$2/done.new" "$2/done" && echo "$2" >"$pippin_root/$outcome/$1"
}

# Where runs take less than two seconds, a process for each folder would be a fifth of what a run costs.
pippin_folders() { # RUN...: that come next
  local run folders=()
  case $pippin_longest in 1 | 2) ;; *) return ;; esac
  [ -z "$pippin_ended$pippin_time_up$pippin_gave_up" ] || return
  for run in "$@"; do
    pippin_is_done "$run" || folders+=("$pippin_root/$run/$pippin_submission-$pippin_id")
  done
  [ "${#folders[@]}" -eq 0 ] || mkdir -p "${folders[@]}"
}

pippin_run() { # NAME [CANARY]: launches pippin_command
  local run=$1 begun_at directory="$pippin_root/$1/$pippin_submission-$pippin_id" code begun=$SECONDS
  local why='' pippin_earlier=$pippin_in_readings
  if pippin_is_done "$run"; then
    pippin_note "$run is done already"
    return
  fi
  if pippin_given_up; then
    if [ -z "$pippin_gave_up" ]; then pippin_note "given up by another job: see $pippin_root/given-up"; fi
    pippin_gave_up=1
    return 1
  fi
  if [ -n "$pippin_ended" ] || ! pippin_has_time "${2:-}"; then
    pippin_note "$run is left for another job: the time of this one is up"
    return
  fi
  { [ -d "$directory" ] || mkdir -p "$directory"; } && printf -v begun_at '%(%s)T' -1 &&
    pippin_take "$directory/started" "$begun_at" && declare -f pippin_command >"$directory/command" || return
  export PIPPIN_RUN_DIR=$directory
  if [ -n "${2:-}" ]; then pippin_canary_before "$2" "$directory/canary-before"; fi
  pippin_note "$run starts"
  pippin_launch "$directory/log" pippin_command "${pippin_run_time:-}" "${pippin_stalled:-}" "$directory/stopped"
  code=$?
  if [ -s "$directory/stopped" ]; then
    IFS='' read -r why <"$directory/stopped"
    pippin_note "$run is stopped: ${why#stopped=} s"
  elif [ -n "$pippin_ended" ] && [ "$code" -ne 0 ]; then
    pippin_note "$run is interrupted by $pippin_ended"
    echo "signal=$pippin_ended time_up=${pippin_time_up:-0}" >"$directory/interrupted"
    return
  fi
  pippin_note "$run exits $code"
  local ended_at length
  printf -v ended_at '%(%s)T' -1
  if [ -n "${2:-}" ]; then pippin_canary "$2" "$directory/canary-after"; fi
  pippin_done "$run" "$directory" "$code" "$ended_at" "${why:+ $why}"
  length=$((SECONDS - begun + 1 - (pippin_in_readings - pippin_earlier)))
  if [ "$length" -gt "$pippin_longest" ]; then pippin_longest=$length; fi
  pippin_weigh "$run" "$code" "$length" "$directory/log"
}
