#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A real Slurm on one machine, for tests and demos: all its state in one directory, all its ports on
# loopback, and no process of it left when it is taken down.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # a plain user's PATH is without Slurm's daemons

registry=/tmp/pippin-slurm-ports # who has which ports: a link BASE → DIR each
block=128                        # ports from BASE on: slurmctld, n1 … n126, slurmdbd
patience_s=60                    # for anything to come up
# shellcheck source-path=SCRIPTDIR source=network.bash
. "$(dirname "${BASH_SOURCE[0]}")/network.bash"
# shellcheck source-path=SCRIPTDIR source=shape.bash
. "$(dirname "${BASH_SOURCE[0]}")/shape.bash"

words() {
  cat <<'TEXT'
usage: slurm/cluster.bash up DIR [--nodes N] [--accounting] [--network] [--rate RATE] [--port BASE] [--shape FILE] [--set KEY=VALUE]...
       slurm/cluster.bash down DIR
       slurm/cluster.bash kill DIR WHO [SIGNAL] [--with-jobs]
       slurm/cluster.bash start DIR WHO [--without-state]
       slurm/cluster.bash wait DIR
       slurm/cluster.bash link DIR NODE [NODE] --rate RATE | --heal
       slurm/cluster.bash traffic DIR NODE NODE SECONDS
       slurm/cluster.bash processor DIR NODE --share SHARE
up prints what a shell evaluates: eval "$(slurm/cluster.bash up DIR)"; DIR/cluster.yaml is pippin's cluster file.
WHO: slurmctld, slurmdbd, mariadbd, munged, or a node's slurmd: n1, n2, ... --with-jobs also kills what runs on the node.
--set replaces or adds a line of slurm.conf; the fields of NodeName= and PartitionName= lines replace those of the same name.
--shape: a line of FILE is such a line, NodeName=n[1-3] ... too, --nodes N, --accounting, or sacctmgr WORDS; # comments.
--without-state: a slurmctld that has forgotten all jobs and begins with job 1 again. wait: until all nodes respond.
--network (as root): a network namespace a node, links of RATE (200mbit) to a switch, an equal part of the processor.
link, traffic and processor spoil that: a node's link or the way between two, a stream each way, less processor.
TEXT
}

say() { printf 'cluster: %s\n' "$*" >&2; }
bad_usage() { say "$*"; exit 2; }
fail() { say "$*"; exit 3; }

# --- which processes are this cluster's -------------------------------------------------------

# What the cluster starts is known by a variable in its environment, a step's daemon (which may
# overwrite that) by its log, a job's process by what slurmd puts into its environment. SLURM_CONF
# alone proves nothing: it stands in the shells of those who use the cluster.
marked() { with_variable "PIPPIN_CLUSTER=$dir" /proc/[0-9]*/environ | part_only "PIPPIN_CLUSTER_PART=${1:-}"; }

# daemons [PART]: without those of steps, which inherit the mark and outlive their slurmd.
daemons() { comm -23 <(marked "${1:-}" | sort) <(named slurmstepd | sort); }

job_processes() {
  with_variable "SLURM_CONF=$dir/slurm.conf" /proc/[0-9]*/environ | part_only "SLURMD_NODENAME=${1:-}"
}

step_daemons() {
  local pid
  for pid in $(named 'slurmstepd|slurmscriptd'); do
    if [ -n "$(find "/proc/$pid/fd" -lname "$dir/log/${1:-*}.log" 2>/dev/null || true)" ]; then echo "$pid"; fi
  done
}

# srun and sbatch --wait would wait for ever; the shell that salloc began is its user's.
clients() {
  local pid
  for pid in $(named 'srun|sbatch|salloc|squeue|sacct|sinfo|scontrol|scancel'); do
    with_variable "SLURM_CONF=$dir/slurm.conf" "/proc/$pid/environ"
  done
}

# with_variable TEXT FILE...: the processes among these whose environment holds exactly this line.
with_variable() { grep -lzsxF -e "$1" "${@:2}" | cut -d / -f 3 || true; }

