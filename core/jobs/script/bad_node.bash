# SPDX-License-Identifier: Apache-2.0
# Nodes on which run after run fails while others go on elsewhere, and who leaves them. A job of one node
# notes in $pippin_root/nodes/NODE how its runs end; of several nodes nobody can tell which one it was.
# $pippin_root/bad-nodes/NODE says that a node is bad, or that a person allows it again. What makes a node
# bad is written down in harness/campaign/bad_nodes.h, which has the same rule.
# shellcheck disable=SC2015,SC2034,SC2154 # variables of the other parts

pippin_node='' pippin_left_node='' pippin_noted_begin='' pippin_streak=()
case $pippin_nodes in '' | *[],[]*) ;; *) pippin_node=$pippin_nodes ;; esac

pippin_on_node() { # KIND NAME SECONDS [WORDS]: one line of what happened on this node
  local words=${4//[$'\t\r\n']/ }
  printf -v words '%(%s)T\t%s\t%s\t%s\t%d\t%s' -1 "$1" "$2" "$pippin_submission-$pippin_id" "$3" "$words"
  echo "$words" 2>/dev/null >>"$pippin_root/nodes/${5:-$pippin_node}" ||
    { mkdir -p "$pippin_root/nodes" && echo "$words" >>"$pippin_root/nodes/${5:-$pippin_node}"; }
}

# True where this job launches nothing more, as a node of it is bad. PBS cannot be told to take another one:
# who left would come back.
pippin_leaves_node() {
  [ -n "$pippin_nodes" ] && [ -e "$pippin_root/bad-nodes" ] && [ -z "$pippin_pbs" ] || return
  [ -z "$pippin_left_node" ] || return 0
  pippin_need
  pippin_find_bad
  [ -n "$pippin_left_node" ] || return
  pippin_on_node left "task=${pippin_task:-1}" 0 '' "$pippin_left_node"
  echo "$pippin_left_node is a bad node (see $pippin_root/bad-nodes/$pippin_left_node): runs are left for other nodes"
}

pippin_begins_on_node() { # once a job, before its first run
  [ -n "$pippin_node" ] && [ "${pippin_bad_node_after:-0}" -gt 0 ] && [ -z "$pippin_noted_begin" ] || return 0
  pippin_on_node began "task=${pippin_task:-1}" 0
  pippin_noted_begin=1
}

# Of a run that is over. True where its node is bad by now: then its failure is the node's.
pippin_blame_node() { # RUN CODE SECONDS LOG
  [ -n "$pippin_node" ] && [ "${pippin_bad_node_after:-0}" -gt 0 ] || return
  if [ "$2" -ne 0 ]; then pippin_need && pippin_blame_failure "$@"; else pippin_on_node ok "$1" "$3" && false; fi
}
