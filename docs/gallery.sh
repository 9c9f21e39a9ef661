#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pages of docs/gallery from the real program, and with chromium the README's picture of one: gallery.sh
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
gallery=$here/docs/gallery
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir -p "$gallery"
ln -s "$here/sweeps" "$work/sweeps"
cd "$work"
q() { "$here/build/pippin" --quiet --yes "$@"; }

# The sweep of the first minutes.
q --db quickstart.db run sweeps/examples/quickstart.yaml >out
q --db quickstart.db report quickstart --format html -o "$gallery/quickstart.html"

# A network that gives each allocation another pace: the truth is 8 % between allocations, 2 % between runs.
cat >noisy-network.yaml <<'YAML'
sweep: noisy-network
probe: replay
cluster: local
model: 52B
grid: {gpus: [64, 128], pp: [8, 16], mbs: [1, 2, 4]}
fixed: {tp: 4, gas: 64, step_time_ms: 30000, allocation_sd: 0.08, run_sd: 0.02, iteration_sd: 0.03, sleep_factor: 0}
iterations: 40
repeats: {allocations: 8, runs: 2}
YAML
q --db noisy-network.db run noisy-network.yaml >out
q --db noisy-network.db tag noisy-network before-upgrade
q --db noisy-network.db noise noisy-network --format html -o "$gallery/noisy-network.html"

# Tables that a person kept by hand.
q --db gpt2.db import "$here/tests/data/notes/gpt2.md"
q --db gpt2.db report --pool --format html -o "$gallery/gpt2.html"

chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --window-size=1100,1180 \
  --screenshot="$gallery/noisy-network.png" "file://$gallery/noisy-network.html" >out 2>&1
