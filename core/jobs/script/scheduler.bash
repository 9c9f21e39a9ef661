# What a job knows of itself by its scheduler's variables, in names that the other parts use:
# pippin_job       the job's id as a part of file names; empty on this machine and by hand
# pippin_task      of an array the task that this job is; empty elsewhere
# pippin_nodes     its nodes, "" where it does not say
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_jobs="$pippin_root/jobs/$pippin_name"
pippin_pbs='' pippin_task=${SLURM_ARRAY_TASK_ID:-} pippin_nodes=${SLURM_JOB_NODELIST:-}
pippin_job=${SLURM_JOB_ID:-} pippin_restart=${SLURM_RESTART_COUNT:-0} pippin_number=${SLURM_JOB_ID:-$$}
