#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gpu.sh WORD [PART…]: the probes on the GPU of this machine, with CUDA, CMake and a compiler alone.
#   build
#   test       device large layouts talk runs; more: all-layouts
#   sanitize   memcheck racecheck initcheck synccheck
#   bench      kernels steps products timers
# Without parts all but those behind "more". Each part takes a few minutes at most.
# $GPU_BUILD is the folder of the build (build-gpu); $GPU_RESULTS where what every part said is kept,
# and bench's results.md (the same); $GPU_SEED draws the inputs (from the time of day).
set -euo pipefail
here=$(realpath "$(dirname "$0")")
probes=$(dirname "$here")
build=$(realpath -m "${GPU_BUILD:-build-gpu}")
results=$(realpath -m "${GPU_RESULTS:-$build}")
seed=${GPU_SEED:-$(($(date +%s) % 1000000))}
PATH=$PATH:/usr/local/cuda/bin

usage() { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }

build() {
  # What the GPU here is: other architectures are for other machines.
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  cmake -S "$probes" -B "$build" -DCMAKE_BUILD_TYPE=Release -DPROBES_USE_MPI=OFF \
    -DPROBES_USE_BLAS=OFF -DPROBES_CUDA_ARCHITECTURES="$capability"
  cmake --build "$build" --parallel "$(nproc)" \
    --target training-cuda collective-cuda gemm-cuda canary-cuda gpu_kernels \
    device_check nccl_check parallel_test_cuda
}

passed=0 failed=0 skipped=0
# try NAME COMMAND…: counts it, keeps what it said, and shows the end of that where it fails.
try() {
  local name=$1 log status=0
  shift
  log=$results/${name//[^a-z0-9]/-}.log
  timeout 280 "$@" >"$log" 2>&1 </dev/null || status=$?
  case $status:$(tail -n 1 "$log") in
    0:*) passed=$((passed + 1)) && printf 'passed: %s: %s\n' "$name" "$(tail -n 1 "$log")" ;;
    77:*'no GPU') failed=$((failed + 1)) && printf 'FAILED: %s: CUDA sees no GPU\n' "$name" ;;
    77:*) skipped=$((skipped + 1)) && printf 'skipped: %s: %s\n' "$name" "$(tail -n 1 "$log")" ;;
    *)
      failed=$((failed + 1))
      printf 'FAILED: %s: exit %d%s\n' "$name" "$status" "$([ $status -ne 124 ] || echo ', no end within 280 s')"
      tail -n 20 "$log"
      ;;
  esac
}
count() {
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
}

# Every rank a process. Without NCCL all share one GPU, so what they send is copied.
ranks() { bash "$probes/../tests/probes/parallel/launch_alone.sh" "$@"; }
export -f ranks
export probes