# part_only NAME=VALUE: of the processes on stdin those that have the variable; any value where it is empty.
part_only() {
  local files
  mapfile -t files < <(sed 's|.*|/proc/&/environ|')
  if [ "${#files[@]}" -eq 0 ]; then return; fi
  case "$1" in
    *=) grep -lzs -e "^$1" "${files[@]}" | cut -d / -f 3 || true ;;
    *) with_variable "$1" "${files[@]}" ;;
  esac
}

named() { grep -lsxE -e "$1" /proc/[0-9]*/comm | cut -d / -f 3 || true; }

# PID PARENT SESSION of every process.
process_table() { cat /proc/[0-9]*/stat 2>/dev/null | sed -E 's/^([0-9]+) \(.*\) . ([0-9]+) [0-9]+ ([0-9]+) .*/\1 \2 \3/'; }

# The processes on stdin and those of their sessions: a job's orphan with another environment.
with_sessions() {
  { sed 's/^/+ /'; process_table; } | awk '
    $1 == "+" {print $2; ours[$2]; next}
    {session[$1] = $3; if ($1 in ours) wanted[$3]}
    END {for (pid in session) if (session[pid] in wanted) print pid}'
}

# The processes on stdin and all that descend from them, each once.
with_descendants() {
  { sed 's/^/+ /'; process_table; } | awk '
    $1 == "+" {if (!seen[$2]++) todo[++n] = $2; next}
    {children[$2] = children[$2] " " $1}
    END {
      for (i = 1; i <= n; ++i) {
        print todo[i]
        count = split(children[todo[i]], c, " ")
        for (k = 1; k <= count; ++k) if (!seen[c[k]]++) todo[++n] = c[k]
      }
    }'
}

on_node() { { { marked "$1"; step_daemons "$1"; } | with_sessions; job_processes "$1"; } | with_descendants; }
everything() { { { marked; step_daemons; } | with_sessions; job_processes; clients; } | with_descendants; }

# end PROCESSES-COMMAND...: kill until a second look finds none; a process may be born meanwhile.
end() {
  local pids killed='' looks=0
  # A process that vanishes while it is looked at fails a pipe, and means nothing.
  while pids=$("$@" | grep -vx "$$" || true) && [ -n "$pids" ]; do
    if [ "$looks" -ge 200 ]; then fail "$dir: these processes do not end: ${pids//$'\n'/ }"; fi
    # shellcheck disable=SC2086 # one word a process
    kill -KILL $pids 2>/dev/null || true
    killed+=" $pids"
    sleep 0.02
    looks=$((looks + 1))
  done
  # shellcheck disable=SC2086
  await_end $killed
}

# await_end PID...: a process that is ending has no environment any more and is found by nothing else.
await_end() {
  local until=$((SECONDS + patience_s)) alive
  while alive=$(alive "$@") && [ -n "$alive" ]; do
    if [ "$SECONDS" -ge "$until" ]; then fail "after $patience_s s these processes still run: ${alive//$'\n'/ }"; fi
    sleep 0.02
  done
}

# Which of these processes are neither gone nor zombies.
alive() {
  if [ "$#" -eq 0 ]; then return 0; fi
  # shellcheck disable=SC2046 # one word a process
  grep -lsE '^State:[[:blank:]]*[^[:blank:]ZX]' $(printf '/proc/%s/status ' "$@") | cut -d / -f 3 || true
}

# --- ports --------------------------------------------------------------------------------------

# listening [COMMAND...]: in hexadecimal. There is no tcp6 where IPv6 is switched off.
listening() { "$@" cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$4 == "0A" {sub(/.*:/, "", $2); print $2}' || true; }

# answers PORT [COMMAND...]: as what the command runs sees it.
answers() { listening "${@:2}" | grep -qx "$(printf %04X "$1")"; }

# Whether BASE … BASE+127 are neither another cluster's nor in use.
is_free() {
  local base=$1 link other
  for link in "$registry"/*; do
    if [ ! -L "$link" ]; then continue; fi
    other=${link##*/}
    if [ "$((other > base ? other - base : base - other))" -lt "$block" ]; then return 1; fi
  done
  for other in $(listening); do
    if [ "$((16#$other))" -ge "$base" ] && [ "$((16#$other))" -lt "$((base + block))" ]; then return 1; fi
  done
}

