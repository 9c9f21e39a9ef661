# SPDX-License-Identifier: Apache-2.0
# What a prolog that fails is: the end of the job, of which its node may be the cause.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

# A line of the prolog that fails ends the job: what it should have made the runs would miss. What happens
# inside of a script that it sources is that script's affair.
pippin_prolog_fails() { # CODE LINE DEPTH
  [ "$3" -eq 1 ] || return 0
  pippin_fault="the prolog's line '$(sed -n "$2p" "$pippin_jobs/job.sh")' exits $1"
  pippin_note "$pippin_fault"
  exit "$1"
}

pippin_at_exit() { # CODE COMMAND: the prolog has ended the script; one that a signal ended is no fault. Then
  # the code is that of the command before, 0 mostly, and the command is the one that it ended.
  if [ -n "$pippin_began" ] || [ "$1" -gt 128 ]; then return; fi
  if [ "$1" -eq 0 ] && [[ ! $2 =~ ^exit([[:space:]]|$) ]]; then return; fi
  pippin_fault=${pippin_fault:-the prolog exits $1}
  printf 'pippin: fault=%s\n' "${pippin_fault//$'\n'/ }" >>"$pippin_claim"
  if pippin_blame_node_for_prolog "$pippin_fault" || [ "${pippin_give_up:-0}" -eq 0 ]; then return; fi
  pippin_points=1
  pippin_need
  pippin_add_fault "prolog of $pippin_name"
}

# Below a trap a bare "return" gives the status from before it, which after a signal is 0: hence "return 1",
# here and in what this calls.
pippin_blame_node_for_prolog() { # WORDS
  set +eu # as the prolog may have it
  [ -n "$pippin_node" ] && [ "${pippin_bad_node_after:-0}" -gt 0 ] || return 1
  pippin_need
  pippin_on_node prolog "task=${pippin_task:-1}" "$SECONDS" "$1"
  pippin_judge_node
}
