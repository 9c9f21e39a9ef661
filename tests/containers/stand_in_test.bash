#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# stand_in_test.bash pyxis|apptainer: the cluster file for containers of that kind on a real Slurm, with a stand-in for
# what starts the containers, as Debian has neither: it refuses what the documents do not have, and starts the rank
# where the container would. Exits 77 where there is no Slurm or no MPI.
accounting=''
# shellcheck source-path=SCRIPTDIR source=../slurm/helpers.bash
. "$(dirname "$0")/../slurm/helpers.bash"
image=registry#some/image:1

# stand_in NAME: the program of that name which jobs find; the rest of it is standard input.
stand_in() {
  mkdir -p bin
  {
    printf '#!/bin/bash\nset -eu\nhere=%q image=%q real_srun=%q\n' "$here" "$image" "$(type -P srun)"
    cat <<'TEXT'
refuse() { echo "stand-in: $*" >&2; exit 64; }
mounted() { # SRC:DST[:FLAGS]...: folders that are there, each at its own place
  local mount source place flags
  for mount in "$@"; do
    IFS=: read -r source place flags <<<"$mount"
    [[ $source = /* && -d $source && ${place:-$source} = "$source" ]] || refuse "mount $mount"
    case $flags in '' | ro | rw) ;; *) refuse "flags of $mount" ;; esac
    echo "$source" >>"$here/mounts"
  done
}
TEXT
    cat
  } >"bin/$1"
  chmod +x "bin/$1"
}

# Source: README of https://github.com/NVIDIA/pyxis, its options of srun. Of a variable that the image sets, too, ranks
# see the image's value unless --container-env names it: this image sets NCCL_DEBUG.
pyxis() {
  stand_in srun <<'TEXT'
options=() asked='' names=,
while [[ ${1:-} = -* ]]; do
  case $1 in
    --container-image=?*) asked=${1#*=} ;;
    --container-mounts=?*) IFS=, read -ra mounts <<<"${1#*=}" && mounted "${mounts[@]}" ;;
    --container-workdir=/*) cd "${1#*=}" ;;
    --container-env=?*) names=,${1#*=}, ;;
    --no-container-mount-home) ;;
    --container-* | --no-container-*) refuse "option $1" ;;
    *) options+=("$1") ;;
  esac
  shift
done
[ "$asked" = "$image" ] || refuse "image $asked"
for name in ${names//,/ }; do [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] || refuse "name $name"; done
if [[ $names != *,NCCL_DEBUG,* ]]; then export NCCL_DEBUG=of-the-image; fi
exec "$real_srun" "${options[@]}" "$@"
TEXT
  refuses srun --container-image="$image" --container-volume=/tmp true
  runs_on slurm-pyxis
}

# Source: https://apptainer.org/docs/user/latest/cli/apptainer_exec.html
apptainer() {
  stand_in apptainer <<'TEXT'
[ "${1:-}" = exec ] || refuse "command ${1:-}"
shift
while [[ ${1:-} = -* ]]; do
  case $1 in
    --nv | --rocm) shift ;;
    -B | --bind) mounted "$2" && shift 2 ;;
    --pwd | --cwd) cd "$2" && shift 2 ;;
    *) refuse "option $1" ;;
  esac
done
[ "${1:-}" = "$image" ] || refuse "image ${1:-}"
shift
exec "$@"
TEXT
  refuses apptainer exec --volume /tmp "$image" true
  runs_on slurm-apptainer
}

# refuses WORD...: the stand-in, what its documents do not have.
refuses() {
  local status=0
  bin/"$1" "${@:2}" 2>err || status=$?
  equal "$status $(cut -d ' ' -f 1,2 err)" '64 stand-in: option'
}

# sweep NAME CLUSTER LINE...: two ranks on each of two nodes of the one-machine Slurm, whose env is as its cluster.yaml.
sweep() {
  {
    printf '%s\n' "sweep: $1" 'cluster:' "  from: $2" '  nodes: 2' '  gpus_per_node: 2' '  accelerator: cpu' \
      '  files_late: 5 s' "  prolog: ['export PATH=$here/bin:\$PATH']" '  slurm: {gres: "gpu:2", cpus-per-task: 1}'
    sed -n '/^env:/,$s/^/  /p' cluster.yaml | sed '/files_late/d'
    printf '%s\n' "    IMAGE: '$image'" "${@:3}"
  } >"$1.yaml"
}

# runs_on CLUSTER: ranks see the variables and leave files; an exit code comes back; the probe and its canary run.
runs_on() {
  # shellcheck disable=SC2016 # for the ranks' shell
  sweep seen "$1" 'grid: {code: [0, 3]}' 'gpus: 4' 'env: {OWN: "x  y"}' 'command: |' \
    '  {launch} bash -c '\''echo "code $PIPPIN_CODE, $OWN, $NCCL_DEBUG, $PWD"' \
    '  touch "$PIPPIN_RUN_DIR/rank-$SLURM_PROCID"; exit {code}'\'
  run 1 seen # which measures nothing
  equal "$(sed -n 's/^pippin: \(exit=[0-9]*\) .*/\1/p' t.db.runs/seen/*/*/run | sort | paste -sd ' ')" 'exit=0 exit=3'
  equal "$(sort t.db.runs/seen/*-code0-*/*/log | uniq -c | tr -s ' ')" " 4 code 0, x y, WARN, $here"
  equal "$(find t.db.runs/seen -path '*-code0-*' -name 'rank-?' | wc -l)" 4
  equal "$(sort -u mounts | paste -sd ' ')" "$(printf '%s\n' "$here" "$here/t.db.runs/seen" "${PIPPIN_PROGRAM%/*}/probes" | sort | paste -sd ' ')"
  sweep tiny "$1" 'probe: training' 'model: {size: tiny}' 'grid: {tp: [2], dp: [2], mbs: [1]}' 'iterations: 4' \
    'warmup: 1' 'canary: {seconds: 0.5}'
  run 0 tiny
  holds tiny ok=1
  equal "$(sql 'SELECT count(*), min(ranks), max(nodes) FROM canary_readings WHERE problem IS NULL')" '2|4|2'
}

need_slurm
need mpirun
use --nodes 2
"$1"