forget_dead_clusters() {
  local link
  for link in "$registry"/*; do
    # Another user's link stays: its DIR may only be closed to us, and the directory is sticky.
    if [ -L "$link" ] && [ ! -e "$link/settings" ]; then
      base=${link##*/} remove_network
      rm -f "$link" 2>/dev/null || true
    fi
  done
}

# Sets base. A port stays this cluster's while its daemon is dead, so that a test can kill one.
reserve_ports() {
  local lock
  mkdir -m 1777 "$registry" 2>/dev/null || [ -d "$registry" ] || fail "$registry: cannot create"
  exec {lock}<"$registry"
  flock "$lock"
  forget_dead_clusters
  if [ -n "$base" ]; then
    is_free "$base" || fail "--port $base: ports $base to $((base + block - 1)) are not all free"
  else
    # Below 32768, where Linux takes the ports of outgoing connections from.
    for ((base = 17024; base + block <= 32768; base += block)); do if is_free "$base"; then break; fi; done
    [ "$((base + block))" -le 32768 ] || fail "no $block free ports in a row between 17024 and 32767"
  fi
  save # first: without it the link would look like a dead cluster's
  ln -s "$dir" "$registry/$base"
  exec {lock}<&-
}

release_ports() { if [ "$(readlink "$registry/$base" 2>/dev/null)" = "$dir" ]; then rm -f "$registry/$base"; fi; }

# --- configuration ------------------------------------------------------------------------------

default_lines() {
  local user
  user=$(id -un 2>/dev/null) || fail "user $(id -u) has no name, which Slurm needs: add one to /etc/passwd"
  cat <<TEXT
ClusterName=one_machine
SlurmctldHost=$(host_name)($(address_of host))
SlurmctldPort=$base
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge/sock,cred_expire=5,ttl=20
$(listen_on_loopback)
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
TmpFS=$dir/tmp/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
SlurmdParameters=config_overrides
GresTypes=gpu
MpiDefault=none
ReturnToService=2
SlurmdTimeout=15
KillWait=2
JobAcctGatherType=jobacct_gather/linux
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/log/jobcomp.log
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=20000,sched_interval=1,bf_interval=1,default_queue_depth=1000
$(accounting_lines)
NodeName=DEFAULT CPUs=40 CoresPerSocket=40 RealMemory=16000 Gres=gpu:fake:4
$(node_lines)
PartitionName=batch Nodes=ALL Default=YES MaxTime=7-0 DefaultTime=10
TEXT
}

host_name() { uname -n | cut -d . -f 1; }

is_loopback() { [[ $(getent ahostsv4 "$1" || true) = 127.* ]]; }

# host, or a node. Without --network all are one.
address_of() {
  case "${network:+$1}" in
    '') echo 127.0.0.1 ;;
    host) echo "$(subnet).254" ;;
    *) echo "$(subnet).${1#n}" ;;
  esac
}

# With these, daemons and clients bind to the address of the host's name instead of to all; without
# them a host whose name does not resolve works too, and munge's key keeps others out.
listen_on_loopback() {
  if [ -n "$network" ]; then return; fi
  if is_loopback "$(uname -n)" && is_loopback "$(host_name)"; then
    echo CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
  fi
}

node_lines() {
  local i host
  host=$(host_name)
  for ((i = 1; i <= nodes; ++i)); do
    if [ -n "$network" ]; then host=n$i; fi
    echo "NodeName=n$i NodeHostname=$host NodeAddr=$(address_of "n$i") Port=$((base + i))"
  done
}

accounting_lines() {
  if [ -z "$accounting" ]; then return; fi
  cat <<TEXT
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=$(address_of host)
AccountingStoragePort=$(slurmdbd_port)
AccountingStoragePass=$dir/munge/sock
AccountingStorageTRES=gres/gpu
TEXT
}

