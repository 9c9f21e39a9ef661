#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cluster_test.bash CASE: tries slurm/cluster.bash with real daemons; exits 77 where they are missing.
# $PIPPIN_PROGRAM is pippin; $HELLO_MPI is tests/slurm/hello_mpi.cpp, or empty where there is no MPI.
set -euo pipefail
script=$(realpath "$(dirname "$0")/../../slurm/cluster.bash")
here=$(mktemp -d)
cd "$here"
for name in "${!SLURM_@}" "${!SBATCH_@}"; do unset "$name"; done

cluster() { bash "$script" "$@"; }
use() { eval "$(cluster up "$@")"; }
skip() { echo "skipped: $*"; exit 77; }
failed() { echo "failed: $*"; exit 1; }
equal() { [ "$1" = "$2" ] || failed "expected '$2', found '$1'"; }

need() {
  local program
  for program in "$@"; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || skip "$program is not installed"
  done
}

clean() {
  local status=$? settings directory
  for settings in "$here"/*/settings; do
    if [ ! -e "$settings" ]; then continue; fi
    directory=${settings%/*}
    if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then tail -n 20 "$directory"/log/slurmctld.log; fi
    cluster down "$directory"
  done
  rm -rf "$here"
}
trap clean EXIT

# within SECONDS COMMAND...: the command becomes true.
within() {
  local until=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$until" ] || failed "still not: $*"
    sleep 0.1
  done
}

# controller_saves DIR JOB: what it knows of the job, which it else does every few seconds.
controller_saves() {
  scontrol update jobid="$2" comment=as-of-now
  within 20 grep -q as-of-now "$1/state/job_state"
}

# refused STATUS TEXT WORD...: cluster.bash ends so, saying so in one line.
refused() {
  local status=0
  cluster "${@:3}" >out 2>err || status=$?
  equal "$status" "$1"
  equal "$(wc -l <err)" 1
  equal "$(cat out)" ""
  grep -q -e "$2" err || failed "expected '$2', found '$(cat err)'"
}

node_is() { [ "$(sinfo -h -N -n "$1" -o %T)" = "$2" ]; }
job_is() { [ "$(squeue -h -t all -j "$1" -o %T 2>/dev/null)" = "$2" ]; }
runs() { ! ended "$1"; }
ended() { ! grep -qs '^State:[[:blank:]]*[^[:blank:]ZX]' "/proc/$1/status"; } # where nothing reaps, zombies stay
submit() { sbatch --parsable -o /dev/null "$@"; }
file_has() { grep -qsx -e "$1" "$2"; }

# Fails where a process still names the directory in its environment, arguments or open files.
nothing_left() {
  local left
  left=$(
    grep -lzs -F -e "$1/" /proc/[0-9]*/environ /proc/[0-9]*/cmdline || true
    find /proc/[0-9]*/fd -lname "$1/*" 2>/dev/null || true
  )
  equal "$left" ""
  [ ! -e "$1" ] || failed "$1 is still there"
}

up_and_down_twice() {
  local exports orphan
  exports=$(cluster up "$here/a")
  equal "$exports" "export SLURM_CONF=$here/a/slurm.conf"
  equal "$(cluster up "$here/a" 2>err)" "$exports"
  grep -q 'is up already, with 4 nodes' err || failed "$(cat err)"
  refused 2 'is up with other options' up "$here/a" --nodes 2
  # In a subshell, as a job's processes are known by what slurmd says, not by the caller's SLURM_CONF.
  (
    eval "$exports"
    equal "$(sinfo -h -o '%D %T')" "4 idle"
    submit --wrap 'setsid sleep 1000 & (env -i sleep 1000 & echo $! >orphan); wait' >job
    within 20 test -s orphan
  )
  orphan=$(cat orphan)
  runs "$orphan" || failed "the job's orphan does not run"
  cluster down "$here/a"
  nothing_left "$here/a"
  within 5 ended "$orphan"
  cluster down "$here/a"
  cluster up "$here/a" --nodes 1 >exports
  cluster down "$here/a"
  nothing_left "$here/a"
}

in_a() { SLURM_CONF=$here/a/slurm.conf "$@"; }
in_b() { SLURM_CONF=$here/b/slurm.conf "$@"; }

