# SPDX-License-Identifier: Apache-2.0
# When no more is launched: runs have failed alike one after the other, at once, by what is wrong with
# the job and not with them, such as a program that is not there. Where a run prints an iteration or
# speaks of memory, or fails in any other way, that is a result of its own: layouts may be bad.
# $pippin_root/alike has the last such failures of all jobs, until a run ends in another way.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_gave_up='' pippin_began='' pippin_fault=''

pippin_given_up() { # by a job of this submission or a later one; by hand only what happens here counts
  local until
  [ "${pippin_give_up:-0}" -gt 0 ] || return
  [ -z "$pippin_gave_up" ] || return 0
  [ -n "$pippin_job${PIPPIN_QUEUE_ENTRY:-}" ] && [ -s "$pippin_root/given-up" ] || return
  IFS='' read -r until <"$pippin_root/given-up"
  [[ $until =~ ^until=([0-9]+)\  ]] && [ "${BASH_REMATCH[1]}" -ge "$pippin_submission" ]
}

pippin_weigh() { # RUN CODE SECONDS LOG: of one that is over
  [ "${pippin_give_up:-0}" -gt 0 ] || return 0
  pippin_fault=''
  if [ "$2" -ne 0 ]; then pippin_need && pippin_fault_of "$2" "$3" "$4"; fi
  if [ -n "$pippin_fault" ]; then
    pippin_add_fault "$1"
  elif [ -e "$pippin_root/alike" ]; then
    rm -f "$pippin_root/alike"
  fi
}