slurmdbd_port() { echo "$((base + block - 1))"; }

# What a line of slurm.conf is about: its key; of nodes and partitions also the name.
subject() {
  local first=${1%% *}
  case "${first,,}" in
    nodename=* | partitionname=*) echo "${first,,}" ;;
    *) echo "${first%%=*}" | tr '[:upper:]' '[:lower:]' ;;
  esac
}

# The fields of both lines; where both have one, the second's.
merged() {
  local field
  local -a kept=()
  for field in $1; do
    case " ${2,,}" in *" ${field%%=*}="* | *" $(tr '[:upper:]' '[:lower:]' <<<"${field%%=*}")="*) ;; *) kept+=("$field") ;; esac
  done
  echo "$2 ${kept[*]}"
}

# set_line LINE: into the array lines, in place of the line about the same where there is one.
set_line() {
  local i about
  about=$(subject "$1")
  for i in "${!lines[@]}"; do
    if [ "$(subject "${lines[i]}")" != "$about" ]; then continue; fi
    case "$about" in
      *name=*) lines[i]=$(merged "${lines[i]}" "$1") ;;
      *) lines[i]=$1 ;;
    esac
    return
  done
  lines+=("$1")
}

write_slurm_conf() {
  local line
  local -a lines
  mapfile -t lines < <(default_lines | grep .)
  for line in "${own_lines[@]}"; do
    # The socket is this cluster's, whatever the caller says of lifetimes.
    case "${line,,}" in authinfo=*socket=*) ;; authinfo=*) line="AuthInfo=socket=$dir/munge/sock,${line#*=}" ;; esac
    while read -r line; do set_line "$line"; done < <(each_node "$line")
  done
  printf '%s\n' "${lines[@]}" >"$dir/slurm.conf"
}

write_slurmdbd_conf() {
  (umask 077; cat >"$dir/slurmdbd.conf") <<TEXT
AuthType=auth/munge
AuthInfo=socket=$dir/munge/sock
DbdHost=localhost
DbdAddr=$(address_of host)
DbdPort=$(slurmdbd_port)
SlurmUser=$(id -un)
LogFile=$dir/log/slurmdbd.log
PidFile=$dir/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
TEXT
}

# The nodes share one hostname, and Open MPI's shared memory with it, which crashes between them.
# Slurm's other fences let a rank send before its peer is ready: of 80 starts 7 crashed, with ring none.
write_cluster_yaml() {
  local interface=lo own_address=$'  MASTER_ADDR: 127.0.0.1\n' meet='' whose='no node has'
  # The probes' own sockets sleep while they wait, Open MPI's look busily, and take the others' processor.
  if [ -n "$network" ]; then
    interface=eth0 own_address='' whose='each node has' meet='env PROBES_RENDEZVOUS=tcp://{master_addr}:{master_port} '
  fi
  cat >"$dir/cluster.yaml" <<TEXT
# A Slurm on one machine, as slurm/cluster.bash started it: $whose an address of its own.
cluster: one-machine
scheduler: slurm
nodes: $nodes
gpus_per_node: 2
accelerator: cpu
launch: ${meet}srun --mpi=pmix --kill-on-bad-exit=1 --nodes={nodes} --ntasks={ranks} --ntasks-per-node={ranks_per_node}
slurm: {time: "00:10:00"}
env:
${own_address}  SLURM_PMIX_FENCE: ring
  OMPI_MCA_btl: tcp,self
  OMPI_MCA_btl_tcp_if_include: $interface
  OMPI_MCA_mpi_yield_when_idle: 1
  OMPI_ALLOW_RUN_AS_ROOT: 1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: 1
TEXT
}

write_files() {
  umask 022 # whatever the caller's: jobs of other users read these
  mkdir "$dir"/{dev,log,munge,run,spool,state,tmp}
  (umask 077; mkdir "$dir/key"; head -c 128 /dev/urandom >"$dir/key/munge.key")
  node_names | while read -r name; do mkdir "$dir/spool/$name" "$dir/tmp/$name"; done
  write_slurm_conf
  write_gres_conf
  write_cgroup_conf
  write_cluster_yaml
  if [ -n "$accounting" ]; then write_slurmdbd_conf; fi
}