test_device() { try "every call of the device" "$build/checks/device_check" "$seed"; }
test_large() {
  local type
  for type in bf16 fp16 fp32; do
    try "every call of the device in $type, filling it" "$build/checks/device_check" "$seed" --large "$type"
  done
}
# Of all layouts those that have every kernel and every kind of call: ranks take turns on the GPU.
test_layouts() {
  local precision
  for precision in float bf16 fp16; do
    try "layouts in $precision" bash -c 'ranks 8 "$@"' - "$build/checks/parallel_test_cuda" "$precision" \
      "tp 2 pp 2 dp 2 mbs 2" "tp 2 pp 2 dp 2 mbs 1 gas 4 zero 1" "vocab 300"
  done
}
test_all-layouts() {
  local precision
  for precision in float bf16 fp16; do
    try "all layouts in $precision" bash -c 'ranks 8 "$@"' - "$build/checks/parallel_test_cuda" "$precision"
  done
}
test_talk() {
  local type collectives=("$build/collective-cuda" --device cuda --operation all --maxbytes 64M --stepfactor 8)
  try "every call of nccl with one rank" "$build/checks/nccl_check"
  for type in float double half bfloat16; do
    try "collectives of $type, one rank" "${collectives[@]}" --datatype "$type"
    try "collectives of $type, four ranks by copies" bash -c 'ranks 4 "$@"' - "${collectives[@]}" --datatype "$type"
  done
  local gpus precision
  gpus=$(nvidia-smi -L | wc -l)
  if [ "$gpus" -gt 1 ]; then
    try "every call of nccl with $gpus ranks" bash -c 'ranks "$@"' - "$gpus" "$build/checks/nccl_check"
    try "collectives of $gpus ranks" bash -c 'ranks "$@"' - "$gpus" "${collectives[@]}"
    for precision in float bf16 fp16; do
      try "layouts of $gpus ranks by nccl in $precision" bash -c 'ranks "$@"' - "$gpus" \
        "$build/checks/parallel_test_cuda" "$precision" nccl
    done
  fi
  try "pairs by copies" bash -c 'ranks 4 "$@"' - "$build/collective-cuda" --device cuda --pairs ranks --maxbytes 4M
}
test_runs() {
  try "a canary" "$build/canary-cuda" --device cuda --seconds 5
  try "a canary of four ranks by copies" bash -c 'ranks 4 "$@"' - "$build/canary-cuda" --device cuda --seconds 5
  try "products" "$build/gemm-cuda" --device cuda --precision bf16 --hidden 4096 --heads 32 --seq 2048
  try "a run in bf16" "$build/training-cuda" --device cuda --precision bf16 --layers 4 \
    --hidden 512 --heads 8 --seq 512 --vocab 8192 --mbs 4 --gas 2
}

# Of all kernels: what is left out of racecheck (cuBLASLt's, say) ends in an illegal access below the sanitizer.
check_with() {
  local options=(--tool "$1" --error-exitcode 1)
  case $1 in initcheck | synccheck) options+=(--kernel-name kns=pippin) ;; esac
  try "$1: every call of the device" compute-sanitizer "${options[@]}" "$build/checks/device_check" "$seed"
}
sanitize_memcheck() {
  check_with memcheck
  try "memcheck: a run" compute-sanitizer --tool memcheck --error-exitcode 1 \
    "$build/training-cuda" --device cuda --precision bf16 --iterations 2
}
sanitize_racecheck() { check_with racecheck; }
sanitize_initcheck() { check_with initcheck; }
sanitize_synccheck() { check_with synccheck; }

median() { sort -g | awk '{x[NR] = $1} END {if (NR == 0) exit 1; print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2}'; }
steps() { sed -n 's/.*elapsed time per iteration (ms): \([0-9.]*\).*/\1/p' | tail -n +4; }

# What the GPU does meanwhile, each second, into a file: idle clocks say nothing.
watch_gpu() {
  exec nvidia-smi --query-gpu=clocks.sm,power.draw,temperature.gpu,clocks_throttle_reasons.active \
    --format=csv,noheader,nounits -l 1 >"$1" 2>/dev/null
}
under_load() { # FILE: at work are the samples of at least half the largest power
  awk -F', *' 'NF == 4 {c[++n] = $1; p[n] = $2; t[n] = $3; if ($2 > most) most = $2}
    END {for (i = 1; i <= n; ++i) if (p[i] >= most / 2) {
           if (!low || c[i] < low) low = c[i]
           if (c[i] > high) high = c[i]
           if (t[i] > hot) hot = t[i]
         }
         if (n) printf "under load: SM clock %d to %d MHz, up to %.0f W and %d °C\n", low, high, most, hot}' "$1"
}

# A step's model FLOPs (sweeps' formula `megatron`, causal, no recomputation) over its time, in
# TFLOPS. Source: Narayanan et al., SC21, eq. 3; Megatron-LM, num_floating_point_operations.
tflops() { # BATCH SEQ LAYERS HIDDEN VOCAB MS
  awk -v b="$1" -v s="$2" -v l="$3" -v h="$4" -v v="$5" -v ms="$6" \
    'BEGIN {print 72 * b * s * l * h * h * (1 + s / (12 * h) + v / (12 * l * h)) / (ms * 1e9)}'
}

