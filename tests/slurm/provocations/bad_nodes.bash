# SPDX-License-Identifier: Apache-2.0
# Nodes on which all runs fail.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

succeeded() { sql "SELECT count(*) FROM runs WHERE state = 'ok'"; }
ran_on() { sql 'SELECT DISTINCT name FROM run_nodes JOIN nodes ON nodes.id = node ORDER BY name' | paste -sd ' '; }

black_hole() {
  use
  hole_sweep hole
  dig_hole
  run 0 hole
  holds hole ok=60
  like "$(cat err)" "n2 is a bad node: [0-9]+ runs in a row failed on it.*no GPU on n2.*'pippin nodes --allow n2 hole'"
  like "$(pippin status hole)" 'bad nodes +n2: [0-9]+ runs in a row failed'
  like "$(pippin nodes hole --format csv)" '^n2,.*,bad,'
  equal "$(pippin nodes hole --format csv | grep -c ',bad,')" 1
  equal "$(ran_on)" 'n1 n3 n4'
}

# Who found it keeps off what waits, though nobody runs pippin.
black_hole_unwatched() {
  use
  hole_sweep hole
  dig_hole
  pippin --yes submit hole.yaml >out 2>err
  within 240 nobody_works
  like "$(head -n 1 t.db.runs/hole/bad-nodes/n2)" '^found=[0-9]+ by=job '
  like "$(cat t.db.runs/hole/*/*/run)" 'n2 is a bad node: [0-9]+ runs in a row failed on it while others go on'
  [ "$(grep -c "$(printf '\tfailed\t')" t.db.runs/hole/nodes/n2)" -lt 30 ] || failed "the hole was left open"
  run 0 hole
  holds hole ok=60
  equal "$(ran_on)" 'n1 n3 n4'
}

chosen_nodes() {
  use
  hole_sweep chosen
  sed -i 's/allocations: 5/allocations: 1/' chosen.yaml
  run 0 chosen --exclude 'n[1-2]'
  holds chosen ok=12
  equal "$(ran_on)" 'n3 n4'
  run 0 chosen --again --nodelist n3
  holds chosen ok=12
  equal "$(sql "SELECT DISTINCT nodes.name FROM run_nodes JOIN nodes ON nodes.id = node JOIN runs ON runs.id = run
    JOIN allocations ON allocations.id = allocation JOIN campaigns ON campaigns.id = campaign WHERE campaigns.number = 2")" n3
  run 2 chosen --again --nodelist n9
  like "$(cat err)" "Slurm has no node 'n9'"
  pippin nodes --exclude n9 --because 'it is gone' chosen
  run 2 chosen --nodelist ''
  like "$(cat err)" "Invalid node name specified.*'pippin nodes --allow NODE'"
  pippin nodes --allow n9 chosen
  run 0 chosen
  # What waits is kept off, too.
  echo "while [ ! -e $here/seen ]; do sleep 0.1; done" >hole
  pippin --yes submit --again chosen.yaml --max-in-flight 1 >out 2>err
  pippin --yes submit chosen.yaml --exclude n1 >out 2>err
  equal "$(squeue -h --all -t PD -o %x | sort -u)" n1
  touch seen
  run 0 chosen
}

# Then it is the job, or the program, and no node is to blame.
all_nodes_fail() {
  use
  hole_sweep all
  sed -i 's/allocations: 5/allocations: 1/' all.yaml
  echo 'sleep 0.5; echo nothing works; exit 1' >hole
  run 1 all
  holds all failed=12
  [ ! -e t.db.runs/all/bad-nodes ] || failed "a node was called bad"
  equal "$(pippin nodes all --format csv | grep -c ',bad,' || true)" 0
}

failing_prolog_on_a_node() {
  use
  hole_sweep prolog
  dig_hole
  mv hole begin
  touch hole
  echo "prolog: ['bash $here/begin']" >>cluster.yaml
  run 0 prolog
  holds prolog ok=60
  like "$(cat err)" "n2 is a bad node: .*the prolog's line 'bash .*/begin' exits 1"
  equal "$(ran_on)" 'n1 n3 n4'
}
