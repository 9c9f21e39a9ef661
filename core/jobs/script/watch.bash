# SPDX-License-Identifier: Apache-2.0
# What ends a run or a canary that takes too long, or whose log has fallen silent: its process group,
# what has left that (setsid, a daemon) and still has the run's folder in its environment, and its
# steps of Slurm's on all nodes.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_grace=10          # seconds from SIGTERM to SIGKILL
pippin_steps_of_prolog=' ' # which are not a run's

pippin_sizes() { # LOG: its size, and those of the files beside it that the trainer writes its lines to
  stat -c %s -- "$1" 2>/dev/null
  if declare -F pippin_other_logs >/dev/null; then pippin_other_logs "${1%/*}" 2>/dev/null; fi
}

pippin_too_long() { # LOG SECONDS STALLED: returns when that is so; waits in ticks, so that the time in
  # which all of the job is suspended does not count. Either time may be empty.
  local limit=$2 stalled=$3 tick=$2 passed=0 quiet=0 size now
  if [ -n "$stalled" ] && [ "$stalled" -lt "${limit:-$((stalled + 1))}" ]; then tick=$stalled; fi
  tick=$((tick < 20 ? 1 : tick < 600 ? tick / 20 : 30))
  if [ -n "$stalled" ]; then size=$(pippin_sizes "$1"); fi
  while :; do
    sleep "$tick"
    passed=$((passed + tick)) quiet=$((quiet + tick))
    if [ -n "$limit" ] && [ "$passed" -ge "$limit" ]; then pippin_why="run_time after=$limit" && return; fi
    [ -n "$stalled" ] || continue
    now=$(pippin_sizes "$1")
    if [ "$now" != "$size" ]; then size=$now quiet=0; fi
    if [ "$quiet" -ge "$stalled" ]; then pippin_why="stalled after=$stalled" && return; fi
  done
}

pippin_watch() { # LOG SECONDS STALLED [RECORD]: notes there why it stopped the child, before it does
  export -n PIPPIN_RUN_DIR # else what it starts would count as the run's
  pippin_need
  pippin_too_long "$1" "$2" "$3"
  if [ -n "${4:-}" ]; then
    printf 'pippin: stopping=%s\t%s\n' "$pippin_why" "$(pippin_last_line "$1")" >>"$4"
    if [ -n "$(tail -c 1 -- "$1")" ]; then echo >>"$1"; fi
    echo "pippin: stopped ($pippin_why s)" >>"$1"
  else
    echo "stopped after $2 s" >>"$1"
  fi
  kill -TERM -- "-$pippin_child"
  kill -CONT -- "-$pippin_child"
  sleep "$pippin_grace"
  pippin_processes
  kill -KILL -- "-$pippin_child" "${pippin_found[@]}"
}

# The child of a run that was stopped is gone: a bash that a signal ends does not wait for its trainer,
# which may be saving. What is left of its group has been told to end, and what has left that is told now.
pippin_end_leftovers() {
  local look
  pippin_need
  for ((look = 0; look < 8 * pippin_grace; ++look)); do
    pippin_processes
    [ "${#pippin_found[@]}" -gt 0 ] || break
    if [ "$look" -eq 0 ]; then kill -TERM "${pippin_strays[@]}"; fi
    if [ "$look" -ge $((5 * pippin_grace)) ]; then kill -KILL "${pippin_found[@]}"; fi
    sleep 0.2
  done 2>/dev/null
  pippin_end_steps
}

pippin_steps() { # of this job: " 7.0 7.1 ", of an array's task " 7_2.0 "
  local step job=$SLURM_JOB_ID # which the last task of an array shares with all of it
  if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID; fi
  pippin_steps_found=' '
  while read -r step; do
    if [[ $step == "$job".* && ${step##*.} =~ ^[0-9]+$ ]]; then pippin_steps_found+="$step "; fi
  done < <(squeue --noheader --steps --jobs="$SLURM_JOB_ID" --format=%i 2>/dev/null)
}

# A prolog may have begun steps that are to stay.
pippin_keep_steps() {
  if [ -z "${SLURM_JOB_ID:-}" ] || [ -z "${pippin_run_time:-}${pippin_stalled:-}" ]; then return; fi
  pippin_steps
  pippin_steps_of_prolog=$pippin_steps_found
}

# An srun that was killed leaves its step behind, and a step may outlive SIGTERM on another node.
pippin_end_steps() {
  local look step IFS=' '
  local -a left
  [ -n "${SLURM_JOB_ID:-}" ] || return 0
  for ((look = 0; look < 30; ++look)); do
    pippin_steps
    left=()
    for step in $pippin_steps_found; do
      if [[ $pippin_steps_of_prolog != *" $step "* ]]; then left+=("$step"); fi
    done
    [ "${#left[@]}" -gt 0 ] || return 0
    scancel "${left[@]}" 2>/dev/null
    sleep 1
  done
  pippin_note "these steps do not end: ${left[*]}"
}

pippin_read_stop() { # RECORD: "run_time after=600" in pippin_stopped, where the watcher stopped it
  local lines i
  [ -n "$1" ] || return
  mapfile lines <"$1"
  for ((i = ${#lines[@]} - 1; i >= 0; --i)); do
    if [[ ${lines[i]} =~ pippin:\ stopping=([a-z_]+\ after=[0-9]+)$'\t'.*$'\n'$ ]]; then
      pippin_stopped=${BASH_REMATCH[1]}
      return
    fi
    case ${lines[i]} in 'pippin: end of command'*) return 1 ;; esac
  done
  return 1
}
