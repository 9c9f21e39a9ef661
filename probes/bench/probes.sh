#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench probes [ROUNDS]: the training step beside PyTorch's, what its timers cost, and the
# collective probe's loop beside a plain one.
set -euo pipefail
rounds=${1:-3}
bash probes/bench/step.sh build/probes "$rounds"
bash probes/bench/collectives.sh
