# SPDX-License-Identifier: Apache-2.0
# The runs of a submission that has more than one: they stand in files of a few tasks each and are read one by
# one, so that neither the time nor the memory that a run takes grows with their number.
# shellcheck disable=SC2154 # variables of the other parts

pippin_misread='' pippin_later_tasks=()

pippin_open_tasks() { # NUMBER [TASK]: of the file; how many lines its tasks have, or that one, in $pippin_left
  local lines MAPFILE
  pippin_file="$pippin_jobs/tasks-$1.sh"
  exec {pippin_table}<&- {pippin_table}<"$pippin_file" || exit 3
  IFS=' ' read -r -a lines <&"$pippin_table"
  if [ "${lines[1]:-}" != Lines: ] || [ -z "${lines[2 + ${2:-0}]:-}" ]; then pippin_changed; fi
  pippin_left=${lines[-1]}
  if [ -n "${2:-}" ]; then
    lines=("${lines[@]:1 + $2:2}")
    if [ "${lines[0]}" -gt 0 ]; then mapfile -n 1 -s $((lines[0] - 1)) -u "$pippin_table"; fi
    pippin_left=$((lines[1] - lines[0]))
  fi
}

pippin_changed() {
  echo "$pippin_file has changed since it was written"
  exit 3
}

pippin_open_own_tasks() { # of an array the task that this job is
  pippin_open_tasks $(((pippin_task - 1) / pippin_tasks_a_file + 1)) $(((pippin_task - 1) % pippin_tasks_a_file + 1))
}

# Where each task has one run: which this one's is, in $pippin_only.
pippin_find_run() {
  if [ -z "$pippin_task" ]; then return; fi
  pippin_open_own_tasks
  pippin_run_part
  pippin_only=$pippin_run_of_task
}

pippin_run_tasks() { # by hand all of an array's
  local file
  if [ -n "$pippin_task" ] && [ "$pippin_tasks" -gt 1 ]; then
    [ -n "${pippin_only:-}" ] || pippin_open_own_tasks
    pippin_run_parts
    set -- "$?"
    pippin_folders_of_tasks "${pippin_later_tasks[@]}"
    return "${pippin_misread:-$1}"
  else
    for ((file = 1; (file - 1) * pippin_tasks_a_file < pippin_tasks; ++file)); do
      pippin_open_tasks "$file"
      pippin_run_parts
    done
  fi
  return "${pippin_misread:-$?}"
}

pippin_run_parts() {
  while [ "$pippin_left" -gt 0 ]; do pippin_run_part; done
}

pippin_run_part() { # "# Run 7: 5 lines", and these
  local pippin_count pippin_kind pippin_text pippin_part=()
  IFS=' ' read -r _ pippin_kind _ pippin_count _ <&"$pippin_table"
  if [[ $pippin_count =~ ^[1-9][0-9]*$ ]]; then mapfile -n "$pippin_count" -u "$pippin_table" pippin_part; fi
  if [ "${#pippin_part[@]}" -eq 0 ] || [ "${#pippin_part[@]}" -ne "$pippin_count" ]; then pippin_changed; fi
  pippin_left=$((pippin_left - 1 - pippin_count))
  printf -v pippin_text '%s' "${pippin_part[@]}"
  unset -f pippin_command
  eval "$pippin_text"
  set -- "$?"
  if [ "$pippin_kind" = Run ] && ! declare -F pippin_command >/dev/null; then pippin_misread=2; fi # bash said why
  return "$1"
}

# Where runs take less than two seconds, a process for each folder would be a fifth of what a run costs, or
# a tenth of what a task does: an empty folder is no attempt.
pippin_folders() { # RUN...: that come next
  local run folders=()
  for run in "$@"; do folders+=("$run/$pippin_submission-$pippin_id"); done
  pippin_make "${folders[@]}"
}

pippin_folders_of_tasks() { # TASK RUN...: of an array that one's, the next one's, and so on
  local task=${1:-} run folders=()
  [ -n "$task" ] && [ -n "$pippin_array" ] || return 0
  for run in "${@:2}"; do folders+=("$run/$pippin_submission-$pippin_array$((task++))-0"); done
  pippin_make "${folders[@]}"
}

pippin_make() { # RUN/ATTEMPT...
  local folder folders=()
  case $pippin_longest in 1 | 2) ;; *) return ;; esac
  [ -z "$pippin_ended$pippin_time_up$pippin_gave_up" ] || return
  for folder in "$@"; do
    pippin_is_done "${folder%/*}" || folders+=("$pippin_root/$folder")
  done
  [ "${#folders[@]}" -eq 0 ] || mkdir -p "${folders[@]}"
}
