# SPDX-License-Identifier: Apache-2.0
# What the PBS of pbs.bash knows: jobs/NUMBER/FIELD, of each of its tasks jobs/NUMBER/tasks/TASK/FIELD, a
# line each, changed under one lock. Sourced by pbs.bash.
# shellcheck disable=SC2154 # $pbs, $owner and the settings are pbs.bash's

lock() {
  exec {lock_file}>>"$pbs/lock"
  flock "$lock_file"
}

unlock() { exec {lock_file}>&-; }

get() { # FOLDER FIELD: its value; empty where it has none
  local value=''
  if [ -e "$1/$2" ]; then IFS='' read -r value <"$1/$2"; fi
  printf '%s' "$value"
}

set_to() { # FOLDER FIELD VALUE [FIELD VALUE]...
  local folder=$1
  shift
  while [ "$#" -gt 0 ]; do
    printf '%s\n' "$2" >"$folder/.$1" && mv "$folder/.$1" "$folder/$1"
    shift 2
  done
}

numbers() { find "$pbs/jobs" -mindepth 1 -maxdepth 1 -name '[0-9]*' -printf '%f\n' | sort -n; }
tasks_of() { find "$pbs/jobs/$1/tasks" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n; }
is_array() { [ -n "$(get "$pbs/jobs/$1" array)" ]; }
states_of() { cat "$pbs/jobs/$1"/tasks/*/state; }
is_live() { states_of "$1" | grep -q '[^FX]'; }
count_live() { cat /dev/null "$pbs"/jobs/*/tasks/*/state 2>/dev/null | grep -c '[^FX]'; }

id_of() { # NUMBER TASK; TASK '' is the job or array itself
  if is_array "$1"; then echo "$1[$2].fake"; else echo "$1.fake"; fi
}

array_state() { # NUMBER
  if ! is_live "$1"; then echo F; elif states_of "$1" | grep -q '[RFX]'; then echo B; else echo Q; fi
}

next_number() { # in `number`
  number=$(($(cat "$pbs/next" 2>/dev/null || echo 100) + 1))
  echo "$number" >"$pbs/next"
}

new_job() { # NUMBER TASKS SCRIPT; fields in `job`
  local folder="$pbs/.new-$1" field task
  mkdir -p "$folder/tasks"
  for field in "${!job[@]}"; do set_to "$folder" "$field" "${job[$field]}"; done
  cp "$3" "$folder/script"
  for ((task = 1; task <= $2; ++task)); do
    mkdir "$folder/tasks/$task"
    set_to "$folder/tasks/$task" state Q substate 10 run_count 0 comment ''
  done
  mv "$folder" "$pbs/jobs/$1"
}

clock() { printf '%02d:%02d:%02d' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)); }

seconds_of() { # [[H:]M:]S
  local part sum=0
  for part in ${1//:/ }; do sum=$((sum * 60 + 10#$part)); done
  echo "$sum"
}

used_by() { # TASK'S FOLDER: seconds
  local until
  until=$(get "$1" ended)
  echo $((${until:-$(date +%s)} - $(get "$1" started)))
}
