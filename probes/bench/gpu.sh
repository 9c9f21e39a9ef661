#!/usr/bin/env bash
# gpu.sh build|test|sanitize|bench: the probes on the GPU of this machine, with CUDA, CMake and a
# compiler alone. Each takes minutes; build comes first. $GPU_BUILD is the folder of the build
# (build-gpu), $GPU_RESULTS where bench writes results.md (the same), $GPU_SEED draws the inputs
# (from the time of day).
set -euo pipefail
here=$(realpath "$(dirname "$0")")
probes=$(dirname "$here")
build=$(realpath -m "${GPU_BUILD:-build-gpu}")
results=$(realpath -m "${GPU_RESULTS:-$build}")
seed=${GPU_SEED:-$(($(date +%s) % 1000000))}
PATH=$PATH:/usr/local/cuda/bin

usage() { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
[ $# -eq 1 ] || usage

build() {
  # What the GPU here is: other architectures are for other machines.
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  cmake -S "$probes" -B "$build" -DCMAKE_BUILD_TYPE=Release -DPROBES_USE_MPI=OFF \
    -DPROBES_USE_BLAS=OFF -DPROBES_CUDA_ARCHITECTURES="$capability"
  cmake --build "$build" --parallel "$(nproc)" \
    --target training-cuda gpu_kernels device_check nccl_check parallel_test_cuda
}

passed=0 failed=0
# try NAME COMMAND…: counts it, and shows the end of what it said where it fails.
try() {
  local name=$1
  shift
  if "$@" >"$build/try.log" 2>&1; then
    passed=$((passed + 1))
    printf 'passed: %s: %s\n' "$name" "$(tail -n 1 "$build/try.log")"
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$name"
    tail -n 20 "$build/try.log"
  fi
}
count() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}

# Every rank a process; all share this machine's one GPU, so what they send is copied.
ranks() { bash "$probes/../tests/probes/parallel/launch_alone.sh" "$@"; }

tests() {
  printf 'seed %s\n' "$seed"
  try "every call of the device" "$build/checks/device_check" "$seed"
  try "every call of the device, filling it" "$build/checks/device_check" "$seed" --large
  local precision
  for precision in float bf16 fp16; do
    try "every layout in $precision" ranks 8 "$build/checks/parallel_test_cuda" "$precision"
  done
  try "broken collectives are found out" ranks 8 "$build/checks/parallel_test_cuda" broken
  try "NCCL with one rank" "$build/checks/nccl_check"
  try "a run in bf16" "$build/training-cuda" --device cuda --precision bf16 --layers 4 \
    --hidden 512 --heads 8 --seq 512 --vocab 8192 --mbs 4 --gas 2
  count
}

sanitize() {
  command -v compute-sanitizer >/dev/null || { echo "skipped: no compute-sanitizer"; exit 77; }
  local tool
  for tool in memcheck racecheck initcheck synccheck; do
    try "$tool: every call of the device" compute-sanitizer --tool "$tool" --error-exitcode 1 \
      "$build/checks/device_check" "$seed"
  done
  try "memcheck: a run" compute-sanitizer --tool memcheck --error-exitcode 1 \
    "$build/training-cuda" --device cuda --precision bf16 --iterations 2
  count
}

median() { sort -g | awk '{x[NR] = $1} END {print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2}'; }
steps() { sed -n 's/.*elapsed time per iteration (ms): \([0-9.]*\).*/\1/p' | tail -n +4; }

# A step's model FLOPs (sweeps' formula `megatron`, causal, no recomputation) over its time, in
# TFLOPS. Source: Narayanan et al., SC21, eq. 3; Megatron-LM, num_floating_point_operations.
tflops() { # BATCH SEQ LAYERS HIDDEN VOCAB MS
  awk -v b="$1" -v s="$2" -v l="$3" -v h="$4" -v v="$5" -v ms="$6" \
    'BEGIN {print 72 * b * s * l * h * h * (1 + s / (12 * h) + v / (12 * l * h)) / (ms * 1e9)}'
}

step() { # NAME LAYERS HIDDEN HEADS MBS GAS
  local name=$1 layers=$2 hidden=$3 heads=$4 mbs=$5 gas=$6 ms theirs='not here' speed
  local model=(--layers "$layers" --hidden "$hidden" --heads "$heads" --seq 2048 --vocab 50257
               --mbs "$mbs" --gas "$gas")
  local run=("$build/training-cuda" --device cuda --precision bf16 "${model[@]}" --iterations 14)
  ms=$("${run[@]}" | steps | median)
  speed=$(tflops $((mbs * gas)) 2048 "$layers" "$hidden" 50304 "$ms")
  if python3 -c 'import torch' 2>/dev/null; then
    theirs=$(python3 "$here/pytorch_gpu_step.py" "${model[@]}" --iterations 14 2>"$build/torch.log" |
      cut -d' ' -f1 | tail -n +4 | median) || theirs="failed: $(tail -n 1 "$build/torch.log")"
  fi
  awk -v name="$name" -v ms="$ms" -v speed="$speed" -v best="$best" -v theirs="$theirs" 'BEGIN {
    ratio = theirs + 0 > 0 ? sprintf("%.2f", ms / theirs) : "–"
    printf "| %s | %.1f | %.0f | %.2f | %s | %s |\n", name, ms, speed, speed / best, theirs, ratio
  }'
}

# The same run with and without timers, in turn.
instrumentation() {
  local round level
  for ((round = 0; round < 7; ++round)); do
    for level in 0 1; do
      "$build/training-cuda" --device cuda --precision bf16 --layers 24 --hidden 2048 --heads 16 \
        --seq 2048 --vocab 50257 --mbs 4 --gas 1 --iterations 9 --timing-log-level $level |
        steps | median >"$build/level.$level"
    done
    awk 'NR == 1 {off = $1} NR == 2 {print $1 / off}' "$build/level.0" "$build/level.1"
  done | median | awk '{printf "%+.2f %%\n", 100 * ($1 - 1)}'
}

measure() {
  local best
  printf '%s\n\n' "$(date -u +%F), \`probes/bench/gpu.sh bench\`, $(nvidia-smi \
    --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit --format=csv,noheader)"
  printf '### Kernels\n\n'
  "$build/gpu_kernels" "$seed" | tee "$build/kernels.md"
  best=$(sed -n 's/.*³ \([0-9]*\) TFLOPS$/\1/p' "$build/kernels.md")
  printf '\n### Steps\n\nbf16, sequence 2048, one rank; the best is the large product above, %s TFLOPS.\n\n' "$best"
  printf '| model | ms | model TFLOPS | of the best product | PyTorch, compiled, ms | of PyTorch |\n'
  printf '|---|---:|---:|---:|---:|---:|\n'
  step '1.5B: h 1600, l 48, 25 heads, MBS 4' 48 1600 25 4 2
  step 'h 2048, l 24, 16 heads, MBS 8' 24 2048 16 8 2
  step '52B of 4 layers: h 8192, 64 heads, MBS 4' 4 8192 64 4 2
  printf '\n### Timers\n\n--timing-log-level 1 against 0, median of 7 pairs: %s' "$(instrumentation)"
}

bench() {
  mkdir -p "$results"
  measure | tee "$results/results.md"
}

case $1 in
  build) build ;;
  test | sanitize | bench)
    nvidia-smi -L >/dev/null 2>&1 || { echo "skipped: no GPU"; exit 77; }
    [ -x "$build/training-cuda" ] || { echo "gpu.sh: nothing is built in $build: gpu.sh build" >&2; exit 2; }
    case $1 in test) tests ;; *) "$1" ;; esac ;;
  *) usage ;;
esac