# From Slurm 24 on slurmd does not start where it may make no cgroups; 22 does not know the word for that,
# and only asks which cgroups there are: a bare root has none.
write_cgroup_conf() {
  local version
  version=$(slurmd -V)
  version=${version##* }
  if [ "${version%%.*}" -ge 24 ]; then
    echo CgroupPlugin=disabled >"$dir/cgroup.conf"
  elif ! mountpoint -q /sys/fs/cgroup; then
    echo CgroupPlugin=cgroup/v1 >"$dir/cgroup.conf"
  fi
}

node_names() { seq -f 'n%.0f' "$nodes"; }

# --- daemons ------------------------------------------------------------------------------------

# launch PART COMMAND...: apart from the caller: its environment, its open files (a pipe that a
# daemon holds never ends), its terminal. Errors: the command's status, its output in log/PART.out.
launch() {
  local part=$1 fd
  shift
  (
    cd "$dir"
    exec </dev/null >>"$dir/log/$part.out" 2>&1
    for fd in /proc/"$BASHPID"/fd/*; do
      fd=${fd##*/}
      if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi
    done
    exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      HOME="$HOME" LANG=C.UTF-8 ${TZ:+"TZ=$TZ"} MYSQL_UNIX_PORT="$dir/run/mariadbd.sock" \
      SLURM_CONF="$dir/slurm.conf" PIPPIN_CLUSTER="$dir" PIPPIN_CLUSTER_PART="$part" setsid "$@"
  )
}

start_munged() {
  # Forced: what it would refuse is a log or socket below a directory that others may not enter.
  launch munged munged --force --num-threads=4 --socket="$dir/munge/sock" --key-file="$dir/key/munge.key" \
    --pid-file="$dir/run/munged.pid" --log-file="$dir/log/munged.log" --seed-file="$dir/run/munged.seed" ||
    did_not_start munged
}

start_slurmctld() {
  launch slurmctld slurmctld -f "$dir/slurm.conf" || did_not_start slurmctld
  await slurmctld "$base"
}

launch_slurmd() {
  local start=launch
  if [ -n "$network" ]; then start=on_own_machine; fi
  "$start" "$1" slurmd -f "$dir/slurm.conf" -N "$1" || did_not_start "$1"
}

start_slurmd() {
  launch_slurmd "$1"
  await "$1" "$((base + ${1#n}))" ${network:+in_network "$1"}
}

start_slurmds() {
  local name
  for name in $(node_names); do launch_slurmd "$name"; done
}

start_mariadbd() {
  local options=(--no-defaults --user="$(id -un)" --datadir="$dir/database" --innodb-buffer-pool-size=64M
    --innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=0 --innodb-lock-wait-timeout=900)
  if [ ! -e "$dir/database" ]; then
    mkdir "$dir/database"
    bootstrap_sql >"$dir/run/bootstrap.sql"
    # shellcheck disable=SC2016 # for the shell that is launched
    launch mariadbd bash -c 'exec "$@" <"$0"' "$dir/run/bootstrap.sql" mariadbd "${options[@]}" --bootstrap || did_not_start mariadbd
  fi
  launch mariadbd --fork mariadbd "${options[@]}" --skip-networking --skip-grant-tables \
    --socket="$dir/run/mariadbd.sock" --pid-file="$dir/run/mariadbd.pid" --log-error="$dir/log/mariadbd.log"
  await_that mariadbd test -S "$dir/run/mariadbd.sock"
}

# What mariadb-install-db does, which needs a program of the client's package, and more time.
bootstrap_sql() {
  local tables
  # MariaDB 11 gave folder and file its own name.
  for tables in /usr/share/mariadb/mariadb_system_tables.sql /usr/share/mysql/mysql_system_tables.sql; do
    if [ ! -e "$tables" ]; then continue; fi
    printf 'create database mysql;\nuse mysql;\n'
    cat "$tables"
    return
  done
  fail "mariadb_system_tables.sql: not found below /usr/share: is MariaDB's server installed in full?"
}

