# An array: the part of tasks.sh that is a task's, by its lines. By hand all of them.
# shellcheck disable=SC1091,SC2034,SC2154 # variables of the other parts; a file that the submission brings

pippin_task() { # NUMBER
  local from=${pippin_lines[$1 - 1]} lines code
  mapfile -t -s "$from" -n "$((${pippin_lines[$1]} - from))" lines <"$pippin_jobs/tasks.sh"
  printf -v code '%s\n' "${lines[@]}"
  eval "$code"
}
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  pippin_task "$SLURM_ARRAY_TASK_ID"
else
  . "$pippin_jobs/tasks.sh"
fi
