# SPDX-License-Identifier: Apache-2.0
# The server, the scheduler and the MoM of pbs.bash, which sources this.
# shellcheck disable=SC2154 # variables of pbs.bash and state.bash

kill_delay=1 # seconds from SIGTERM to SIGKILL; PBS's own is 10

server_lives() {
  local server
  server=$(get "$pbs" server)
  [ -n "$server" ] && kill -0 "$server" 2>/dev/null
}

start_server() {
  setsid bash "$own" serve "$pbs" </dev/null >>"$pbs/server.log" 2>&1 &
  set_to "$pbs" server "$!"
}

end_server() { kill -KILL "$(get "$pbs" server)" 2>/dev/null || :; }

serve() {
  local number
  while [ -d "$pbs/jobs" ]; do
    lock
    for number in $(numbers); do tend "$number"; done
    unlock
    sleep 0.1
  done
}

tend() { # NUMBER: begins what may begin; forgets what is over where nobody keeps a history
  local task folder
  if ! is_live "$1"; then
    if [ -z "$history" ]; then rm -rf "$pbs/jobs/$1"; fi
    return
  fi
  for task in $(tasks_of "$1"); do
    folder="$pbs/jobs/$1/tasks/$task"
    if [ "$(get "$folder" state)" = Q ] && may_begin "$1"; then begin "$1" "$task"; fi
  done
}

nodes_of() { # NUMBER: how many it wants
  local select
  select=$(get "$pbs/jobs/$1" select)
  echo "${select%%:*}"
}

