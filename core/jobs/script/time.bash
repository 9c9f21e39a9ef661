# SPDX-License-Identifier: Apache-2.0
# When the job will be ended: asked for by those that have run something, and only where that is near; and of
# a run that failed, whether it is ended already.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_end_of_job() { # seconds since 1970; "never", or nothing where nobody answers
  if [ -n "$pippin_pbs" ]; then pippin_end_of_pbs_job; return; fi
  pippin_end=$(pippin_ask_of_job --format=%e)
  if [ -n "$pippin_end" ] && [[ ! $pippin_end =~ ^[0-9]+$ ]]; then pippin_end=never; fi
}

# The last task of an array has the array's own id, by which squeue lists all. For the other ones their own is
# looked up faster.
pippin_own_id() {
  pippin_slurm_id=$SLURM_JOB_ID
  if [ "$SLURM_JOB_ID" = "${SLURM_ARRAY_JOB_ID:-}" ]; then pippin_slurm_id=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID; fi
}

pippin_ask_of_job() { # OPTION of squeue: what it says, with seconds since 1970
  local pippin_slurm_id
  pippin_own_id
  SLURM_TIME_FORMAT=%s squeue --noheader --jobs="$pippin_slurm_id" "$1"
}

# A job that has to give way may be granted time: Slurm ends its steps at once, and says nothing to the script. A
# trainer that saves then may end well; its log has srun's "*** STEP 7.0 ON n1 CANCELLED AT …".
pippin_gives_way() { # CODE SINCE, seconds since 1970, LOG
  local at
  if [ "$1" -eq 0 ] && [[ $(tail -c 4096 -- "$3") != *' CANCELLED AT '* ]]; then return 1; fi
  at=$(pippin_ask_of_job --Format=PreemptTime:20)
  [[ $at =~ ^([0-9]+)\ *$ ]] && [ "${BASH_REMATCH[1]}" -ge "$2" ] || return
  pippin_ended=TERM pippin_time_up='' pippin_gave_way=1
}

# It need not be submitted again where Slurm lets it wait for its turn.
pippin_wait_again() {
  local pippin_slurm_id
  pippin_own_id
  if scontrol requeue "$pippin_slurm_id"; then pippin_note "the job gives way, and begins again later"; fi
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
