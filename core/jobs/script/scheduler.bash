# SPDX-License-Identifier: Apache-2.0
# What a job knows of itself by its scheduler's variables, in names that the other parts use:
# pippin_job       the job's id as a part of file names; empty on this machine and by hand
# pippin_array     of an array what its tasks' ids begin with, before their numbers; empty elsewhere
# pippin_task      of an array the task that this job is; empty elsewhere
# pippin_nodes     its nodes, "" where it does not say
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_jobs="$pippin_root/jobs/$pippin_name"
pippin_pbs='' pippin_task=${SLURM_ARRAY_TASK_ID:-} pippin_nodes=${SLURM_JOB_NODELIST:-}
pippin_array=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}
pippin_job=${SLURM_JOB_ID:-} pippin_restart=${SLURM_RESTART_COUNT:-0} pippin_number=${SLURM_JOB_ID:-$$}
if [ -n "$pippin_array" ]; then pippin_job=$pippin_array$pippin_task; fi # by which squeue lists it

# Reads the functions at the end of the script, which most jobs have no need of. A prolog's aliases would
# change what they mean.
pippin_need() {
  local file=$pippin_script aliases=''
  if [ -n "${pippin_has_all:-}" ]; then return 0; fi
  [ -f "$file" ] || file="$pippin_jobs/job.sh"
  if shopt -q expand_aliases; then aliases=1; fi
  shopt -u expand_aliases
  eval "$(sed -n '/^# What is seldom needed/,$p' "$file")"
  if [ -n "$aliases" ]; then shopt -s expand_aliases; fi
  pippin_has_all=1
}
