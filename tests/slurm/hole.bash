# SPDX-License-Identifier: Apache-2.0
# Sourced by tests in which every run fails on one node.
# shellcheck disable=SC2154 # helpers.bash has $here

# hole_sweep NAME [LINE]...: 60 runs of 12 points, each a job that has a node to itself.
hole_sweep() {
  sed -i 's/time: .*/time: "00:05:00", exclusive: true}/' cluster.yaml
  printf '%s\n' "sweep: $1" 'cluster: ./cluster.yaml' 'pack: point' 'repeats: {allocations: 5}' \
    'grid: {gpus: [2], mbs: [1, 2, 4], gas: [1, 2, 4, 8]}' 'iterations: 5' 'command: |' \
    '  : {gpus}' "  . $here/hole" "  $(replay) && echo >>$here/went-well" "${@:2}" >"$1.yaml"
  touch went-well hole
}

# On n2 nothing goes well: each fails once another run has gone well meanwhile, which is soon, or never is.
dig_hole() {
  cat >hole <<TEXT
if [ "\$SLURMD_NODENAME" = n2 ]; then
  before=\$(wc -l <$here/went-well)
  for _ in {1..600}; do
    if [ "\$(wc -l <$here/went-well)" -gt "\$before" ]; then break; fi
    sleep 0.1
  done
  echo "no GPU on n2"
  exit 1
fi
TEXT
}