bench_kernels() {
  printf '### Kernels\n\n'
  "$build/gpu_kernels" "$seed"
}

# The largest product of this run, TFLOPS.
best_product() { sed -n 's/.*³ \([0-9]*\) TFLOPS$/\1/p' "$results/bench-kernels.log"; }

step() { # NAME LAYERS HIDDEN HEADS MBS GAS
  local name=$1 layers=$2 hidden=$3 heads=$4 mbs=$5 gas=$6 ms speed theirs='not here' log
  local model=(--layers "$layers" --hidden "$hidden" --heads "$heads" --seq 2048 --vocab 50257
               --mbs "$mbs" --gas "$gas")
  log=$results/step-$layers-$hidden
  timeout 120 "$build/training-cuda" --device cuda --precision bf16 "${model[@]}" --iterations 14 \
    >"$log.log" 2>&1 || true
  if ! ms=$(steps <"$log.log" | median); then
    printf '| %s | failed: %s | | | | |\n' "$name" "$(tail -n 1 "$log.log")"
    return 1
  fi
  speed=$(tflops $((mbs * gas)) 2048 "$layers" "$hidden" 50304 "$ms")
  if python3 -c 'import torch' 2>/dev/null; then
    timeout 150 python3 "$here/pytorch_gpu_step.py" "${model[@]}" --iterations 14 \
      >"$log.torch" 2>"$log.torch.err" || true
    theirs=$(cut -d' ' -f1 "$log.torch" | tail -n +4 | median) || theirs="failed: $(tail -n 1 "$log.torch.err")"
  fi
  awk -v name="$name" -v ms="$ms" -v speed="$speed" -v best="$(best_product)" -v theirs="$theirs" 'BEGIN {
    share = best > 0 ? sprintf("%.2f", speed / best) : "–"
    ratio = theirs + 0 > 0 ? sprintf("%.2f", ms / theirs) : "–"
    printf "| %s | %.1f | %.0f | %s | %s | %s |\n", name, ms, speed, share, theirs, ratio
  }'
}

bench_steps() {
  local status=0
  [ -n "$(best_product 2>/dev/null)" ] || bench_kernels >"$results/bench-kernels.log"
  printf '### Steps\n\nbf16, sequence 2048, one rank; the best is the large product of the kernels, %s TFLOPS.\n\n' \
    "$(best_product)"
  printf '| model | ms | model TFLOPS | of the best product | PyTorch, compiled, ms | of PyTorch |\n'
  printf '|---|---:|---:|---:|---:|---:|\n'
  step '1.5B: h 1600, l 48, 25 heads, MBS 4' 48 1600 25 4 2 || status=1
  step 'h 2048, l 24, 16 heads, MBS 8' 24 2048 16 8 2 || status=1
  step '52B of 4 layers: h 8192, 64 heads, MBS 2' 4 8192 64 2 4 || status=1
  return $status
}

# The gemm probe with its usual number of tried algorithms beside many: 1 is as fast as can be.
bench_products() {
  local hidden heads few many
  printf '### Products\n\nThe gemm probe as it is beside its trying of 200 algorithms; smallest and middle ratio.\n\n'
  printf '| shape | least | median |\n|---|---:|---:|\n'
  for shape in '1600 25' '2048 16' '8192 64'; do
    read -r hidden heads <<<"$shape"
    few=$results/products-$hidden-few.json many=$results/products-$hidden-many.json
    for tried in few:8 many:200; do
      "$build/gemm-cuda" --device cuda --precision bf16 --hidden "$hidden" --heads "$heads" --seq 2048 \
        --mbs 4 --vocab 50257 --seconds 8 --algorithms "${tried#*:}" \
        --json "$results/products-$hidden-${tried%:*}.json" >/dev/null || return 1
    done
    paste <(speeds "$few") <(speeds "$many") | awk '{print $1 / $2}' | sort -g |
      awk -v h="$hidden" '{x[NR] = $1} END {printf "| h %d | %.3f | %.3f |\n", h, x[1], x[int((NR + 1) / 2)]}'
  done
}
speeds() { sed -n 's/.*"record":"gemm",.*"tflops_median":\([0-9.e+-]*\).*/\1/p' "$1"; }

