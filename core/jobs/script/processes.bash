# SPDX-License-Identifier: Apache-2.0
# Which processes a run has, and how those end that outlive it.
# shellcheck disable=SC2154 # variables of the other parts

# Of this user's processes those that were started for the run, come from its child, or are in its process
# group: pippin_found, and of them pippin_strays those that have left the group.
pippin_processes() {
  local process number line words variable state parent group IFS=' '
  local -A parents=() groups=() found=()
  for process in /proc/[0-9]*; do
    [ -O "$process" ] || continue
    number=${process#/proc/}
    { read -r line <"$process/stat" && mapfile -d '' words <"$process/environ"; } 2>/dev/null || continue
    read -r state parent group _ <<<"${line##*) }"
    if [ "$state" = Z ]; then continue; fi
    parents[$number]=$parent groups[$number]=$group
    for variable in "${words[@]}"; do
      if [ "$variable" = "PIPPIN_RUN_DIR=$PIPPIN_RUN_DIR" ]; then found[$number]=1 && break; fi
    done
  done
  pippin_found=() pippin_strays=()
  for number in "${!parents[@]}"; do
    parent=${parents[$number]}
    while [ -n "$parent" ] && [ "$parent" != "$pippin_child" ]; do parent=${parents[$parent]:-}; done
    [ -n "$parent${found[$number]:-}" ] || [ "${groups[$number]}" = "$pippin_child" ] || continue
    pippin_found+=("$number")
    if [ "${groups[$number]}" != "$pippin_child" ]; then pippin_strays+=("$number"); fi
  done
} 2>/dev/null

# A run that has ended by itself may have left some that have left its group, too (setsid, a daemon): they
# would take time from the next one.
pippin_end_strays() { # RUN
  local look number oldest line pippin_child=$pippin_launched
  for ((look = 0; look < 50; ++look)); do
    pippin_processes
    [ "${#pippin_strays[@]}" -gt 0 ] || return 0
    if [ "$look" -eq 0 ]; then
      oldest=${pippin_strays[0]}
      for number in "${pippin_strays[@]}"; do oldest=$((number < oldest ? number : oldest)); done
      line=$(tr '\0' ' ' <"/proc/$oldest/cmdline")
      case ${#pippin_strays[@]} in
        1) pippin_note "$1 leaves 1 process behind, which is ended: $line" ;;
        *) pippin_note "$1 leaves ${#pippin_strays[@]} processes behind, which are ended: $line, …" ;;
      esac
      kill -TERM "${pippin_strays[@]}"
    fi
    if [ "$look" -ge 10 ]; then kill -KILL "${pippin_strays[@]}"; fi
    sleep 0.2
  done 2>/dev/null
  pippin_note "$1 left processes that do not end: ${pippin_strays[*]}"
}
