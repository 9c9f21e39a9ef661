# SPDX-License-Identifier: Apache-2.0
# Whether the node on which runs failed is to blame: harness/campaign/bad_nodes.h has the same rule.
# shellcheck disable=SC2015,SC2034,SC2154 # variables of the other parts

pippin_blame_failure() { # RUN CODE SECONDS LOG; what lacks memory says nothing of its node
  local kind=failed
  if [[ $(tail -c 65536 -- "$4" | tr -d '\0') =~ $pippin_memory_signs ]]; then kind=memory; fi
  pippin_on_node "$kind" "$1" "$3" "exit $2: $(pippin_last_line "$4")"
  if [ "$kind" = failed ]; then pippin_judge_node; else return 1; fi
}

pippin_is_bad() { # NODE
  local words
  [ -s "$pippin_root/bad-nodes/$1" ] && IFS='' read -r words <"$pippin_root/bad-nodes/$1" && [[ $words == found=* ]]
}

# The first of this job's nodes that is bad, in pippin_left_node.
pippin_find_bad() {
  local file names=" $pippin_nodes "
  if [ -n "$pippin_node" ]; then
    if pippin_is_bad "$pippin_node"; then pippin_left_node=$pippin_node; fi
    return
  fi
  for file in "$pippin_root"/bad-nodes/*; do
    if ! pippin_is_bad "${file##*/}"; then continue; fi
    if [ "$names" = " $pippin_nodes " ]; then
      names=" ${pippin_nodes//,/ } "
      if [[ $pippin_nodes == *[[]* ]]; then names=" $(scontrol show hostnames "$pippin_nodes" | tr '\n' ' ') "; fi
    fi
    if [[ $names == *" ${file##*/} "* ]]; then pippin_left_node=${file##*/} && return; fi
  done
}

pippin_judge_node() {
  pippin_look_at_nodes
  if ! pippin_node_is_to_blame; then return 1; fi
  local fresh="$pippin_root/.bad-node.$pippin_submission-$pippin_id"
  mkdir -p "$pippin_root/bad-nodes"
  { printf 'found=%(%s)T by=job %s\n' -1 "$pippin_id" && printf '%s\n' "${pippin_streak[@]}"; } >"$fresh" &&
    mv "$fresh" "$pippin_root/bad-nodes/$pippin_node" || return 1
  rm -f "$pippin_root/alike"
  echo "$pippin_node is a bad node: ${#pippin_streak[@]} runs in a row failed on it while others go on elsewhere"
  [ -z "$pippin_pbs" ] || return 1
  pippin_exclude_from_waiting
}

# Runs of so many different points in a row, elsewhere some go on, and with the failures that there are
# anyway so many in a row would be rarer than 1 in 20.
pippin_node_is_to_blame() {
  local i chance=1000000
  [ "$pippin_streak_points" -ge "${pippin_bad_node_after:-0}" ] && [ -n "$pippin_others_go_on" ] || return 1
  for ((i = 0; i < pippin_streak_points; ++i)); do
    chance=$((chance * (pippin_all_failed + 1) / (pippin_all_runs + 2)))
  done
  [ "$chance" -lt 50000 ]
}

pippin_point_of() { # KIND NAME ATTEMPT: in pippin_point; of a prolog the job
  pippin_point=${2%-a[0-9]*}
  if [ "$1" = prolog ]; then pippin_point=$3; fi
}

# What is known of all nodes: how many runs ended and failed before this node's last failures in a row
# (pippin_streak, of pippin_streak_points points that failed nowhere else), and whether others go on.
pippin_look_at_nodes() {
  local lines i time kind name attempt seconds words allowed=0 first=0 longest=0 file pippin_point
  local -A elsewhere=() points=()
  pippin_streak=() pippin_streak_points=0 pippin_all_runs=0 pippin_all_failed=0 pippin_others_go_on=''
  if [ -s "$pippin_root/bad-nodes/$pippin_node" ]; then
    IFS='' read -r words <"$pippin_root/bad-nodes/$pippin_node"
    if [[ $words =~ ^allowed=([0-9]+) ]]; then allowed=${BASH_REMATCH[1]}; fi
  fi
  mapfile -t lines < <(tail -n 1000 -- "$pippin_root/nodes/$pippin_node" 2>/dev/null)
  for ((i = ${#lines[@]} - 1; i >= 0; --i)); do
    IFS=$'\t' read -r time kind name attempt seconds words <<<"${lines[i]}"
    if [ "$kind" = ok ] || [ "$time" -le "$allowed" ]; then break; fi
    case $kind in failed | prolog) ;; *) continue ;; esac
    pippin_streak=("${lines[i]}" "${pippin_streak[@]}") first=$((time - seconds))
    if [ "$seconds" -gt "$longest" ]; then longest=$seconds; fi
    pippin_point_of "$kind" "$name" "$attempt"
    points[$pippin_point]=1
  done
  [ "${#pippin_streak[@]}" -gt 0 ] || return 1
  pippin_count_runs "$allowed" "${lines[@]:0:i+1}"
  for file in "$pippin_root"/nodes/*; do
    if [ "${file##*/}" = "$pippin_node" ]; then continue; fi
    mapfile -t lines < <(tail -n 1000 -- "$file")
    pippin_look_elsewhere "${file##*/}" "${lines[@]}"
  done
  for pippin_point in "${!points[@]}"; do
    if [ -z "${elsewhere[$pippin_point]:-}" ]; then pippin_streak_points=$((pippin_streak_points + 1)); fi
  done
}

pippin_count_runs() { # TIME LINE...: those that are younger
  local line time kind
  for line in "${@:2}"; do
    IFS=$'\t' read -r time kind _ <<<"$line"
    if [ "$time" -le "$1" ]; then continue; fi
    case $kind in
      ok) pippin_all_runs=$((pippin_all_runs + 1)) ;;
      failed | prolog) pippin_all_runs=$((pippin_all_runs + 1)) pippin_all_failed=$((pippin_all_failed + 1)) ;;
    esac
  done
}

