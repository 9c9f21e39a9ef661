#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A PBS of this machine for tests: what PBS's documents promise of qsub, qselect, qstat, qdel, qalter,
# qrerun and of a job's environment (OpenPBS, man pages of section 1B and 7B), over jobs that really run.
#
#   pbs.bash up DIR [--nodes N] [--no-history] [--array-size N] [--queued N]   DIR/bin has the programs
#   pbs.bash down DIR             ends the server and all jobs
#   pbs.bash kill DIR             ends the server; its jobs run on
#   pbs.bash start DIR            the server comes back, with its jobs
#   pbs.bash lose DIR ID          the node of a job dies with it; PBS begins the job again
#   pbs.bash forget DIR           the server loses what it knows; jobs that run die
#   pbs.bash fault DIR PROGRAM WORD [TIMES]   it goes wrong as WORD says: see fault_of
#   pbs.bash idle DIR             true where no job waits or runs
set -u
own=$(realpath "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=state.bash
. "${BASH_SOURCE[0]%/*}/state.bash"
# shellcheck source-path=SCRIPTDIR source=server.bash
. "${BASH_SOURCE[0]%/*}/server.bash"

# What a test has ordered for this call; each order is good for so many calls.
#   qsub: die-before, die-after, lie (an id, and no job)   qselect: empty
#   qstat: empty, no-jobs, cut (the answer ends in its middle)
fault_of() { # PROGRAM: in `fault`
  local times=0
  fault=''
  [ -e "$pbs/faults/$1" ] || return 0
  read -r fault times <"$pbs/faults/$1"
  if [ "$times" -gt 1 ]; then echo "$fault $((times - 1))" >"$pbs/faults/$1"; else rm "$pbs/faults/$1"; fi
}

refuse() { # EXIT WORDS
  printf '%s\n' "$2" >&2
  exit "$1"
}

need_server() { # PROGRAM
  server_lives || refuse 255 "Connection refused
$1: cannot connect to server fake (errno=15010)"
}

# --- qsub -----------------------------------------------------------------------------------------

# take_options WORD...: into the job's fields; what stands in the command goes before the script's.
take_options() {
  local letter LC_ALL=C
  while [ "$#" -gt 0 ]; do
    letter=$1
    case $letter in -f | -V) shift && continue ;; -*) ;; *) script=$1 && shift && continue ;; esac
    case $letter in
      -N) job[name]=$2 ;;
      -o) # as OpenPBS's prepare_path() has it
        [[ $2 != *[![:print:]]* ]] || refuse 2 "qsub: illegal -o value
usage: qsub [-a date_time] [-A account_string] ...
       qsub --version"
        job[out]=$2 ;;
      -v) job[variable]=$2 ;;
      -J) job[array]=${2%%%*} && if [ "$2" != "${2%%%*}" ]; then job[max_run]=${2##*%}; fi ;;
      -a) job[begin]=$(date -d "${2:0:8} ${2:8:2}:${2:10:2}:${2#*.}" +%s) ;;
      -W) take_attribute "$2" ;;
      -l) take_resource "$2" ;;
      -q) job[queue]=$2 ;;
      -A | -S | -j | -r | -P) job[${letter#-}]=$2 ;;
      *) refuse 2 "qsub: invalid option -- '${letter#-}'
usage: qsub [-a date_time] [-A account_string] ..." ;;
    esac
    shift 2
  done
}

take_attribute() { # NAME=VALUE
  case $1 in
    max_run_subjobs=*) job[max_run]=${1#*=} ;; # of 0 none runs
    *) job[depend]=${1#depend=afterany:} ;;
  esac
}

take_resource() { # NAME=VALUE
  case $1 in
    select=*) job[select]=${1#select=} ;;
    walltime=*) job[walltime]=${1#walltime=} ;;
    *) job[resource_${1%%=*}]=${1#*=} ;;
  esac
}

take_directives() { # SCRIPT
  local line
  while IFS='' read -r line; do
    [[ $line == '#'* ]] || break
    if [[ $line == '#PBS '* ]]; then eval "take_options ${line#'#PBS '}"; fi
  done <"$1"
}

