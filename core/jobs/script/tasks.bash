# The runs of a submission that has more than one: they stand in tasks.sh and are read one by one, so that
# neither the time nor the memory that a run takes grows with their number.
# shellcheck disable=SC2154 # variables of the other parts

pippin_open_tasks() { # of an array the task that this job is; by hand all of them
  local pippin_part
  pippin_left=${pippin_lines[-1]} pippin_misread=''
  exec {pippin_table}<&- {pippin_table}<"$pippin_jobs/tasks.sh" || exit 3
  if [ -n "$pippin_task" ] && [ "${#pippin_lines[@]}" -gt 2 ]; then
    pippin_left=${pippin_lines[pippin_task - 1]}
    if [ "$pippin_left" -gt 0 ]; then mapfile -n 1 -s $((pippin_left - 1)) -u "$pippin_table" pippin_part; fi
    pippin_left=$((pippin_lines[pippin_task] - pippin_left))
  fi
}

# Where each task has one run: which this one's is, in $pippin_only.
pippin_find_run() {
  if [ -z "$pippin_task" ]; then return; fi
  pippin_open_tasks
  pippin_run_part
  pippin_only=$pippin_run_of_task
}

pippin_run_tasks() {
  if [ -z "${pippin_only:-}" ]; then pippin_open_tasks; fi
  while [ "$pippin_left" -gt 0 ]; do pippin_run_part; done
  return "${pippin_misread:-$?}"
}

pippin_run_part() { # "# Run 7: 5 lines", and these
  local pippin_count pippin_kind pippin_text pippin_part=()
  IFS=' ' read -r _ pippin_kind _ pippin_count _ <&"$pippin_table"
  if [[ $pippin_count =~ ^[1-9][0-9]*$ ]]; then mapfile -n "$pippin_count" -u "$pippin_table" pippin_part; fi
  if [ "${#pippin_part[@]}" -eq 0 ] || [ "${#pippin_part[@]}" -ne "$pippin_count" ]; then
    echo "$pippin_jobs/tasks.sh has changed since it was written"
    exit 3
  fi
  pippin_left=$((pippin_left - 1 - pippin_count))
  printf -v pippin_text '%s' "${pippin_part[@]}"
  unset -f pippin_command
  eval "$pippin_text"
  set -- "$?"
  if [ "$pippin_kind" = Run ] && ! declare -F pippin_command >/dev/null; then pippin_misread=2; fi # bash said why
  return "$1"
}

# Where runs take less than two seconds, a process for each folder would be a fifth of what a run costs.
pippin_folders() { # RUN...: that come next
  local run folders=()
  case $pippin_longest in 1 | 2) ;; *) return ;; esac
  [ -z "$pippin_ended$pippin_time_up$pippin_gave_up" ] || return
  for run in "$@"; do
    pippin_is_done "$run" || folders+=("$pippin_root/$run/$pippin_submission-$pippin_id")
  done
  [ "${#folders[@]}" -eq 0 ] || mkdir -p "${folders[@]}"
}
