# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # accounting, nodes, own_lines, account_lines and dir are cluster.bash's
# Sourced by cluster.bash: what its nodes are, where they are not all alike.

# read_shape FILE: its lines as if they stood among the options of up. A line is an option (--nodes 5), a
# call of sacctmgr, or a line of slurm.conf; # begins a comment.
read_shape() {
  local line number=0
  if [ ! -r "$1" ] || [ -d "$1" ]; then bad_usage "--shape '$1': cannot be read"; fi
  while read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=$(sed -E 's/(^|[[:space:]])#.*//; s/[[:space:]]+$//' <<<"$line")
    if [ -z "$line" ]; then continue; fi
    take_shape_line "$line" "$1:$number"
  done <"$1"
}

# take_shape_line LINE PLACE
take_shape_line() {
  case "$1" in
    --accounting) accounting=yes ;;
    '--nodes '*) nodes=${1#--nodes } ;;
    'sacctmgr '*) account_lines+=("${1#sacctmgr }") ;;
    [A-Za-z]*=*) own_lines+=("$1") ;;
    *) bad_usage "$2: '$1': --nodes N, --accounting, sacctmgr WORDS or KEY=VALUE is needed" ;;
  esac
}

# numbers_of 1-3,7: 1 2 3 7, one a line.
numbers_of() {
  local part
  for part in ${1//,/ }; do seq "${part%-*}" "${part#*-}"; done
}

# each_node LINE: the line of slurm.conf once for each of the nodes that it names: NodeName=n[1-3,7] ….
each_node() {
  local number
  if ! [[ $1 =~ ^([Nn][Oo][Dd][Ee][Nn][Aa][Mm][Ee]=[A-Za-z]+)\[([0-9,-]+)\](.*)$ ]]; then
    echo "$1"
    return
  fi
  local begin=${BASH_REMATCH[1]} rest=${BASH_REMATCH[3]}
  for number in $(numbers_of "${BASH_REMATCH[2]}"); do echo "$begin$number$rest"; done
}

# The GPUs of each node, as slurm.conf says: NODE TYPE COUNT, TYPE - where it says none.
gpus_of_nodes() {
  awk '
    tolower($1) !~ /^nodename=/ {next}
    {
      name = substr($1, 10)
      for (i = 2; i <= NF; ++i) if (tolower($i) ~ /^gres=/) gres[name] = substr($i, 6)
      if (name != "DEFAULT") names[++n] = name
    }
    END {
      for (i = 1; i <= n; ++i) {
        count = split(names[i] in gres ? gres[names[i]] : gres["DEFAULT"], all, ",")
        for (k = 1; k <= count; ++k) {
          parts = split(all[k], part, ":")
          if (part[1] == "gpu") print names[i], (parts > 2 ? part[2] : "-"), (parts > 1 ? part[parts] : 1)
        }
      }
    }' "$dir/slurm.conf"
}

# Fake GPUs are links to /dev/null, so that no right to make devices is needed.
write_gres_conf() {
  local node type count i first
  local -A used=()
  echo AutoDetect=off >"$dir/gres.conf"
  while read -r node type count; do
    first=${used[$node]:-0}
    used[$node]=$((first + count))
    for ((i = first; i < first + count; ++i)); do ln -sf /dev/null "$dir/dev/nvidia$i"; done
    if [ "$type" = - ]; then type=''; fi
    if [ "$count" -gt 0 ]; then
      echo "NodeName=$node Name=gpu${type:+ Type=$type} File=$dir/dev/nvidia[$first-$((first + count - 1))]"
    fi
  done < <(gpus_of_nodes) >>"$dir/gres.conf"
}

# What the shape has sacctmgr do, when the cluster and its account are there.
call_sacctmgr() {
  local line
  for line in "${account_lines[@]}"; do
    # shellcheck disable=SC2086 # its words
    slurm sacctmgr -i $line >>"$dir/log/sacctmgr.out" 2>&1 ||
      fail "sacctmgr $line: $(tail -n 1 "$dir/log/sacctmgr.out"); log: $dir/log/sacctmgr.out"
  done
}