two_at_once() {
  local first user
  cluster up "$here/a" --nodes 2 >/dev/null &
  first=$!
  cluster up "$here/b" --nodes 3 >/dev/null
  wait "$first"
  SLURM_CONF=$here/a/slurm.conf sleep 1000 & # one who uses the cluster is not of it
  user=$!
  equal "$(in_a sinfo -h -o %D)" 2
  cluster down "$here/a"
  runs "$user" || failed "down ended a process that is not the cluster's"
  kill "$user"
  wait "$user" || true
  nothing_left "$here/a"
  equal "$(in_b sinfo -h -o %D)" 3
  equal "$(in_b srun printenv SLURMD_NODENAME)" n1
}

# A node's death is slurmd's; what runs on it runs on until slurmd is back, or dies with it.
node_dies_and_comes_back() {
  local job pid
  use "$here/a" --nodes 2 --set SlurmdTimeout=3
  job=$(submit -w n2 --no-requeue --wrap 'echo $$ >pid; exec sleep 1000')
  within 20 test -s pid
  pid=$(cat pid)
  cluster kill "$here/a" n2
  refused 3 'n2 does not run' kill "$here/a" n2
  within 30 node_is n2 'down*'
  within 20 job_is "$job" NODE_FAIL
  runs "$pid" || failed "the job's process died with slurmd"
  cluster start "$here/a" n2
  cluster wait "$here/a"
  within 10 ended "$pid"
  within 10 node_is n2 idle
  rm pid
  submit -w n2 --wrap 'echo $$ >pid; exec sleep 1000' >job
  within 20 test -s pid
  cluster kill "$here/a" n2 --with-jobs
  ended "$(cat pid)" || failed "the job's process lives"
  node_is n1 idle || failed "n1 is not idle"
}

controller_dies() {
  local job
  use "$here/a" --nodes 1
  job=$(submit --wrap 'sleep 1000')
  within 20 job_is "$job" RUNNING
  controller_saves "$here/a" "$job"
  cluster kill "$here/a" slurmctld
  cluster start "$here/a" slurmctld
  cluster wait "$here/a"
  within 10 job_is "$job" RUNNING
  cluster kill "$here/a" slurmctld STOP
  equal "$(timeout 1 squeue -h 2>&1 || echo "$?")" 124
  cluster kill "$here/a" slurmctld CONT
  within 10 job_is "$job" RUNNING
  cluster kill "$here/a" slurmctld TERM
  cluster start "$here/a" slurmctld --without-state
  cluster wait "$here/a"
  equal "$(squeue -h -t all)" ""
  equal "$(submit --wrap true)" "$job"
}

job_failed() { [ "$(sacct -nXP --name "$1" -o State,ExitCode)" = 'FAILED|3:0' ]; }
limit_holds() { ! submit --wrap true 2>err && grep -q AssocMaxSubmitJobLimit err; }

accounting() {
  need slurmdbd sacctmgr mariadbd
  use "$here/a" --nodes 1 --accounting --set AccountingStorageEnforce=limits
  submit -J here-it-is --wrap 'exit 3' >job
  within 30 job_failed here-it-is
  sacctmgr -iQ modify user >/dev/null "$(id -un)" set MaxSubmitJobs=0
  within 10 limit_holds
  cluster kill "$here/a" slurmdbd
  if sacct -n >/dev/null 2>&1; then failed "sacct without slurmdbd"; fi
  cluster start "$here/a" slurmdbd
  within 10 job_failed here-it-is
}

own_lines() {
  use "$here/a" --nodes 2 --set maxarraysize=77 --set AuthInfo=ttl=33 --set 'NodeName=n2 CPUs=3 CoresPerSocket=3' \
    --set 'PartitionName=batch MaxTime=60' --set 'PartitionName=short Nodes=n1 MaxTime=5'
  equal "$(scontrol show config | sed -n 's/^MaxArraySize *= //p')" 77
  equal "$(scontrol show config | sed -n 's/^AuthInfo *= //p')" "socket=$here/a/munge/sock,ttl=33"
  equal "$(sinfo -h -N -p batch -o '%N %c %l')" "n1 40 1:00:00
n2 3 1:00:00"
  equal "$(sinfo -h -p short -o '%N %l')" "n1 5:00"
  equal "$(srun --gres=gpu:2 printenv CUDA_VISIBLE_DEVICES)" 0,1
}

