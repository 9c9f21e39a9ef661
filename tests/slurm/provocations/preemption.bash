# SPDX-License-Identifier: Apache-2.0
# Jobs that have to give way to others.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

preempting() { # MODE [FIELD [OPTION]...]: of the partition that gives way to `first`
  use --set PreemptType=preempt/partition_prio --set "PreemptMode=$1" --set "PartitionName=batch PriorityTier=1${2:+ $2}" \
    --set 'PartitionName=first Nodes=ALL PriorityTier=9 MaxTime=9' "${@:3}"
}

preempt() { sbatch -p first -N 4 --exclusive -o /dev/null --wrap 'sleep 2' >/dev/null; }

preempted() { # MODE
  preempting "$1"
  write_both
  takes 5
  start_both
  within 60 both_run 1
  takes 0.1
  preempt
  both_end 0 ok=12
  log_has 'preempted JobId' || failed "nothing was preempted"
}

preempted_and_requeued() { preempted REQUEUE; }
preempted_and_cancelled() { preempted CANCEL; }

# Its steps are told to end before the job is: what a run leaves then is no failure of its own, nor a result.
graceful() { # MODE SECONDS WRAPPER [OPTION]...
  preempting "$1" "GraceTime=$2" "${@:4}"
  write_both
  sed -i "s|^  .*replay|  {launch} -N 1 -n 1 $3 &|" array.yaml blocks.yaml
  takes 30
  start_both
  within 60 both_run 1
  sleep 10
  takes 0.1
  preempt
  both_end 0 ok=12
  [ "$(find t.db.runs -name run -exec grep -l '^pippin: signal=TERM' {} + | wc -l)" -ge 1 ] || failed "no run was ended"
}

preempted_with_grace() { graceful CANCEL 60 ''; }
requeued_with_grace() {
  graceful REQUEUE 60 ''
  at_least 1 restarted_runs || failed "nothing was begun anew"
}
saved_with_grace() { # as Megatron with --exit-signal-handler
  # shellcheck disable=SC2016 # for that script
  printf '%s\n' '#!/bin/bash' 'trap "exit 0" TERM' '"$@" & wait' >saver
  chmod +x saver
  graceful CANCEL 60 "$here/saver"
}
signalled_with_grace() { graceful CANCEL 15 '' --set SlurmctldParameters=preempt_send_user_signal; }