start_slurmdbd() {
  launch slurmdbd slurmdbd || did_not_start slurmdbd
  await slurmdbd "$(slurmdbd_port)"
}

await() { await_that "$1" answers "${@:2}"; }

# await_that PART COMMAND...: until the command is true; fails as soon as the daemon is gone.
await_that() {
  local part=$1 until=$((SECONDS + patience_s))
  shift
  until "$@"; do
    if [ "$SECONDS" -ge "$until" ] || is_gone "$part"; then did_not_start "$part"; fi
    sleep 0.02
  done
}

# One look at all processes may miss a daemon that its parent has just left behind.
is_gone() { [ -z "$(daemons "$1")" ] && sleep 0.1 && [ -z "$(daemons "$1")" ]; }

# did_not_start WHAT [PART]: ends with the last error in its logs.
did_not_start() {
  local part=${2:-$1} logs=() file
  for file in "$dir/log/$part.log" "$dir/log/$part.out"; do if [ -s "$file" ]; then logs+=("$file"); fi; done
  local last=
  if [ "${#logs[@]}" -gt 0 ]; then last=$(grep -hiE 'fatal|error' "${logs[@]}" | tail -n 1 | sed 's/^\[[^]]*\] *//'); fi
  fail "$1 did not start${last:+: $last}; log: ${logs[*]:-none}"
}

# slurm COMMAND...: a client of this cluster, whatever the caller's SLURM_, SQUEUE_, SACCT_ variables say.
slurm() { env -i PATH="$PATH" HOME="$HOME" LANG=C.UTF-8 SLURM_CONF="$dir/slurm.conf" "$@"; }

# The cluster, an account, and as its users root and who calls: without them no limit and no sacct.
fill_accounting() {
  local name log=$dir/log/sacctmgr.out users
  name=$(sed -n 's/^ClusterName=//p' "$dir/slurm.conf")
  users=$(printf '%s\n' root "$(id -un)" ${SUDO_USER:+"$SUDO_USER"} | sort -u | paste -sd ,)
  {
    slurm sacctmgr -i add cluster "$name" &&
      slurm sacctmgr -i add account pippin "cluster=$name" Description=pippin Organization=pippin &&
      slurm sacctmgr -i add user "$users" account=pippin defaultaccount=pippin "cluster=$name" &&
      slurm sacctmgr -i modify user "$users" set defaultaccount=pippin adminlevel=Admin
  } >"$log" 2>&1 || fail "sacctmgr: $(tail -n 1 "$log"); log: $log"
  call_sacctmgr
}

# The nodes that slurmctld does not hear, one a line.
silent_nodes() {
  local heard
  heard=$(slurm scontrol -o show nodes 2>/dev/null | sed -nE 's/^NodeName=([^ ]+) .* State=([^ ]+) .*/\1 \2/p' |
    grep -vE ' .*(UNKNOWN|DOWN|FUTURE|NOT_RESPONDING|\*)' | cut -d ' ' -f 1)
  comm -23 <(node_names | sort) <(sort <<<"$heard")
}

await_nodes() {
  local until=$((SECONDS + patience_s)) silent
  while silent=$(silent_nodes) && [ -n "$silent" ]; do
    if [ "$SECONDS" -ge "$until" ]; then
      fail "not heard after $patience_s s: ${silent//$'\n'/ }; logs: $dir/log"
    fi
    sleep 0.05
  done
}

# --- words of the command line ------------------------------------------------------------------

# Sets dir to what the caller means, as daemons and processes will name it.
name_directory() {
  [ -n "${1:-}" ] || bad_usage "which DIR? see slurm/cluster.bash --help"
  dir=$(realpath -m -- "$1")
  case "$dir" in *[!A-Za-z0-9._/+-]*) bad_usage "$dir: Slurm takes no blanks and signs in a path: use another DIR" ;; esac
  # A socket's path has at most 107 bytes; the longest below DIR is that of a job's step.
  [ "${#dir}" -le 70 ] || bad_usage "$dir: too long for the sockets in it: use one of at most 70 bytes"
}

