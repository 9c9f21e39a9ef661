# SPDX-License-Identifier: Apache-2.0
# The readings of the canary, which is taken before and after each run: whatever comes of it, the run goes on.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_canary() { # FUNCTION FILE: whatever comes of it, the run goes on
  local code begun=$SECONDS spent
  pippin_reading_by=''
  [ -z "$pippin_ended$pippin_time_up$pippin_canary_off" ] || return
  pippin_readings=$((pippin_readings + 1))
  printf 'canary=%d taken=%(%s)T\n' "$pippin_readings" -1 >"$2"
  pippin_launch "$2" "$1" "${pippin_canary_limit:-}" ''
  code=$?
  spent=$((SECONDS - begun))
  if [ -n "$pippin_suspended" ]; then code=148 spent=0; fi # as of one that SIGTSTP stops
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
