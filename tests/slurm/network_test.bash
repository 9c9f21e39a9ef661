#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# network_test.bash CASE: whom and what pippin blames on real nodes with real links, one of which is
# spoilt; exits 77 where there are none. $PIPPIN_SEED chooses the node, else the clock does; in
# $PIPPIN_KEEP, where it is set, each database is left.
accounting=''
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"
RANDOM=${PIPPIN_SEED:-$(date +%N | sed 's/^0*//')}
case=$1 seed=$RANDOM
RANDOM=$seed

# use_network NODES: whole nodes for each job, of one rank each.
use_network() {
  local exports status=0
  exports=$(cluster up "$here/c" --network --nodes "$1" --set 'PartitionName=batch OverSubscribe=EXCLUSIVE' 2>err) || status=$?
  if grep -q -e '--network cannot be had here' err; then skip "$(cat err)"; fi
  [ "$status" -eq 0 ] || failed "$(cat err)"
  eval "$exports"
  sed 's/^gpus_per_node:.*/gpus_per_node: 1/' c/cluster.yaml >cluster.yaml
  say "seed $seed, $1 nodes"
}

# measure RANKS ALLOCATIONS: a campaign of the training probe with canaries.
measure() {
  printf '%s\n' 'sweep: net' 'cluster: ./cluster.yaml' 'probe: training' "grid: {dp: [$1], mbs: [64]}" \
    'model: {size: tiny}' 'iterations: 20' 'warmup: 3' "repeats: {allocations: $2, runs: 2}" 'canary: {seconds: 2}' \
    'order: blocks' >net.yaml
  run 0 net
  pippin noise net --format json >noise.json
  pippin noise net
  if [ -n "${PIPPIN_KEEP:-}" ]; then mkdir -p "$PIPPIN_KEEP" && cp t.db "$PIPPIN_KEEP/${case}-$seed.db"; fi
}

# of_noise EXPRESSION: of n, what pippin noise has said.
of_noise() { sqlite3 :memory: "SELECT $1 FROM (SELECT readfile('noise.json') AS n)"; }

# Who is named and for what: "n3 network", "n1-n2 network"; nothing where nobody is.
suspects() {
  sqlite3 :memory: "SELECT group_concat(coalesce(json_extract(value, '\$.node'),
      json_extract(value, '\$.link[0]') || '-' || json_extract(value, '\$.link[1]'), json_extract(value, '\$.group')) ||
    ' ' || json_extract(value, '\$.kind'), ', ') FROM json_each(readfile('noise.json'), '\$.suspects')"
}

# In this shell, since each other one would draw anew.
draw_node() { node=n$((RANDOM % ${1:-4} + 1)); }

# named WHO KIND: by noise, by it alone, and by what run ended with.
named() {
  equal "$(suspects)" "$1 $2"
  grep -qF "Suspect: ${1/-/ – } ($2);" out || failed "run does not name it: $(cat out)"
}

healthy() {
  use_network 4
  measure 4 8
  equal "$(suspects)" ''
}

slow_link() {
  local node
  use_network 4
  draw_node
  cluster link c "$node" --rate 80mbit
  measure 4 8
  named "$node" network
}

slow_pair() {
  local first=$((RANDOM % 3 + 1)) second
  second=$((first + 1 + RANDOM % (4 - first)))
  use_network 4
  cluster link c "n$first" "n$second" --rate 80mbit
  measure 4 8
  named "n$first-n$second" network
}

slow_processor() {
  local node
  use_network 4
  draw_node
  cluster processor c "$node" --share 0.5
  measure 4 8
  named "$node" compute
}

# Somebody else's streams between two nodes after another, for a while each.
others_come_and_go() {
  local node other
  RANDOM=$seed
  while true; do
    draw_node
    other=$node
    draw_node
    if [ "$node" = "$other" ]; then continue; fi
    cluster traffic c "$node" "$other" $((RANDOM % 16 + 15))
    sleep $((RANDOM % 16 + 15))
  done
}

cross_traffic() {
  use_network 4
  others_come_and_go &
  measure 4 10
  equal "$(suspects)" ''
  equal "$(of_noise "json_extract(n, '\$.causes.p') < 0.05")" 1
  equal "$(of_noise "json_extract(n, '\$.causes.network') > 2 * json_extract(n, '\$.causes.compute')")" 1
}

# Slurm gives a job the nodes of the least weight.
nodes_change() {
  local i
  RANDOM=$seed
  while sleep 1; do
    for i in 1 2 3 4 5; do scontrol update nodename="n$i" weight="$((RANDOM % 100 + 1))" || return; done
  done
}

# Three nodes of five in each allocation.
healthy_changing() {
  use_network 5
  nodes_change &
  measure 3 12
  equal "$(suspects)" ''
}

slow_link_changing() {
  local node
  use_network 5
  draw_node 5
  cluster link c "$node" --rate 80mbit
  nodes_change &
  measure 3 12
  named "$node" network
}

slow_processor_changing() {
  local node
  use_network 5
  draw_node 5
  cluster processor c "$node" --share 0.5
  nodes_change &
  measure 3 12
  named "$node" compute
}

"$case"