load() {
  name_directory "$1"
  [ -e "$dir/settings" ] || bad_usage "$dir: no cluster is here: slurm/cluster.bash up $dir"
  network='' rate=''
  # shellcheck disable=SC1091 # written by save
  . "$dir/settings"
}

save() {
  printf '%s=%q\n' nodes "$nodes" accounting "$accounting" network "$network" rate "$rate" base "$base" \
    asked "$asked" >"$dir/settings"
}

parse_up() {
  nodes=4 accounting='' network='' rate='' base='' own_lines=() account_lines=() asked="${*:2}"
  name_directory "${1:-}"
  shift
  while [ "$#" -gt 0 ]; do
    case "$1" in
      --accounting) accounting=yes ;;
      --network) network=yes ;;
      --nodes) nodes=${2:-}; shift ;;
      --rate) rate=${2:-}; shift ;;
      --port) base=${2:-}; shift ;;
      --shape) read_shape "${2:-}"; shift ;;
      --set) own_lines+=("${2:-}"); shift ;;
      *) bad_usage "up: unknown option '$1'" ;;
    esac
    shift || bad_usage "up: the last option lacks its value"
  done
  check_up
}

check_up() {
  local line
  if ! [[ $nodes =~ ^[1-9][0-9]{0,2}$ ]] || [ "$nodes" -gt $((block - 2)) ]; then
    bad_usage "--nodes '$nodes': a number from 1 to $((block - 2)) is needed"
  fi
  if [ -n "$base" ] && { ! [[ $base =~ ^[1-9][0-9]{3,4}$ ]] || [ "$base" -gt $((65536 - block)) ]; }; then
    bad_usage "--port '$base': a number from 1024 to $((65536 - block)) is needed"
  fi
  if [ -n "$rate" ]; then
    [ -n "$network" ] || bad_usage "--rate: of the links of --network"
    is_rate "$rate" || bad_usage "--rate '$rate': a whole number of kbit, mbit or gbit is needed"
  fi
  if [ "${#account_lines[@]}" -gt 0 ] && [ -z "$accounting" ]; then bad_usage "sacctmgr ${account_lines[0]}: needs --accounting"; fi
  for line in "${own_lines[@]}"; do
    [[ $line =~ ^[A-Za-z]+= ]] || bad_usage "--set '$line': KEY=VALUE is needed"
    case "${line,,}" in
      slurmctldport=* | slurmctldhost=* | slurmdspooldir=* | statesavelocation=* | slurm*pidfile=* | slurm*logfile=*)
        bad_usage "--set $line: this one the cluster needs as it is" ;;
    esac
  done
}

need_programs() {
  local program programs=(munged slurmctld slurmd sinfo scontrol)
  if [ -n "$accounting" ]; then programs+=(slurmdbd sacctmgr mariadbd); fi
  for program in "${programs[@]}"; do
    command -v "$program" >/dev/null || fail "$program: not installed: ./dev cluster up${accounting:+ --accounting} installs it"
  done
}

# One up or down a directory at a time. The directory that was locked may be gone when the lock is had.
lock_directory() {
  local lock
  while true; do
    mkdir -p "$dir" 2>/dev/null || fail "$dir: cannot create"
    exec {lock}<"$dir" || continue
    flock "$lock"
    if [ "$dir" -ef "/proc/$$/fd/$lock" ]; then return; fi
    exec {lock}<&-
  done
}

is_up() { [ -e "$dir/is-up" ] && [ -n "$(daemons)" ]; }

print_exports() { printf 'export SLURM_CONF=%q\n' "$dir/slurm.conf"; }

already_up() {
  local wanted=$asked
  load "$dir"
  if [ -n "$wanted" ] && [ "$wanted" != "$asked" ]; then
    bad_usage "$dir is up with other options (${asked:-none}): take it down first"
  fi
  say "$dir is up already, with $nodes nodes"
  print_exports
}