program_qsub() {
  local -A job=([name]=STDIN [out]='' [walltime]='' [select]=1:ncpus=1 [queue]=workq)
  local script='' number last tasks=1 suffix=''
  need_server qsub
  take_options "$@"
  take_directives "$script"
  take_options "$@"
  [[ ${job[name]} =~ ^[A-Za-z][A-Za-z0-9_.+-]{0,229}$ ]] || refuse 2 "qsub: illegal -N value"
  [ "${job[queue]}" = workq ] || refuse 170 "qsub: Unknown queue"
  if [ -n "${job[array]:-}" ]; then
    last=${job[array]#1-} suffix='[]'
    [[ ${job[array]} =~ ^1-([2-9]|[1-9][0-9]+)$ ]] || refuse 2 "qsub: illegal -J value"
    tasks=$last
    [ "$tasks" -le "$array_size" ] || refuse 15 "qsub: Array job exceeds server or queue size limit"
  fi
  [[ ${job[select]} =~ ^([0-9]+): ]] || refuse 2 "qsub: illegal -l value"
  [ "${BASH_REMATCH[1]}" -le "$nodes" ] || refuse 184 "qsub: Job violates queue and/or server resource limits"
  lock
  if [ "$queued_limit" -gt 0 ] && [ $(($(count_live) + tasks)) -gt "$queued_limit" ]; then
    refuse 38 "qsub: would exceed complex's per-user limit"
  fi
  fault_of qsub
  if [ "$fault" = die-before ]; then kill -KILL "$$"; fi
  next_number
  if [ "$fault" != lie ]; then new_job "$number" "$tasks" "$script"; fi
  if [ "$fault" = die-after ]; then kill -KILL "$$"; fi
  echo "$number$suffix.fake"
}

# --- qselect, qstat -------------------------------------------------------------------------------

program_qselect() {
  local finished='' tasks='' wanted='' number folder state users=''
  need_server qselect
  while [ "$#" -gt 0 ]; do
    case $1 in
      -x) finished=1 ;;
      -T) tasks=1 ;;
      -u) users=,$2, && shift ;;
      -s) wanted=$2 && shift ;;
      -q) [ "$2" = workq ] || refuse 170 "qselect: Unknown queue $2"
        shift ;;
      *) refuse 2 "usage: qselect" ;;
    esac
    shift
  done
  [ -z "$finished" ] || [ -n "$history" ] || refuse 1 "qselect: PBS is not configured to maintain job history"
  fault_of qselect
  if [ "$fault" = empty ] || [[ $users != *,$owner,* ]]; then return; fi
  lock
  for number in $(numbers); do
    for folder in "$pbs/jobs/$number/tasks"/*; do
      state=$(get "$folder" state)
      if [ -n "$tasks" ]; then
        # Without states those of an array that is not over are there, whatever became of them.
        if [ -n "$wanted" ] && [[ $wanted != *"$state"* ]]; then continue; fi
        if [ -n "$wanted" ] || is_live "$number"; then id_of "$number" "${folder##*/}"; fi
      elif [ -n "$finished" ] || is_live "$number"; then
        id_of "$number" '' && break
      fi
    done
  done
}

# attributes NUMBER TASK: lines of name, tab and value; TASK '' is the array itself.
attributes() {
  local folder="$pbs/jobs/$1" task="$pbs/jobs/$1/tasks/$2" state code started
  printf 'Job_Name\t%s\nJob_Owner\t%s@here\nqueue\tworkq\n' "$(get "$folder" name)" "$owner"
  printf 'Resource_List.select\t%s\n' "$(get "$folder" select)"
  if [ -n "$(get "$folder" walltime)" ]; then printf 'Resource_List.walltime\t%s\n' "$(get "$folder" walltime)"; fi
  printf 'Variable_List.PBS_O_HOST\there\nVariable_List.PBS_O_WORKDIR\t/\n'
  if [ -n "$(get "$folder" variable)" ]; then sed 's/^/Variable_List./;s/=/\t/' "$folder/variable"; fi
  if [ -z "$2" ]; then
    printf 'job_state\t%s\narray\tTrue\n' "$(array_state "$1")"
    return
  fi
  state=$(get "$task" state) code=$(get "$task" code) started=$(get "$task" started)
  printf 'job_state\t%s\nsubstate\t%s\nrun_count\t%s\n' "$state" "$(get "$task" substate)" "$(get "$task" run_count)"
  if [ -n "$code" ]; then printf 'Exit_status\t%s\n' "$code"; fi
  if [ -n "$started" ]; then
    printf 'stime\t%s\n' "$(LC_ALL=C date -d "@$started" '+%a %b %d %H:%M:%S %Y')"
    printf 'exec_host\t%s\n' "$(get "$task" hosts)"
    printf 'resources_used.walltime\t%s\n' "$(clock "$(used_by "$task")")"
  fi
  if [ "$state" = H ]; then printf 'Hold_Types\tu\n'; else printf 'Hold_Types\tn\n'; fi
  printf 'comment\t%s\n' "$(get "$task" comment)"
}