# A shape with all that one may hold: nodes by ranges, types of GPUs, none, a QOS.
shape() {
  need slurmdbd sacctmgr mariadbd
  cat >a.shape <<'TEXT'
# three nodes and one
--nodes 4   # of which n4 has no GPUs
--accounting

NodeName=n[1-2,3] Gres=gpu:v100:2,gpu:a100:6 RealMemory=32000
NodeName=n4 Gres=(null) Feature=big,slow
MaxArraySize=77
sacctmgr add qos short
sacctmgr modify user root set qos+=short
TEXT
  use "$here/a" --shape a.shape --set MaxArraySize=78
  equal "$(sinfo -h --exact -o '%D %m %G %f' | sort)" "1 16000 (null) big,slow
3 32000 gpu:v100:2,gpu:a100:6 (null)"
  equal "$(scontrol show config | sed -n 's/^MaxArraySize *= //p')" 78
  equal "$(sacctmgr -nP show assoc user=root format=qos | head -n 1)" normal,short
  equal "$(srun -N1 --gres=gpu:a100:6 printenv CUDA_VISIBLE_DEVICES)" 2,3,4,5,6,7
  cluster down "$here/a"
  echo 'NodeName n1' >a.shape
  refused 2 "a.shape:1: 'NodeName n1': .* is needed" up "$here/a" --shape a.shape
  refused 2 "none.shape': cannot be read" up "$here/a" --shape none.shape
  echo 'sacctmgr add qos short' >a.shape
  refused 2 'sacctmgr add qos short: needs --accounting' up "$here/a" --shape a.shape
  echo 'sacctmgr add nothing' >a.shape
  refused 3 'sacctmgr add nothing: .*log: ' up "$here/a" --accounting --shape a.shape
}

mistakes() {
  refused 2 'is needed' up "$here/a" --nodes none
  refused 2 'KEY=VALUE' up "$here/a" --set MaxArraySize
  refused 2 'this one the cluster needs as it is' up "$here/a" --set SlurmctldPort=1
  refused 2 'lacks its value' up "$here/a" --set
  refused 2 'no cluster is here' kill "$here/a" n1
  mkdir a && touch a/precious
  refused 2 "holds files that are no cluster's" up "$here/a"
  refused 2 'no cluster is here' down "$here/a"
  [ -e a/precious ] || failed "a file is gone"
  refused 3 "slurmctld did not start: .*log: $here/b/log/slurmctld.log" up "$here/b" --set SelectType=select/none
  [ -s b/log/slurmctld.log ] || failed "no log"
  equal "$(find b -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | paste -sd ' ')" 'log settings'
  cluster down "$here/b"
  nothing_left "$here/b"
}

# Names without an address are usual in containers.
host_without_address() {
  unshare -u true 2>/dev/null || skip "the host's name cannot be changed here"
  # shellcheck disable=SC2016 # for the shell in there
  unshare -u bash -c 'hostname nowhere && eval "$(bash "$0" up "$1" --nodes 2)" && srun -N2 true &&
    sbatch -W -N2 -o nowhere.log --wrap "srun uname -n"' "$script" "$here/a"
  equal "$(cat nowhere.log)" "nowhere
nowhere"
}

plain_user() {
  [ "$(id -u)" -eq 0 ] || skip "every other test is one of it: this user is not root"
  chmod 777 "$here"
  install -m 755 "$script" "${script%/*}"/{network,shape}.bash "$here" # a checkout may be for its owner only
  # shellcheck disable=SC2016 # for the shell in there
  setpriv --reuid=nobody --regid=nogroup --clear-groups bash -c 'umask 077
    if bash "$0" up "$1" --network 2>refused; then exit 1; fi
    eval "$(bash "$0" up "$1" --nodes 2)" && srun -N2 --gres=gpu:1 id -un && bash "$0" down "$1"' \
    "$here/cluster.bash" "$here/a" >users
  equal "$(cat users)" "nobody
nobody"
  grep -q "cannot be had here: only root" refused || failed "$(cat refused)"
  nothing_left "$here/a"
}

# Bytes that n2 receives while n1 and n2 send for two seconds.
received() {
  local before after
  before=$(srun -w n2 sed -nE 's/^ *eth0: *([0-9]+) .*/\1/p' /proc/net/dev)
  cluster traffic "$here/a" n1 n2 2
  after=$(srun -w n2 sed -nE 's/^ *eth0: *([0-9]+) .*/\1/p' /proc/net/dev)
  echo "$((after - before))"
}

# Seconds that n1 computes in two, in thousandths.
computed() {
  # shellcheck disable=SC2016 # for the shell in there
  srun -w n1 bash -c 'until=$((SECONDS + 2)); while [ "$SECONDS" -lt "$until" ]; do :; done; times' |
    sed -nE '1s/^0m([0-9]+)\.([0-9]{3})s .*/\1\2/p'
}

