# SPDX-License-Identifier: Apache-2.0
# What a job of PBS knows of itself; a script that Slurm runs has no need of it.
# A PBS job that is begun again keeps its id, and only its server counts how often (run_count), which a
# job cannot rely on: the server may be away, or have begun it anew meanwhile. But each start has a
# cookie of its own: MoM draws PBS_JOBCOOKIE when it starts a job and tells the server nothing of it.
# shellcheck disable=SC2015,SC2034,SC2154 # what cannot be written cannot be claimed; variables of the other parts

pippin_pbs_names() { # of "1234.server", or of an array's task "1234[3].server"
  local line name=${PBS_JOBID%%.*}
  pippin_pbs=1 pippin_number=${name%%[!0-9]*}
  name=${name//]/}
  pippin_job=${name/\[/.}
  pippin_task=${PBS_ARRAY_INDEX:-}
  if [ -n "$pippin_task" ]; then
    pippin_array=$pippin_number. pippin_number=$((pippin_number + pippin_task))
  fi
  [ -r "${PBS_NODEFILE:-}" ] || return 0
  while read -r line; do
    if [[ ,$pippin_nodes, != *,"$line",* ]]; then pippin_nodes+=${pippin_nodes:+,}$line; fi
  done <"$PBS_NODEFILE"
}
if [ -z "$pippin_job" ] && [ -n "${PBS_JOBID:-}" ]; then pippin_pbs_names; fi

# What tells this start of the job from its others: the cookie, or where there is none what the server
# counts. Others who may read the folder learn no cookie.
pippin_start_of_pbs_job() { # in pippin_start
  local cookie=${PBS_JOBCOOKIE:-}
  if [ -z "$cookie" ]; then pippin_ask_pbs run_count && cookie="run $pippin_said"; fi
  read -r cookie _ < <(sha256sum <<<"$cookie")
  pippin_start="$HOSTNAME ${cookie:0:16}"
}

# The number of this start, in pippin_restart: how many claims others have made. Of two processes of one
# start the second finds what the first has written, and is of the same number; the claim lets in one.
# A link is made whole or not at all; by NFS it may be seen late.
pippin_count_starts() {
  local found look file
  pippin_start_of_pbs_job
  while :; do
    file="$pippin_jobs/start-$pippin_job-$pippin_restart"
    printf '%s\n' "$pippin_start" >"$file.$HOSTNAME.$$" || exit 3
    ln "$file.$HOSTNAME.$$" "$file" 2>/dev/null
    rm -f "$file.$HOSTNAME.$$"
    for look in 1 2 3 4 5; do
      found=''
      [ -s "$file" ] && IFS='' read -r found <"$file" && break
      sleep 1
    done
    if [ -z "$found" ]; then echo "cannot read $file; is the disk full?" && exit 3; fi
    [ "$found" != "$pippin_start" ] || return 0
    pippin_restart=$((pippin_restart + 1))
  done
}

# One id may run under a name. PBS holds no job back for having another one's name: had qsub been taken
# twice, both would run at once.
pippin_only_one() {
  local mine="$pippin_jobs/id-${pippin_task:-1}" found=''
  [ "${PBS_ENVIRONMENT:-}" = PBS_BATCH ] || return 0 # by hand, in a job of somebody's own
  printf '%s\n' "$PBS_JOBID" >"$mine.$HOSTNAME.$$" || exit 3
  ln "$mine.$HOSTNAME.$$" "$mine" 2>/dev/null
  rm -f "$mine.$HOSTNAME.$$"
  IFS='' read -r found <"$mine"
  [ "$found" != "$PBS_JOBID" ] || return 0
  echo "another job has begun this one: ${found:-$mine cannot be read}"
  exit 0
}

# What `qstat -f` says of this job, "Resource_List.walltime = 00:20:00": a line that goes on in the next
# begins there with a tab. In $pippin_said.
pippin_ask_pbs() { # ATTRIBUTE
  local name value
  pippin_said=''
  while read -r name value; do
    if [ "$name" = "$1" ]; then pippin_said=${value#= }; fi
  done < <(qstat -f "$PBS_JOBID" 2>/dev/null)
}

pippin_end_of_pbs_job() { # seconds since 1970 in pippin_end, or nothing where the job has no end
  local start
  pippin_end=''
  pippin_ask_pbs stime
  start=$(date -d "$pippin_said" +%s 2>/dev/null)
  pippin_ask_pbs Resource_List.walltime
  if [ -n "$start" ] && [[ $pippin_said =~ ^([0-9]+):([0-9]+):([0-9]+)$ ]]; then
    pippin_end=$((start + 3600 * 10#${BASH_REMATCH[1]} + 60 * 10#${BASH_REMATCH[2]} + 10#${BASH_REMATCH[3]}))
  fi
}