# Others go on where a run ended well since, or one that began within an hour before takes longer than what
# failed here. A bad node says nothing but which points failed there, too.
pippin_look_elsewhere() { # NODE LINE...
  local line time='' kind='' name attempt now
  for line in "${@:2}"; do
    IFS=$'\t' read -r time kind name attempt _ <<<"$line"
    if [ "$kind" = failed ]; then pippin_point_of "$kind" "$name" "$attempt" && elsewhere[$pippin_point]=1; fi
  done
  if pippin_is_bad "$1"; then return; fi
  pippin_count_runs 0 "${@:2}"
  printf -v now '%(%s)T' -1
  if [ "$kind" = began ] && [ "$time" -ge $((first - 3600)) ] && [ $((now - time)) -gt $((2 * longest + 1)) ]; then
    pippin_others_go_on=1
  fi
  for line in "${@:2}"; do
    IFS=$'\t' read -r time kind _ <<<"$line"
    if [ "$kind" = ok ] && [ "$time" -ge "$first" ]; then pippin_others_go_on=1; fi
  done
}

# Jobs that give up what fails alike do not where it is this node alone that fails.
pippin_fails_alone() {
  [ -n "$pippin_node" ] && [ "${pippin_bad_node_after:-0}" -gt 0 ] || return 1
  pippin_look_at_nodes
  [ -n "$pippin_others_go_on" ]
}

# The sweep's jobs that wait are not to come here, though nobody may run pippin. Whoever does says so again.
pippin_exclude_from_waiting() {
  local token tokens=' ' file id name nodes script said
  for file in "$pippin_root"/jobs/*/journal; do
    if IFS='' read -r token <"$file"; then tokens+="$token "; fi
  done
  while IFS='|' read -r id name nodes script; do # one that was renamed still has its script
    if [[ $tokens != *" $name "* && $script != *"/${pippin_root##*/}/jobs/"*/job.sh ]]; then continue; fi
    if [[ $id == *%* ]]; then id="${id%%%*}]"; fi # an array's limit at a time
    if [ "$nodes" = '(null)' ]; then nodes=''; fi
    said=$(scontrol update jobid="$id" excnodelist="${nodes:+$nodes,}$pippin_node" 2>&1) && continue
    case $said in *'no longer pending'* | *'Invalid job id'*) continue ;; esac # it began meanwhile
    echo "$name, which waits, cannot be kept off $pippin_node: $said"
  done < <(SLURM_BITSTR_LEN=0 squeue --noheader --states=PENDING --user="$(id -un)" --format='%i|%j|%x|%o')
  return 0
}