up() {
  parse_up "$@"
  need_programs
  lock_directory
  if is_up; then already_up; return; fi
  empty_directory
  trap keep_only_logs EXIT
  trap 'fail "$dir: interrupted"' INT TERM HUP
  reserve_ports
  if [ -n "$network" ]; then need_network; fi
  write_files
  if [ -n "$network" ]; then make_network; fi
  start_munged
  if [ -n "$accounting" ]; then
    start_mariadbd
    start_slurmdbd
    fill_accounting
  fi
  start_slurmctld
  start_slurmds
  await_nodes
  touch "$dir/is-up"
  trap - EXIT
  say "$nodes nodes${accounting:+ with accounting}${network:+ with links of ${rate:-$usual_rate}} in $dir"
  print_exports
}

# What an up that failed, or a machine that went down, left behind; never what is not ours.
empty_directory() {
  if [ -z "$(ls -A "$dir")" ]; then return; fi
  [ -e "$dir/settings" ] || bad_usage "$dir: holds files that are no cluster's: use another DIR"
  end everything
  find "$dir" -mindepth 1 -delete
}

keep_only_logs() {
  trap - EXIT
  end everything
  if [ -n "$network" ]; then remove_network; fi
  release_ports
  find "$dir" -mindepth 1 -maxdepth 1 ! -name log ! -name settings -exec rm -rf {} +
}

down() {
  name_directory "${1:-}"
  if [ ! -e "$dir" ]; then say "$dir is down already"; return; fi
  load "$dir"
  lock_directory
  end everything
  if [ -n "$network" ]; then remove_network; fi
  release_ports
  rm -rf "$dir"
  say "$dir is down"
}

is_part() {
  case "$1" in
    slurmctld | munged) ;;
    slurmdbd | mariadbd) [ -n "$accounting" ] || bad_usage "$dir was started without --accounting" ;;
    *) [[ $(node_names) =~ (^|[[:space:]])"$1"([[:space:]]|$) ]] || bad_usage "'$1': neither slurmctld, slurmdbd, mariadbd, munged, nor one of n1 to n$nodes" ;;
  esac
}

kill_part() {
  load "${1:-}"
  local who=${2:-} signal=KILL with_jobs='' word pids
  is_part "$who"
  for word in "${@:3}"; do
    case "$word" in
      --with-jobs) with_jobs=yes ;;
      -*) bad_usage "kill: unknown option '$word'" ;;
      *) signal=${word#SIG} ;;
    esac
  done
  if [ -n "$with_jobs" ]; then end on_node "$who"; return; fi
  pids=$(daemons "$who")
  [ -n "$pids" ] || fail "$who does not run"
  # shellcheck disable=SC2086 # one word a process
  kill -s "$signal" $pids || fail "$who: cannot send $signal"
  # shellcheck disable=SC2086
  case "$signal" in KILL | 9 | TERM | 15 | INT | 2) await_end $pids ;; esac
}

start_part() {
  load "${1:-}"
  local who=${2:-}
  is_part "$who"
  if [ -n "$(daemons "$who")" ]; then say "$who runs already"; return; fi
  case "${3:-}" in
    '') ;;
    --without-state)
      [ "$who" = slurmctld ] || bad_usage "--without-state: only of slurmctld"
      find "$dir/state" -mindepth 1 -delete ;;
    *) bad_usage "start: unknown option '$3'" ;;
  esac
  case "$who" in n*) start_slurmd "$who" ;; *) "start_$who" ;; esac
}

main() {
  local word=${1:-}
  shift || true
  case "$word" in
    up) up "$@" ;;
    down) down "$@" ;;
    kill) kill_part "$@" ;;
    start) start_part "$@" ;;
    wait) load "${1:-}"; await_nodes ;;
    link | traffic | processor) "$word" "$@" ;;
    -h | --help | help) words ;;
    '') words >&2; exit 2 ;;
    *) say "unknown word '$word'"; words >&2; exit 2 ;;
  esac
}

main "$@"