# The same run with and without timers, in turn.
bench_timers() {
  local round level ratios=()
  for ((round = 0; round < 5; ++round)); do
    for level in 0 1; do
      "$build/training-cuda" --device cuda --precision bf16 --layers 24 --hidden 2048 --heads 16 \
        --seq 2048 --vocab 50257 --mbs 4 --gas 1 --iterations 9 --timing-log-level $level \
        >"$results/timers-$level.log" || return 1
    done
    ratios+=("$(awk 'NR == 1 {off = $1} NR == 2 {print $1 / off}' \
      <(steps <"$results/timers-0.log" | median) <(steps <"$results/timers-1.log" | median))")
  done
  printf '### Timers\n\n--timing-log-level 1 against 0, median of 5 pairs: %s\n' \
    "$(printf '%s\n' "${ratios[@]}" | median | awk '{printf "%+.2f %%", 100 * ($1 - 1)}')"
}

run_bench() { # PART: into the results; a part that fails hides no other
  local part=$1 log=$results/bench-$1.log watcher
  watch_gpu "$results/gpu-$part.csv" &
  watcher=$!
  if "bench_$part" >"$log" 2>"$log.err"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '\n%s failed: %s\n' "$part" "$(tail -n 1 "$log.err")" >>"$log"
  fi
  kill "$watcher" 2>/dev/null || true
  printf '\n'
  cat "$log"
  printf '\n'
  under_load "$results/gpu-$part.csv"
}

head_of_bench() {
  printf '\n%s, gpu.sh bench %s, seed %s\n' "$(date -u +%F)" "${parts[*]}" "$seed"
  printf '%s; CPU %s; %s\n' \
    "$(nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit --format=csv,noheader)" \
    "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" "$("$build/training-cuda" --built)"
}

all_parts() {
  case $1 in
    test) echo device large layouts talk runs ;;
    sanitize) echo memcheck racecheck initcheck synccheck ;;
    bench) echo kernels steps products timers ;;
  esac
}

[ $# -ge 1 ] || usage
word=$1
shift
case $word in
  build)
    [ $# -eq 0 ] || usage
    build
    exit
    ;;
  test | sanitize | bench) ;;
  *) usage ;;
esac
read -ra parts <<<"${*:-$(all_parts "$word")}"
for part in "${parts[@]}"; do
  declare -F "${word}_$part" >/dev/null || { echo "gpu.sh: $word has no part $part" >&2; usage; }
done
nvidia-smi -L >/dev/null 2>&1 || { echo "skipped: no GPU"; exit 77; }
[ -x "$build/training-cuda" ] || { echo "gpu.sh: nothing is built in $build: gpu.sh build" >&2; exit 2; }
if [ "$word" = sanitize ] && ! command -v compute-sanitizer >/dev/null; then
  echo "skipped: no compute-sanitizer"
  exit 77
fi
mkdir -p "$results"
run_parts() {
  local part
  case $word in
    bench)
      head_of_bench
      for part in "${parts[@]}"; do run_bench "$part"; done
      ;;
    *)
      printf 'seed %s\n' "$seed"
      for part in "${parts[@]}"; do "${word}_$part"; done
      ;;
  esac
  count
}
if [ "$word" = bench ]; then run_parts | tee -a "$results/results.md"; else run_parts; fi
