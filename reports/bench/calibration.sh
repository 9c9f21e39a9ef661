#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How often the judgements of report, compare and noise are right, over simulated sweeps of which the truth is
# known. SWEEPS=N: of each kind, 2,000 unless told; SEED=N; KINDS=WORDS: only those that are named so.
set -euo pipefail
cmake --build build --target calibration >&2
build/tests/calibration/calibration "${SWEEPS:-2000}" "${SEED:-1}" "${KINDS:-}"
