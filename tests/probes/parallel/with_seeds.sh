#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# with_seeds.sh COUNT COMMAND …: the command so many times, each with another seed of the emulator's,
# which a line tells: EMULATOR_SEED=… with_seeds.sh … is that one again. Ends with the first failure.
count=$1
shift
for ((i = 0; i < count; ++i)); do
  seed=${EMULATOR_SEED:-$RANDOM}
  echo "EMULATOR_SEED=$seed"
  EMULATOR_SEED=$seed "$@" || exit $?
  [ -z "${EMULATOR_SEED:-}" ] || break
done