# As qstat has it: attributes of attributes are objects, and come together.
as_json() {
  awk -F '\t' 'BEGIN { printf "{" }
    { split($1, name, "."); inner = substr($1, length(name[1]) + 2)
      if (open != "" && name[1] != open) { printf "}"; open = "" }
      text = $2; if (text !~ /^-?(0|[1-9][0-9]*)$/) text = "\"" text "\""
      comma = NR > 1 ? "," : ""
      if (inner == "") printf "%s\"%s\":%s", comma, $1, text
      else if (open == name[1]) printf ",\"%s\":%s", inner, text
      else { printf "%s\"%s\":{\"%s\":%s", comma, name[1], inner, text; open = name[1] } }
    END { if (open != "") printf "}"; printf "}" }'
}

# told NUMBER TASK: one job, as the format that was asked for has it.
told() {
  if [ -z "$format" ]; then
    echo "Job Id: $(id_of "$1" "$2")"
    attributes "$1" "$2" | sed 's/^/    /;s/\t/ = /'
    echo
  else
    printf '%s"%s":' "$comma" "$(id_of "$1" "$2")"
    attributes "$1" "$2" | as_json
    comma=,
  fi
}

tell_of() { # ID
  local number task
  number=${1%%[!0-9]*} task=''
  if [[ $1 =~ \[([0-9]+)\] ]]; then task=${BASH_REMATCH[1]}; fi
  if [ ! -d "$pbs/jobs/$number" ]; then complaints+="qstat: Unknown Job Id $1"$'\n' && return; fi
  if ! is_live "$number" && [ -z "$finished" ]; then
    complaints+="qstat: $1 Job has finished, use -x or -H to obtain historical job information"$'\n'
    return
  fi
  if [ -n "$task" ] || ! is_array "$number"; then told "$number" "${task:-1}" && return; fi
  told "$number" ''
  [ -n "$subjobs" ] || return 0
  for task in $(tasks_of "$number"); do told "$number" "$task"; done
}

tell_all() { # ID...
  local id
  printf '{"timestamp":%s,"pbs_version":"23.06.06","pbs_server":"fake","Jobs":{' "$(date +%s)"
  if [ "$fault" != no-jobs ]; then for id in "$@"; do tell_of "$id"; done; fi
  printf '}}\n'
}

program_qstat() {
  local format='' kind=job finished='' subjobs='' comma='' complaints='' text
  need_server qstat
  while [ "$#" -gt 0 ]; do
    case $1 in
      -f) ;;
      -F) format=$2 && shift ;;
      -x) finished=1 ;;
      -t) subjobs=1 ;;
      -B) kind=server ;;
      -Q) kind=queue ;;
      *) break ;;
    esac
    shift
  done
  [ -z "$finished" ] || [ -n "$history" ] || refuse 36 "qstat: PBS is not configured to maintain job history"
  if [ "$kind" != job ]; then tell_of_"$kind" "${1:-}" && return; fi
  fault_of qstat
  if [ "$fault" = empty ]; then return; fi
  lock
  if [ -z "$format" ]; then
    tell_of "$1"
  else
    tell_all "$@" >"$pbs/answer.$$"
    text=$(<"$pbs/answer.$$") && rm "$pbs/answer.$$"
    if [ "$fault" = cut ]; then text=${text:0:${#text}/2}; fi
    printf '%s\n' "$text"
  fi
  [ -z "$complaints" ] || refuse 153 "${complaints%$'\n'}"
}

tell_of_server() {
  printf '{"timestamp":%s,"pbs_version":"23.06.06","pbs_server":"fake","Server":{"fake":{"server_state":"Active",' "$(date +%s)"
  if [ -n "$history" ]; then printf '"job_history_enable":"True",'; fi
  if [ "$queued_limit" -gt 0 ]; then printf '"max_queued":"[u:PBS_GENERIC=%s]",' "$queued_limit"; fi
  printf '"default_queue":"workq","query_other_jobs":"True","max_array_size":%s}}}\n' "$array_size"
}

tell_of_queue() { # NAME
  [ "$1" = workq ] || refuse 170 "qstat: Unknown queue $1"
  printf '{"timestamp":%s,"pbs_version":"23.06.06","pbs_server":"fake","Queue":{"workq":{"queue_type":"Execution","enabled":"True","started":"True"}}}\n' "$(date +%s)"
}

# --- qdel, qalter, qrerun, qhold, qrls ------------------------------------------------------------

# each_task PROGRAM ACTION ID...: ACTION NUMBER TASK for each task behind the ids that is not over.
each_task() {
  local program=$1 action=$2 id number task status=0
  shift 2
  need_server "$program"
  lock
  for id in "$@"; do
    number=${id%%[!0-9]*}
    if [ ! -d "$pbs/jobs/$number" ]; then echo "$program: Unknown Job Id $id" >&2 && status=153 && continue; fi
    if ! is_live "$number"; then echo "$program: Job has finished $id" >&2 && status=35 && continue; fi
    for task in $(tasks_of "$number"); do
      if [[ $id =~ \[([0-9]+)\] ]] && [ "${BASH_REMATCH[1]}" != "$task" ]; then continue; fi
      case $(get "$pbs/jobs/$number/tasks/$task" state) in F | X) ;; *) "$action" "$number" "$task" ;; esac
    done
  done
  return "$status"
}

