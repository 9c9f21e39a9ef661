# SPDX-License-Identifier: Apache-2.0
# When the job will be ended: asked for by those that have run something, and only where that is near; and of
# a run that failed, whether it is ended already.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_end_of_job() { # seconds since 1970; "never", or nothing where nobody answers
  if [ -n "$pippin_pbs" ]; then pippin_end_of_pbs_job; return; fi
  pippin_end=$(pippin_ask_of_job --format=%e)
  if [ -n "$pippin_end" ] && [[ ! $pippin_end =~ ^[0-9]+$ ]]; then pippin_end=never; fi
}

pippin_ask_of_job() { # OPTION of squeue: what it says, with seconds since 1970
  local id=$SLURM_JOB_ID
  # The last task of an array has the array's own id, by which squeue lists all.
  if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then id=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID; fi
  SLURM_TIME_FORMAT=%s squeue --noheader --jobs="$id" "$1"
}

# A job that has to give way may be granted time: Slurm ends its steps at once, and says nothing to the script.
pippin_gives_way() { # SINCE, seconds since 1970
  local at
  [ -n "$pippin_job" ] && [ -z "$pippin_pbs" ] || return
  at=$(pippin_ask_of_job --Format=PreemptTime:20)
  [[ $at =~ ^([0-9]+)\ *$ ]] && [ "${BASH_REMATCH[1]}" -ge "$1" ] || return
  pippin_ended=TERM
}

# Late enough for one more run: as long as it may take, else as the longest so far.
pippin_ends_late() { # [CANARY]
  local now needed=${pippin_run_time:-$pippin_longest}
  if [ -n "${1:-}" ]; then
    needed=$((needed + pippin_canary_time))
    if [ "$pippin_reading_by" != "$1" ]; then needed=$((needed + pippin_canary_time)); fi
  fi
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