between() { if [ "$2" -lt "$1" ] || [ "$2" -gt "$3" ]; then failed "$2 is not between $1 and $3"; fi; }

no_network_left() {
  equal "$(ip netns list | grep -E "^pippin-$1(-|$| )" || true)" ""
  equal "$(ip -o link | grep -F "pippin$1" || true)" ""
  equal "$(find /sys/fs/cgroup -maxdepth 2 -name "pippin-$1" 2>/dev/null || true)" ""
}

base_of() { sed -n 's/^base=//p' "$1/settings"; }

# Each node is a machine with links of its own, which are spoilt and healed one by one.
network() {
  local status=0 base
  cluster up "$here/a" --network --nodes 2 --rate 80mbit >exports 2>err || status=$?
  if grep -q -e '--network cannot be had here' err; then skip "$(cat err)"; fi
  equal "$status" 0
  base=$(base_of a)
  cluster up "$here/b" --network --nodes 1 >/dev/null
  eval "$(cat exports)"
  # shellcheck disable=SC2016 # for the shells in there
  equal "$(srun -N2 bash -c 'echo "$(uname -n) $(readlink /proc/self/ns/net)"' | sort -u | cut -d ' ' -f 1 | paste -sd ' ')" "n1 n2"
  between 8000000 "$(received)" 30000000
  cluster link "$here/a" n2 --rate 16mbit
  between 200000 "$(received)" 7000000
  cluster link "$here/a" n2 --heal
  cluster link "$here/a" n2 n1 --rate 16mbit
  between 200000 "$(received)" 7000000
  cluster link "$here/a" n1 n2 --heal
  between 8000000 "$(received)" 30000000
  cluster processor "$here/a" n1 --share 0.25
  between 0 "$(computed)" 800
  cluster processor "$here/a" n1 --share 1
  cluster kill "$here/a" n1
  cluster start "$here/a" n1
  cluster wait "$here/a"
  # shellcheck disable=SC2016
  equal "$(srun -w n1 bash -c 'echo "$(uname -n) $(cat /sys/class/net/eth0/operstate)"')" "n1 up"
  refused 2 "'8': a whole number of kbit" link "$here/a" n1 --rate 8
  refused 2 'neither slurmctld' link "$here/a" n9 --heal
  refused 2 'above 0 and at most 1' processor "$here/a" n1 --share 2
  cluster down "$here/a"
  nothing_left "$here/a"
  no_network_left "$base"
  equal "$(SLURM_CONF=$here/b/slurm.conf srun uname -n)" n1
}

# An up that is killed while it makes links is taken down like any other.
has_network() { [ -e "$1/settings" ] && ip netns list | grep -qE "^pippin-$(base_of "$1")-n"; }

network_after_kill() {
  local base starter
  cluster up "$here/b" --network --nodes 1 >/dev/null 2>err || { grep -q -e '--network cannot be had here' err && skip "$(cat err)"; }
  cluster down "$here/b"
  cluster up "$here/b" --network --nodes 8 >/dev/null 2>&1 &
  starter=$!
  within 20 has_network b
  { kill -KILL "$starter" && wait "$starter"; } 2>/dev/null || true
  base=$(base_of b)
  cluster down "$here/b"
  nothing_left "$here/b"
  no_network_left "$base"
}

# Two ranks on each of four nodes, once in a job as pippin writes it, once by mpirun.
mpi() {
  [ -n "$HELLO_MPI" ] || skip "MPI was not found when this was configured"
  need mpirun
  local expected
  use "$here/a"
  printf '%s\n' 'sweep: hello' "cluster: $here/a/cluster.yaml" "command: '{launch} $HELLO_MPI'" \
    'grid: {tp: [8]}' >hello.yaml
  "$PIPPIN_PROGRAM" plan hello.yaml --script model-tp8-pp1-dp1-mbs1-gas1 >job.sh
  sbatch -W -o job.log job.sh
  expected=$(for rank in 0 1 2 3 4 5 6 7; do echo "rank $rank of 8 on n$((rank / 2 + 1))"; done)
  equal "$(find . -path '*hello*' -name log -exec sort {} +)" "$expected"
  # shellcheck disable=SC2016 # for the job's shell
  sed 's|^srun .*|mpirun --map-by ppr:2:node "$HELLO_MPI" >by_mpirun|; s|^pippin_root=.*|pippin_root=$PWD/mpirun|' job.sh >mpirun.sh
  sbatch -W -o mpirun.log mpirun.sh
  equal "$(sort by_mpirun)" "$expected"
}

need slurmctld slurmd munged sbatch
"$1"
