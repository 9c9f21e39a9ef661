#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# podman_test.bash CASE: pippin with the cluster file for podman, in containers of an image made of this machine's own
# files; exits 77 where podman cannot run one. $PIPPIN_PROGRAM is pippin; with $PIPPIN_KEEP see helpers.bash.
accounting=''
# shellcheck source-path=SCRIPTDIR source=../slurm/helpers.bash
. "$(dirname "$0")/../slurm/helpers.bash"

# Containers, images and settings are this test's own. What a podman of another test or a user has is not seen.
export CONTAINERS_STORAGE_CONF=$here/storage.conf CONTAINERS_CONF=$here/containers.conf XDG_RUNTIME_DIR=$here/run
export PODMAN_USERNS=keep-id
if [ "$(id -u)" -eq 0 ]; then PODMAN_USERNS=host; fi # who has no choice
programs=(bash env printenv sleep touch cat true)

# settings RUNTIME: limits are no more than any shell's: podman as root raises them, which a container may not.
settings() {
  mkdir -p "$XDG_RUNTIME_DIR"
  cat >storage.conf <<TEXT
[storage]
driver = "overlay"
graphroot = "$here/images"
runroot = "$here/run/podman"
TEXT
  cat >containers.conf <<TEXT
[engine]
runtime = "$1"
cgroup_manager = "cgroupfs"
events_logger = "none"
lock_type = "file"
tmp_dir = "$here/run/libpod"
[network]
network_config_dir = "$here/run/networks"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
TEXT
}

# with_libraries FILE...: these, and the libraries that they are linked with.
with_libraries() {
  printf '%s\n' "$@"
  ldd "$@" 2>/dev/null | sed -nE 's|^[^:]*[[:space:]](/[^ ]+) \(0x.*|\1|p' | sort -u
}

# What Open MPI and PMIx load and read as they start.
files_of_mpi() {
  find -L /usr/lib /usr/local/lib \( -path '*openmpi*/mca_*.so' -o -path '*pmix*/*mca_*.so' \) 2>/dev/null || true
  find -L /usr/share/openmpi /usr/share/pmix* /etc/openmpi /etc/pmix* -type f 2>/dev/null || true
}

make_image() {
  local files program
  local -a mpi paths=()
  for program in "${programs[@]}"; do paths+=("$(type -P "$program")"); done
  mapfile -t mpi < <(files_of_mpi)
  mkdir -p image/usr/{bin,lib,lib64} image/{etc,tmp,proc,sys,dev}
  for files in bin lib lib64; do ln -s "usr/$files" "image/$files"; done
  with_libraries "${paths[@]}" "$probes"/{training,canary} "${mpi[@]}" | grep -v -e "^$probes/" | sort -u |
    xargs -d '\n' cp --parents --dereference --target-directory image
  cp /etc/passwd /etc/group /etc/ld.so.cache image/etc
  echo from-the-image >image/etc/image-name
  tar -C image --owner=0 --group=0 -c . | podman import - localhost/trainer >podman.out 2>&1
}

# One that can run a container, of those that podman may have: cgroups of the older kind are not for crun.
need_podman() {
  local runtime
  need podman mpirun ldd sqlite3
  for runtime in crun runc; do
    command -v "$runtime" >/dev/null || continue
    settings "$runtime"
    [ -e image ] || make_image || skip "podman cannot make an image: $(tail -n 1 podman.out)"
    if podman run --rm --net=host --pid=host --ipc=host localhost/trainer true 2>podman.err; then return; fi
  done
  skip "podman cannot run a container: $(tail -n 1 podman.err)"
}

containers() { podman ps --all --quiet; }
no_container() { [ -z "$(containers)" ]; }
some_container() { ! no_container; }

# Before the folder is removed: in it are mounts, and files that a plain user's containers made as other users.
before_cleaning() {
  set +e # in a shell of its own; a test that was skipped has little of this
  podman rm --all --force --time 0
  podman rmi --all --force
  if mountpoint -q images/overlay; then umount -l images/overlay; fi
  if [ "$(id -u)" -ne 0 ]; then podman unshare rm -rf images; fi
  return 0
} >/dev/null 2>&1

# sweep NAME LINE...: on the cluster file that comes with pippin.
sweep() {
  printf '%s\n' "sweep: $1" "cluster: {from: podman, env: {PODMAN_USERNS: $PODMAN_USERNS}}" "${@:2}" >"$1.yaml"
}

# What the jobs are to leave: no containers, and no processes that were begun for a run here.
nothing_left() { no_container && ! grep -lszq "^PIPPIN_RUN_DIR=$here/" /proc/[0-9]*/environ; }

environment() {
  # shellcheck disable=SC2016 # for the shell in the container
  sweep seen 'grid: {code: [0, 3]}' 'gpus: 2' "env: {OWN: \"it's  \$(touch pwned)\"}" 'command: |' \
    '  {launch} bash -c '\''cat /etc/image-name; pwd; echo "code $PIPPIN_CODE, $OWN"' \
    '  touch "$PIPPIN_RUN_DIR/rank-$OMPI_COMM_WORLD_RANK"; exit {code}'\'
  run 1 seen # which measures nothing
  equal "$(sed -n 's/^pippin: \(exit=[0-9]*\) .*/\1/p' t.db.runs/seen/*/*/run | sort | paste -sd ' ')" 'exit=0 exit=3'
  equal "$(cat t.db.runs/seen/*-code0-*/*/log | sort | uniq -c | tr -s ' ')" " 2 $here
 2 code 0, it's \$(touch pwned)
 2 from-the-image"
  equal "$(find t.db.runs/seen -name 'rank-?' | sed 's|.*/||' | sort | paste -sd ' ')" 'rank-0 rank-0 rank-1 rank-1'
  [ ! -e pwned ] || failed 'a value was run'
  nothing_left || failed "left: $(containers)"
}

probe() {
  sweep tiny 'probe: training' 'model: {size: tiny}' 'grid: {tp: [2], mbs: [1]}' 'iterations: 4' 'warmup: 1' \
    'canary: {seconds: 0.5}'
  run 0 tiny
  equal "$(sql 'SELECT state FROM runs')" ok
  pippin show 1 | grep -q 'podman run' || failed 'it ran in no container' # its files are packed by now
  equal "$(sql 'SELECT count(*), min(ranks), max(ranks) FROM canary_readings WHERE problem IS NULL')" '2|2|2'
  nothing_left || failed "left: $(containers)"
}

# A run that would end by nothing but SIGKILL is stopped when its time is over.
stopped() {
  sweep slow 'grid: {mbs: [1]}' 'gpus: 2' 'run_time: 5 s' 'command: |' \
    "  {launch} bash -c 'trap \"\" TERM; echo begun; while :; do sleep 1; done'"
  run 1 slow
  equal "$(sql 'SELECT state, exit_code FROM runs')" 'timeout|124'
  begun slow || failed 'it never began'
  within 30 nothing_left
}

cancelled() {
  sweep long 'grid: {mbs: [1]}' 'gpus: 2' 'repeats: {allocations: 1, runs: 2}' 'command: |' "  {launch} bash -c 'echo begun; sleep 600'"
  start_run long
  within 60 begun long
  some_container || failed 'no container runs'
  pippin cancel long
  ended 1 long
  within 30 nothing_left
  equal "$(attempts long)" 1
}
begun() { grep -qs begun t.db.runs/"$1"/*/*/log; }

probes=${PIPPIN_PROGRAM%/*}/probes
export TMPDIR=$here # where jobs of this machine wait for each other: not for those of others
need_podman
"$1"
