# SPDX-License-Identifier: Apache-2.0
# Of a run that failed, whether that was the job's fault, and which came one after the other (give_up.bash).
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_at_once=60 # seconds: a run that fails later had something to do
pippin_fault_signs='command not found|: not found|No such file or directory|Permission denied'
pippin_fault_signs+='|cannot execute|Exec format error|cannot open shared object file|can.t open file'
pippin_fault_signs+='|ModuleNotFoundError|ImportError|find the specified executable'
pippin_fault_signs+='|No space left on device|[Dd]isk quota exceeded|Unable to create step'
pippin_fault_signs+='|driver version is insufficient|no CUDA-capable device'
pippin_memory_signs='[Oo]ut [Oo]f [Mm]emory|OutOfMemory|OUT_OF_MEMORY|oom.kill|bad_alloc|[Cc]annot allocate memory'
pippin_result_signs="$pippin_memory_signs|[Ii]teration +[0-9]+ */|elapsed time per iteration"

pippin_last_line() { # LOG: of those that are not empty; of a progress bar its last state
  local lines i line
  mapfile -t lines < <(tail -c 4096 -- "$1")
  for ((i = ${#lines[@]} - 1; i >= 0; --i)); do
    line=${lines[i]%$'\r'}
    line=${line##*$'\r'}
    if [[ $line =~ [^[:space:]] ]]; then printf '%s\n' "${line:0:500}" && return; fi
  done
}

pippin_fault_of() { # CODE SECONDS LOG: the line that says what is wrong with the job; empty: nothing
  local line lines missing=''
  pippin_fault=''
  case $1 in 126 | 127) missing=1 ;; esac
  [ -n "$missing" ] || [ "$2" -lt "$pippin_at_once" ] || return
  mapfile -t lines < <(tail -c 65536 -- "$3")
  for line in "${lines[@]:${#lines[@]} > 200 ? ${#lines[@]} - 200 : 0}"; do
    if [[ $line =~ $pippin_result_signs ]]; then pippin_fault='' && return; fi
    if [[ $line =~ $pippin_fault_signs ]]; then pippin_fault=${pippin_fault:-${line:0:500}}; fi
  done
  if [ -n "$missing" ]; then pippin_fault="exit $1: $(pippin_last_line "$3")"; fi
}

# Without the place in the job's script. Numbers and the run's own name differ between failures that are alike.
pippin_add_fault() { # RUN
  local fault=${pippin_fault//[$'\t\r']/ } kind line
  if [[ $fault =~ /job\.sh:(\ eval:)?\ line\ [0-9]+:\ (.*)$ ]]; then fault=${BASH_REMATCH[2]}; fi
  kind=${fault//"$1"/}
  kind=${kind//[0-9]/}
  printf -v line '%s\t%s\t%s\t%s' "$1" "$HOSTNAME" "$kind" "$fault"
  if pippin_given_up; then # while this one ran
    pippin_keep_fault "$line"
    return
  fi
  echo "$line" >>"$pippin_root/alike"
  pippin_count_faults "$kind"
  if pippin_given_up; then pippin_keep_fault "$line"; fi # by this job, or by another one meanwhile
}

# Two jobs that give up at the same time take each other's files for older ones: a run that is not
# named there would not be run again.
pippin_keep_fault() { # LINE
  local again
  for again in 1 ''; do
    if [[ $'\n'$(<"$pippin_root/given-up")$'\n' != *$'\n'"$1"$'\n'* ]]; then
      echo "$1" >>"$pippin_root/given-up"
    fi
    if [ -n "$again" ]; then sleep 1; fi
  done
}

pippin_count_faults() { # KIND: that of the last one
  local kind=$1 lines i fields point points=' ' count=0 other=0
  mapfile -t lines < <(tail -n $((100 + pippin_give_up)) "$pippin_root/alike" 2>/dev/null)
  for ((i = ${#lines[@]} - 1; i >= 0; --i)); do
    IFS=$'\t' read -r -a fields <<<"${lines[i]}"
    [ "${fields[2]:-}" = "$kind" ] || break
    count=$((count + 1))
    point=${fields[0]%-a[0-9]*}
    if [[ $points != *" $point "* ]]; then points+="$point " other=$((other + 1)); fi
  done
  # One point may be what is wrong, where there are others.
  if [ "$count" -lt "$pippin_give_up" ]; then return; fi
  if [ "$other" -lt 2 ] && [ "${pippin_points:-1}" -gt 1 ]; then return; fi
  if pippin_fails_alone; then return; fi
  pippin_do_give_up "${lines[@]:i+1}"
}

pippin_do_give_up() { # LINE...: of the failures
  local folder number fresh until=$pippin_submission
  for folder in "$pippin_root"/jobs/*-s*; do # of what is handed over by now nothing will go better
    number=${folder##*-s}
    if [[ $number =~ ^[0-9]+$ ]] && [ "$number" -gt "$until" ]; then until=$number; fi
  done
  pippin_gave_up=1
  fresh="$pippin_root/.given-up.$pippin_submission-$pippin_id"
  { echo "until=$until after=$#" && printf '%s\n' "$@"; } >"$fresh" && mv "$fresh" "$pippin_root/given-up" &&
    rm -f "$pippin_root/alike"
  pippin_note "no more is launched, as $# runs in a row failed alike: $pippin_fault"
}
