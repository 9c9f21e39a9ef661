#!/usr/bin/env bash
# train.sh MICRO_BATCH_SIZE ACCUMULATION_STEPS ITERATIONS
for ((i = 1; i <= $3; ++i)); do
  begin=${EPOCHREALTIME/[.,]/} # microseconds
  for ((step = 0; step < $2; ++step)); do
    head -c "$1M" /dev/zero | sha256sum >/dev/null # train here
  done
  us=$((${EPOCHREALTIME/[.,]/} - begin))
  printf ' iteration %d/ %d | elapsed time per iteration (ms): %d.%03d |\n' "$i" "$3" $((us / 1000)) $((us % 1000))
done