may_begin() { # NUMBER
  local folder="$pbs/jobs/$1" most begin id before
  begin=$(get "$folder" begin) most=$(get "$folder" max_run) before=$(get "$folder" depend)
  if [ -n "$begin" ] && [ "$(date +%s)" -lt "$begin" ]; then return 1; fi
  if [ -n "$most" ] && [ "$(states_of "$1" | grep -c R)" -ge "$most" ]; then return 1; fi
  for id in ${before//:/ }; do
    if [ -d "$pbs/jobs/${id%%[!0-9]*}" ] && is_live "${id%%[!0-9]*}"; then return 1; fi
  done
  [ "$(free_nodes | wc -l)" -ge "$(nodes_of "$1")" ]
}

free_nodes() {
  local node
  for ((node = 1; node <= nodes; ++node)); do
    grep -qsw "n$node" "$pbs"/jobs/*/tasks/*/hosts_in_use || echo "n$node"
  done
}

begin() { # NUMBER TASK
  local folder="$pbs/jobs/$1/tasks/$2" hosts
  hosts=$(free_nodes | head -n "$(nodes_of "$1")" | paste -sd +)
  rm -f "$folder/code" "$folder/ended" "$folder/session" "$folder/deleted"
  set_to "$folder" run_count $(($(get "$folder" run_count) + 1)) started "$(date +%s)" hosts "$hosts" \
    hosts_in_use "$hosts" substate 42 comment "Job run at $(date '+%a %b %d at %H:%M') on ($hosts)" state R
  # MoM lives on when the server dies.
  setsid bash "$own" begin "$pbs" "$1" "$2" </dev/null >>"$pbs/mom.log" 2>&1 {lock_file}>&- &
}

# --- MoM ------------------------------------------------------------------------------------------

# What qsub(1B) promises of a job's environment.
environment_of() { # NUMBER TASK COOKIE: in `variables`
  local folder="$pbs/jobs/$1"
  variables=(HOME="$HOME" PATH="$pbs/bin:$PATH" LANG=C.UTF-8 PBS_ENVIRONMENT=PBS_BATCH PBS_JOBCOOKIE="$3"
    PBS_JOBID="$(id_of "$1" "$2")" PBS_JOBNAME="$(get "$folder" name)" PBS_NODEFILE="$pbs/spool/nodes.$3"
    PBS_QUEUE=workq PBS_O_HOST=here PBS_O_WORKDIR=/ "$(get "$folder" variable)")
  if is_array "$1"; then variables+=(PBS_ARRAY_INDEX="$2" PBS_ARRAY_ID="$(id_of "$1" '')"); fi
}

write_nodefile() { # NUMBER TASK FILE: each node as often as it has ranks
  local host i ranks
  ranks=$(get "$pbs/jobs/$1" select) ranks=${ranks##*mpiprocs=} ranks=${ranks%%:*}
  for host in $(get "$pbs/jobs/$1/tasks/$2" hosts | tr + ' '); do
    for ((i = 0; i < ranks; ++i)); do echo "$host"; done
  done >"$3"
}

run_task() { # NUMBER TASK
  local folder="$pbs/jobs/$1/tasks/$2" cookie="$RANDOM$RANDOM$RANDOM" job code=0 variables watcher='' limit this_run
  this_run=$(get "$folder" run_count) limit=$(get "$pbs/jobs/$1" walltime)
  environment_of "$1" "$2" "$cookie"
  write_nodefile "$1" "$2" "$pbs/spool/nodes.$cookie"
  cd "$HOME" || exit
  env -i "${variables[@]}" setsid bash "$pbs/jobs/$1/script" </dev/null >"$pbs/spool/$cookie" 2>&1 &
  job=$!
  set_to "$folder" session "$job"
  if [ -n "$limit" ]; then
    (sleep "$(seconds_of "$limit")" && end_session "$job") &
    watcher=$!
  fi
  wait "$job" || code=$?
  if [ -n "$watcher" ]; then pkill -KILL -P "$watcher"; kill -KILL "$watcher"; fi 2>/dev/null
  pkill -KILL -s "$job"
  if [ "$code" -gt 128 ]; then code=$((code + 128)); fi # of a signal 256 and its number
  finish "$1" "$2" "$this_run" "$code" "$cookie"
}

finish() { # NUMBER TASK RUN CODE COOKIE
  local folder="$pbs/jobs/$1/tasks/$2" out
  lock
  out=$(get "$pbs/jobs/$1" out)
  if [ -d "$folder" ] && [ -n "$out" ]; then cp "$pbs/spool/$5" "${out//^array_index^/$2}"; fi
  rm -f "$pbs/spool/$5" "$pbs/spool/nodes.$5"
  if [ ! -d "$folder" ] || [ "$(get "$folder" run_count)" != "$3" ] || [ "$(get "$folder" state)" != R ]; then return; fi
  rm -f "$folder/hosts_in_use"
  set_to "$folder" code "$4" ended "$(date +%s)"
  if [ -e "$folder/deleted" ]; then
    over "$1" "$2" 91 terminated
  elif [ "$4" -eq 0 ]; then
    over "$1" "$2" 92 finished
  else
    over "$1" "$2" 93 failed
  fi
}

over() { # NUMBER TASK SUBSTATE HOW: of an array's task X, of a job F
  local folder="$pbs/jobs/$1/tasks/$2" state=F
  if is_array "$1"; then state=X; fi
  set_to "$folder" substate "$3" comment "$(get "$folder" comment) and $4" state "$state"
}

end_session() { # SESSION
  pkill -TERM -s "$1"
  sleep "$kill_delay"
  pkill -KILL -s "$1"
}

# Under the lock, as all below: MoM's finish waits for it.
delete() { # NUMBER TASK
  local folder="$pbs/jobs/$1/tasks/$2" session
  if [ "$(get "$folder" state)" != R ]; then over "$1" "$2" 91 terminated && return; fi
  set_to "$folder" deleted yes
  session=$(session_of "$folder")
  setsid bash "$own" end "$pbs" "$session" </dev/null >>"$pbs/mom.log" 2>&1 {lock_file}>&- &
}

requeue() { # NUMBER TASK
  local folder="$pbs/jobs/$1/tasks/$2" session
  if [ "$(get "$folder" state)" != R ]; then return; fi
  session=$(session_of "$folder")
  rm -f "$folder/hosts_in_use"
  set_to "$folder" substate 10 comment 'Not Running: it was begun, and lost' state Q
  pkill -KILL -s "$session"
}

session_of() { # TASK'S FOLDER: MoM is about to say
  until [ -e "$1/session" ]; do sleep 0.02; done
  get "$1" session
}

end_all() {
  local file
  for file in "$pbs"/jobs/*/tasks/*/hosts_in_use; do
    if [ -e "$file" ]; then pkill -KILL -s "$(session_of "${file%/*}")"; fi
  done
}