hold() { if [ "$(get "$pbs/jobs/$1/tasks/$2" state)" = Q ]; then set_to "$pbs/jobs/$1/tasks/$2" state H substate 20; fi; }
release() { if [ "$(get "$pbs/jobs/$1/tasks/$2" state)" = H ]; then set_to "$pbs/jobs/$1/tasks/$2" state Q substate 10; fi; }

program_qdel() { each_task qdel delete "$@"; }
program_qrerun() { each_task qrerun requeue "$@"; }
program_qhold() { each_task qhold hold "$@"; }
program_qrls() { each_task qrls release "$@"; }

program_qalter() { # [-l walltime=TIME] [-W max_run_subjobs=N] ID...
  local -A job=()
  local id name
  need_server qalter
  while [[ $1 == -* ]]; do take_options "$1" "$2" && shift 2; done
  lock
  for id in "$@"; do
    if [ ! -d "$pbs/jobs/${id%%[!0-9]*}" ]; then refuse 153 "qalter: Unknown Job Id $id"; fi
    if [ -n "${job[max_run]:-}" ] && [[ $id != *'['* ]]; then refuse 175 "qalter: Attribute has to be set on an array job $id"; fi
    for name in "${!job[@]}"; do set_to "$pbs/jobs/${id%%[!0-9]*}" "$name" "${job[$name]}"; done
  done
}

# --- the test's own words -------------------------------------------------------------------------

up() { # DIR OPTION...
  local program
  nodes=4 history=1 array_size=10000 queued_limit=0
  shift
  while [ "$#" -gt 0 ]; do
    case $1 in
      --nodes) nodes=$2 && shift ;;
      --no-history) history='' ;;
      --array-size) array_size=$2 && shift ;;
      --queued) queued_limit=$2 && shift ;;
      *) echo "pbs.bash: unknown option $1" >&2 && exit 2 ;;
    esac
    shift
  done
  mkdir -p "$pbs/bin" "$pbs/jobs" "$pbs/faults" "$pbs/spool"
  printf 'nodes=%q history=%q array_size=%q queued_limit=%q\n' "$nodes" "$history" "$array_size" "$queued_limit" >"$pbs/settings"
  for program in qsub qselect qstat qdel qrerun qhold qrls qalter; do
    printf '#!/bin/bash\nexec /bin/bash %q %s %q "$@"\n' "$own" "$program" "$pbs" >"$pbs/bin/$program"
    chmod +x "$pbs/bin/$program"
  done
  start_server
}

word=$1 pbs=$(realpath -m "$2")
owner=$(id -un)
if [ -e "$pbs/settings" ]; then
  # shellcheck disable=SC1091 # written by `up`
  . "$pbs/settings"
fi
case $word in
  q*) shift 2 && program_"$word" "$@" ;;
  up) shift && up "$@" ;;
  start) start_server ;;
  kill) end_server ;;
  serve) serve ;;
  begin) run_task "$3" "$4" ;;
  end) end_session "$3" ;;
  down) end_server; lock; end_all; rm -rf "$pbs" ;;
  forget) lock; end_all; rm -rf "$pbs/jobs"; mkdir "$pbs/jobs" ;;
  lose) each_task lose requeue "$3" ;;
  fault) echo "$4 ${5:-1}" >"$pbs/faults/$3" ;;
  idle) lock && [ "$(count_live)" -eq 0 ] ;;
  *) echo "pbs.bash: unknown word $word" >&2 && exit 2 ;;
esac
